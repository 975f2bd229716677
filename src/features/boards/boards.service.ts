import { createBoardRecordService } from './boards.board-service.js';
import { createCardService } from './boards.card-service.js';
import { cardStore } from './boards.card-store.js';
import { createCommentService } from './boards.comment-service.js';
import type { BoardServiceOptions } from './boards.context.js';
import { createExportService } from './boards.export-service.js';
import { createFeedService } from './boards.feed-service.js';
import { createGuestService } from './boards.guest-service.js';
import { createMasterService } from './boards.master-service.js';
import { createPatchService } from './boards.patch-service.js';
import { boardStore } from './boards.store.js';

export type { BoardServiceOptions } from './boards.context.js';

const MOST_FINISHED = 200;

export type BoardService = ReturnType<typeof createBoardService>;

export function createBoardService(options: BoardServiceOptions) {
  return {
    ...createBoardRecordService(options),
    ...createCardService(options),
    ...createPatchService(options),
    ...createCommentService(options),
    ...createMasterService(options),
    ...createFeedService(options),
    ...createExportService(options),
    ...createGuestService(options),

    /** What the `crm` switch holds. */
    countCrmBoards: (brandId: number): Promise<number> => boardStore(options.db, brandId).countByType('crm'),

    /**
     * Cards in `done` that are assigned to the agent, in the order in which they last changed; go on with the last one's
     * `updated_at` and `id`. A card that changes again comes again, at its new place.
     */
    listFinishedCards: ({ brandId, agentId, after, limit = 100 }: FinishedWish) =>
      cardStore(options.db, brandId).listFinished(agentId, after, Math.min(limit, MOST_FINISHED)),
  };
}

export interface FinishedWish {
  brandId: number;
  agentId: string;
  after?: { updatedAt: Date; id: string };
  limit?: number;
}
