import type { MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { NewBuild } from '../builds.schemas.js';
import { commitToCheck } from '../checks/check-definition.js';
import type { CoderChoice } from '../policy/coder-choice.js';
import { type BuildPolicy, NO_REWORK } from '../policy/policy.schemas.js';
import { policyStore } from '../policy/policy.store.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { CameBack } from '../record/builds.parts.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { Beginning } from './advance.js';
import { cameBackStore } from './came-back.store.js';
import { requireStep } from './states.js';

/** What is known of a build before anything is held. */
export interface PreparedBuild {
  card: { id: string; ref: string };
  projectId: string;
  choice: CoderChoice;
  base: { branch: string; sha: string; origin: string };
  /** Of one on a person's own machine: what it begins with, at once. */
  beginning?: Beginning;
}

/** What a review that asks for another attempt brings along. */
export interface BuildOfReview {
  prepared?: PreparedBuild;
  /** What it refuses is refused before anything else; what it answers is carried out once the build is there. */
  decide?(tx: Tx, now: Date): Promise<(() => Promise<void>) | undefined>;
}

/** Another attempt that goes on from a build, ready to be queued. */
export interface NextAttempt {
  caller: MemberCaller;
  input: NewBuild;
  prepared: PreparedBuild;
}

/** What became of work that came back. */
export type Comeback =
  | { begun: string }
  /** Somebody was there first: a newer attempt, whatever came of it, is the answer to this one. */
  | { followedBy: string }
  | { exhausted: true }
  /** Not now: another time it may go well. */
  | { refused: string };

interface AttemptDeps extends Pick<BuildOptions, 'db' | 'clock' | 'log' | 'boards' | 'parts'> {
  prepareBuild(
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    before: BuildRow,
  ): Promise<PreparedBuild>;
  addBuild(
    tx: Tx,
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    prepared: PreparedBuild,
  ): Promise<BuildRow>;
}

const ATTEMPTS_EXHAUSTED = 'attempts_exhausted';

/** What to ask for so that another attempt goes on from a build, by the same coder. */
export const inputAfter = ({ build_id: continues, coder, profile, base_branch }: BuildRow): NewBuild => ({
  continues,
  coder,
  ...(profile !== null && { profile }),
  base_branch,
});

/**
 * Which attempt comes after a build: after failed checks or a reviewer's verdict, after the repository host sent it back, or
 * after a person did. Those that the service begins are in the name of whoever asked for the one before, and at most as many in
 * all as the card says; a person may always begin another.
 */
export function createAttempts({ db, clock, log, boards, parts, prepareBuild, addBuild }: AttemptDeps) {
  const findCard = async ({ brand_id, task_id }: BuildRow, within: Db | Tx) =>
    (await boards.findCardToBuild(brand_id, task_id, within))?.card;

  async function hasRoom(build: BuildRow, within: Db | Tx = db): Promise<boolean> {
    const most = (await findCard(build, within))?.max_attempts ?? null;
    return most === null || build.attempt < most;
  }

  /** Of a build that ended the card has its status already; of one that came back it has to be held. */
  async function tellExhausted(
    build: BuildRow,
    within: Db | Tx = db,
    { hold = false }: { hold?: boolean } = {},
  ): Promise<void> {
    const { brand_id, task_id, build_id, attempt } = build;
    const most = (await findCard(build, within))?.max_attempts ?? null;
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

  /**
   * Before a transaction, since it may wait for others. Undefined where there can be none: what a person has on their own
   * machine is theirs to go on with, and nobody acts for a person who has left.
   */
  async function prepare(build: BuildRow): Promise<NextAttempt | undefined> {
    if (build.local) return undefined;
    const caller = await parts.findAsker(build);
    if (!caller) return undefined;
    const input = inputAfter(build);
    const before = { ...build, head_sha: commitToCheck(build) ?? null };
    try {
      return { caller, input, prepared: await prepareBuild(caller, build.task_id, input, before) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.info(
        { build: build.build_id, reason: error.message },
        'A build cannot be followed by another attempt',
      );
      return undefined;
    }
  }

  /** In the transaction of the event that asks for it. A string says why there is none. */
  async function begin(
    tx: Tx,
    before: BuildRow,
    event: 'retry' | 'come_back',
    { caller, input, prepared }: NextAttempt,
  ): Promise<BuildRow | string> {
    requireStep(before, event);
    try {
      return await addBuild(tx, caller, before.task_id, input, prepared);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.info(
        { build: before.build_id, event, reason: error.message },
        'A build was not followed by another attempt',
      );
      return error.message;
    }
  }

  /** The card is at its end, by a person or by the host: nothing is to be done for it. */
  async function isOver(build: BuildRow, within: Db | Tx): Promise<boolean> {
    const status = (await findCard(build, within))?.status;
    return status === undefined || status === 'done' || status === 'canceled';
  }

  return {
    hasRoom,
    tellExhausted,
    prepare,

    /** The attempt that begins by itself if checks or a reviewer fail the build; only where the workspace wants it. */
    async prepareRetry(build: BuildRow): Promise<NextAttempt | undefined> {
      const policy = await policyStore(db, build.brand_id).find();
      return policy?.rework.on_gate ? prepare(build) : undefined;
    },

    /** After its checks, or a reviewer, failed it. */
    retry: (tx: Tx, failed: BuildRow, next: NextAttempt) => begin(tx, failed, 'retry', next),

    /** Whether there may be another after this one; where there may not, the card says so. */
    async mayFollow(build: BuildRow): Promise<boolean> {
      if (await hasRoom(build)) return true;
      await tellExhausted(build);
      return false;
    },

    readRules: async (brandId: number): Promise<BuildPolicy['rework']> =>
      (await policyStore(db, brandId).find())?.rework ?? NO_REWORK,

    /** What the host said of earlier attempts at the card: the same word asks for nothing twice. */
    listEarlier: (brandId: number, taskId: string): Promise<CameBack[]> =>
      cameBackStore(db, brandId).listOfCard(taskId),

    /** A build that may come back now; undefined where a newer attempt has taken its place, or its card is at its end. */
    async findToComeBack(brandId: number, buildId: string): Promise<BuildRow | undefined> {
      const build = await buildStore(db, brandId).find(buildId, clock.now());
      if (!build || (await isOver(build, db))) return undefined;
      const latest = await buildStore(db, brandId).findLatestOfCard(build.task_id, clock.now());
      return latest?.build_id === buildId ? build : undefined;
    },

    /** In the transaction that decides that it came back. Without `next` only the card is told that there is none. */
    async comeBack(
      tx: Tx,
      before: BuildRow,
      cameBack: CameBack,
      next: NextAttempt | undefined,
    ): Promise<Comeback> {
      const { brand_id: brandId, task_id: taskId } = before;
      // As whoever asks for a build: from now on nobody else begins one.
      await policyStore(tx, brandId).lockPlan();
      const latest = await buildStore(tx, brandId).findLatestOfCard(taskId, clock.now());
      if (latest && latest.attempt > before.attempt) return { followedBy: latest.build_id };
      if (!latest || (await isOver(before, tx))) return { refused: 'The card is at its end' };
      if (!(await hasRoom(before, tx))) {
        await tellExhausted(before, tx, { hold: true });
        return { exhausted: true };
      }
      if (!next) return { refused: 'Nobody can begin another attempt' };
      const begun = await begin(tx, before, 'come_back', next);
      if (typeof begun === 'string') return { refused: begun };
      await cameBackStore(tx, brandId).keep(begun.build_id, cameBack);
      return { begun: begun.build_id };
    },
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
