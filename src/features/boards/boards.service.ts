import { createAttachmentService } from './attachments/attachments.service.js';
import { createLeftoverService } from './attachments/leftovers.service.js';
import type { BoardServiceOptions } from './board/boards.options.js';
import { createGuestService } from './board/guests.service.js';
import { createArrivalsService } from './cards/arrivals.service.js';
import { createBoardRecordService } from './cards/board-records.service.js';
import { createArrivalService } from './cards/card-arrival.service.js';
import { createBatchService } from './cards/card-batch.service.js';
import { createFollowingService } from './cards/card-following.service.js';
import { createPatchService } from './cards/card-patch.service.js';
import { createCardService } from './cards/cards.service.js';
import { assertFieldsAreKept } from './cards/field-check.js';
import { createCommentService } from './comments/comments.service.js';
import { createExportService } from './export/export.service.js';
import { createFeedService } from './feed/feed.service.js';
import { createMasterService } from './master/master.service.js';
import { listCardWeeks } from './master/master.store.js';
import { createNames } from './names/names.service.js';
import { createBoardPeopleService } from './people/people.service.js';
import { createCardSearchService } from './search/card-search.service.js';

export type { BoardServiceOptions } from './board/boards.options.js';
export { STATUSES, type Status } from './board/columns.js';
export type { ArrivingCard } from './cards/arrivals.service.js';

export type BoardService = ReturnType<typeof createBoardService>;

export const createBoardService = (options: BoardServiceOptions) => ({
  ...createBoardRecordService(options),
  ...createCardService(options),
  ...createPatchService(options),
  ...createBatchService(options),
  ...createFollowingService(options),
  ...createArrivalService(options),
  arrivals: createArrivalsService(options),
  ...createCommentService(options),
  ...createAttachmentService(options),
  ...createLeftoverService(options),
  ...createMasterService(options),
  ...createFeedService(options),
  ...createExportService(options),
  ...createGuestService(options),
  ...createCardSearchService(options),
  people: createBoardPeopleService(options),
  names: createNames(options),
  listCardWeeks: (brandId: number, since: Date) => listCardWeeks(options.db, brandId, since),

  start: () => assertFieldsAreKept(options.db),
});
