import { ApiError } from '../../../kernel/errors.js';
import type { Tx } from '../../../platform/database/database.js';
import type { BuildOptions } from '../builds.options.js';
import type { CameBack } from '../builds.parts.js';
import { type BuildRow, buildStore } from '../builds.store.js';
import type { NextAttempt, Reworks } from '../checks/reworks.js';
import type { OwnAttempts } from '../queue/own-attempts.js';
import { type BuildPolicy, NO_REWORK } from '../queue/policy.schemas.js';
import { policyStore } from '../queue/policy.store.js';
import { cameBackStore } from './came-back.store.js';

interface ComebackDeps extends Pick<BuildOptions, 'db' | 'clock' | 'log' | 'boards'> {
  reworks: Reworks;
  attempts: OwnAttempts;
}

/** What became of work that came back. */
export type Comeback =
  | { begun: string }
  /** Somebody was there first: a newer attempt, whatever came of it, is the answer to this one. */
  | { followedBy: string }
  | { exhausted: true }
  /** Not now: another time it may go well. */
  | { refused: string };

/** Attempts that begin because the host of the repository sent the work of the one before back. */
export function createComebacks({ db, clock, log, boards, reworks, attempts }: ComebackDeps) {
  /** The card is at its end, by a person or by the host: nothing is to be done for it. */
  async function isOver({ brand_id, task_id }: BuildRow, within: Tx | typeof db): Promise<boolean> {
    const status = (await boards.findCardToBuild(brand_id, task_id, within))?.card.status;
    return status === undefined || status === 'done' || status === 'canceled';
  }

  return {
    readRules: async (brandId: number): Promise<BuildPolicy['rework']> =>
      (await policyStore(db, brandId).find())?.rework ?? NO_REWORK,

    /** What earlier attempts at the card were told: the same word asks for nothing twice. */
    listEarlier: (brandId: number, taskId: string): Promise<CameBack[]> =>
      cameBackStore(db, brandId).listOfCard(taskId),

    /** A build that may come back now; undefined where a newer attempt has taken its place, or its card is at its end. */
    async find(brandId: number, buildId: string): Promise<BuildRow | undefined> {
      const build = await buildStore(db, brandId).find(buildId, clock.now());
      if (!build || (await isOver(build, db))) return undefined;
      const latest = await buildStore(db, brandId).findLatestOfCard(build.task_id, clock.now());
      return latest?.build_id === buildId ? build : undefined;
    },

    /** Before a transaction, since it may wait for others: the attempt that would follow; undefined where there can be none. */
    prepare: (build: BuildRow): Promise<NextAttempt | undefined> => reworks.prepare(build),

    hasRoom: (build: BuildRow): Promise<boolean> => attempts.hasRoom(build),

    /** In the transaction that decides that it came back. Without `next` only the card is told that there is none. */
    async begin(
      tx: Tx,
      before: BuildRow,
      cameBack: CameBack,
      next: NextAttempt | undefined,
    ): Promise<Comeback> {
      const { brand_id: brandId, task_id: taskId, build_id: buildId } = before;
      // As whoever asks for a build: from now on nobody else begins one.
      await policyStore(tx, brandId).lockPlan();
      const latest = await buildStore(tx, brandId).findLatestOfCard(taskId, clock.now());
      if (latest && latest.attempt > before.attempt) return { followedBy: latest.build_id };
      if (!latest || (await isOver(before, tx))) return { refused: 'The card is at its end' };
      if (!(await attempts.hasRoom(before, tx))) {
        await attempts.tellExhausted(before, tx, { hold: true });
        return { exhausted: true };
      }
      if (!next) return { refused: 'Nobody can begin another attempt' };
      try {
        const { build_id } = await reworks.begin(tx, before, next);
        await cameBackStore(tx, brandId).keep(build_id, cameBack);
        return { begun: build_id };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        log.info({ build: buildId, reason: error.message }, 'Work that came back was not begun again');
        return { refused: error.message };
      }
    },
  };
}
