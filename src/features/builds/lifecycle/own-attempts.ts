import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { BoardService } from '../../boards/index.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';

interface AttemptDeps extends Pick<BuildOptions, 'db'> {
  boards: Pick<BoardService, 'findCardToBuild' | 'followCard'>;
}

export const ATTEMPTS_EXHAUSTED = 'attempts_exhausted';

/**
 * The one rule of attempts that the service makes by itself: at most as many in all as the card says. Whoever begins one for a
 * reason of its own asks here first; a person may always begin another.
 */
export function createOwnAttempts({ db, boards }: AttemptDeps) {
  const findMost = async ({ brand_id, task_id }: BuildRow, within: Db | Tx): Promise<number | null> =>
    (await boards.findCardToBuild(brand_id, task_id, within))?.card.max_attempts ?? null;

  async function hasRoom(build: BuildRow, within: Db | Tx = db): Promise<boolean> {
    const most = await findMost(build, within);
    return most === null || build.attempt < most;
  }

  /** Of a build that ended the card has its status already; of one that came back it has to be held. */
  async function tellExhausted(
    build: BuildRow,
    within: Db | Tx = db,
    { hold = false }: { hold?: boolean } = {},
  ): Promise<void> {
    const { brand_id, task_id, build_id, attempt } = build;
    const most = await findMost(build, within);
    await inTransaction(within, (tx) =>
      boards.followCard(
        tx,
        brand_id,
        task_id,
        (card, statusOfBuild) => ({
          // A person's own change of status meanwhile wins.
          ...(hold && card.status === 'in_review' && statusOfBuild === build_id && { status: 'blocked' }),
          values: {
            error_code: ATTEMPTS_EXHAUSTED,
            error_message: `The card has had ${attempt} of ${most} attempts: the next one is a person's to begin`,
          },
        }),
        { build: build_id },
      ),
    );
  }

  return {
    hasRoom,
    /** On the card. */
    tellExhausted,
    /** Whether there may be another after this one; where there may not, the card says so. */
    async mayFollow(build: BuildRow): Promise<boolean> {
      if (await hasRoom(build)) return true;
      await tellExhausted(build);
      return false;
    },
  };
}

export type OwnAttempts = ReturnType<typeof createOwnAttempts>;
