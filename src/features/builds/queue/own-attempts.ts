import { inTransaction } from '../../../database/connection/transaction.js';
import type { BoardService } from '../../boards/boards.service.js';
import type { BuildOptions } from '../builds.options.js';
import type { BuildRow } from '../builds.store.js';

interface AttemptDeps extends Pick<BuildOptions, 'db'> {
  boards: Pick<BoardService, 'findCardToBuild' | 'followCard'>;
}

export const ATTEMPTS_EXHAUSTED = 'attempts_exhausted';

/**
 * The one rule of attempts that the service makes by itself: at most as many in all as the card says. Whoever begins one for a
 * reason of its own asks here first; a person may always begin another.
 */
export function createOwnAttempts({ db, boards }: AttemptDeps) {
  return {
    /** Whether there may be another after this one; where there may not, the card says so. */
    async mayFollow({ brand_id, task_id, attempt }: BuildRow): Promise<boolean> {
      const most = (await boards.findCardToBuild(brand_id, task_id))?.card.max_attempts ?? null;
      if (most === null || attempt < most) return true;
      await inTransaction(db, (tx) =>
        boards.followCard(tx, brand_id, task_id, () => ({
          values: {
            error_code: ATTEMPTS_EXHAUSTED,
            error_message: `The card has had ${attempt} of ${most} attempts: the next one is a person's to begin`,
          },
        })),
      );
      return false;
    },
  };
}

export type OwnAttempts = ReturnType<typeof createOwnAttempts>;
