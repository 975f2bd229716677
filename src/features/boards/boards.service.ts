import { createBoardRecordService } from './board-records.service.js';
import type { BoardServiceOptions } from './boards.options.js';
import { createFollowingService } from './cards/card-following.service.js';
import { createPatchService } from './cards/card-patch.service.js';
import { createCardService } from './cards/cards.service.js';
import { assertFieldsAreKept } from './cards/field-check.js';
import { createCommentService } from './comments/comments.service.js';
import { createExportService } from './export/export.service.js';
import { createFeedService } from './feed/feed.service.js';
import { listCardWeeks } from './figures.store.js';
import { createGuestService } from './guests/guests.service.js';
import { createMasterService } from './master/master.service.js';
import { createBoardPeopleService } from './people/people.service.js';

export type { BoardServiceOptions } from './boards.options.js';

export type BoardService = ReturnType<typeof createBoardService>;

export const createBoardService = (options: BoardServiceOptions) => ({
  ...createBoardRecordService(options),
  ...createCardService(options),
  ...createPatchService(options),
  ...createFollowingService(options),
  ...createCommentService(options),
  ...createMasterService(options),
  ...createFeedService(options),
  ...createExportService(options),
  ...createGuestService(options),
  people: createBoardPeopleService(options),
  listCardWeeks: (brandId: number, since: Date) => listCardWeeks(options.db, brandId, since),

  start: () => assertFieldsAreKept(options.db),
});
