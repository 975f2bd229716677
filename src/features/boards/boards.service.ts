import type { JobDefinition } from '../../platform/jobs/jobs.js';
import {
  ATTACHMENT_SWEEP,
  createAttachmentService,
  createUnusedFileService,
} from './attachments/attachments.service.js';
import type { BoardServiceOptions } from './board/board-access.js';
import { createBoardPeopleService, createGuestService } from './board/people.service.js';
import { createNames } from './board/refs.js';
import { createBoardRecordService } from './cards/board-records.service.js';
import { createFollowingService } from './cards/card-following.service.js';
import { createBatchService, createPatchService } from './cards/card-patch.service.js';
import { createCardService } from './cards/cards.service.js';
import { assertFieldsAreKept } from './cards/field-check.store.js';
import { createArrivalService, createArrivalsService } from './cards/imported-cards.service.js';
import { createCommentService } from './comments/comments.service.js';
import { createExportService } from './export.service.js';
import { createFeedService } from './feed/feed.service.js';
import { createFindTasksService } from './master/master.service.js';
import { listCardWeeks } from './master/master.store.js';
import { createCardSearchService } from './search/card-search.service.js';

export type { BoardServiceOptions } from './board/board-access.js';
export { STATUSES, type Status } from './board/columns.js';
export type { ArrivingCard } from './cards/imported-cards.service.js';

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
  ...createUnusedFileService(options),
  ...createFindTasksService(options),
  ...createFeedService(options),
  ...createExportService(options),
  ...createGuestService(options),
  ...createCardSearchService(options),
  people: createBoardPeopleService(options),
  names: createNames(options),
  listCardWeeks: (brandId: number, since: Date) => listCardWeeks(options.db, brandId, since),

  start: () => assertFieldsAreKept(options.db),
});

export const boardJobs = (boards: Pick<BoardService, 'sweepFiles'>): JobDefinition[] => [
  {
    name: ATTACHMENT_SWEEP,
    description: 'Removes the bytes of attachments that were deleted or never finished.',
    // Deletions also trigger the job. The schedule covers deleted cards, boards and workspaces.
    schedule: { everySeconds: 60 },
    run: (pass) => boards.sweepFiles(pass),
  },
];
