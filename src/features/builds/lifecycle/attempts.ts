import type { MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { NewBuild } from '../builds.schemas.js';
import { commitToCheck } from '../checks/check-rules.js';
import type { CoderChoice } from '../policy/coder-choice.js';
import { type BuildPolicy, NO_REWORK } from '../policy/policy.schemas.js';
import { policyStore } from '../policy/policy.store.js';
import type { BuildDeps, HostFeedback } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { StartData } from './advance.js';
import { hostFeedbackStore } from './host-feedback.store.js';
import { requireStep } from './states.js';

export interface PreparedBuild {
  card: { id: string; ref: string };
  projectId: string;
  choice: CoderChoice;
  base: { branch: string; sha: string; origin: string };
  /** Set for a build on a person's own machine. */
  beginning?: StartData;
}

export interface BuildOfReview {
  prepared?: PreparedBuild;
  /** Runs first in the transaction. The returned function runs once the build exists. */
  decide?(tx: Tx, now: Date): Promise<(() => Promise<void>) | undefined>;
}

export interface NextAttempt {
  caller: MemberCaller;
  input: NewBuild;
  prepared: PreparedBuild;
}

export type Comeback =
  | { begun: string }
  | { followedBy: string }
  | { exhausted: true }
  /** May succeed later. */
  | { refused: string };

interface AttemptDeps extends BuildDeps {
  findAsker(build: BuildRow): Promise<MemberCaller | undefined>;
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

export const inputAfter = ({ build_id: continues, coder, profile, base_branch }: BuildRow): NewBuild => ({
  continues,
  coder,
  ...(profile !== null && { profile }),
  base_branch,
});

/**
 * Starts the next attempt after failed checks, a verdict, or a return by the host or a person. Automatic
 * attempts run in the name of the person who requested the first one, up to the card's limit.
 */
export function createAttempts({ db, clock, log, boards, findAsker, prepareBuild, addBuild }: AttemptDeps) {
  const findCard = async ({ brand_id, task_id }: BuildRow, within: Db | Tx) =>
    (await boards.findCardToBuild(brand_id, task_id, within))?.card;

  async function hasRoom(build: BuildRow, within: Db | Tx = db): Promise<boolean> {
    const most = (await findCard(build, within))?.max_attempts ?? null;
    return most === null || build.attempt < most;
  }

  /** `hold` also blocks the card. A build that has just ended has already blocked it. */
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
          // A status that a person has set meanwhile wins.
          ...(hold && card.status === 'in_review' && statusOfBuild === build_id && { status: 'blocked' }),
          values: {
            error_code: ATTEMPTS_EXHAUSTED,
            error_message: `The card has had ${attempt} of ${most} attempts. Start the next one yourself`,
          },
        }),
        { build: build_id },
      ),
    );
  }

  /** Runs before the transaction. Undefined for local builds and when the person has left. */
  async function prepare(build: BuildRow): Promise<NextAttempt | undefined> {
    if (build.local) return undefined;
    const caller = await findAsker(build);
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

  /** Returns the reason as text when no attempt can start. */
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

  async function isOver(build: BuildRow, within: Db | Tx): Promise<boolean> {
    const status = (await findCard(build, within))?.status;
    return status === undefined || status === 'done' || status === 'canceled';
  }

  return {
    hasRoom,
    tellExhausted,
    prepare,

    async prepareRetry(build: BuildRow): Promise<NextAttempt | undefined> {
      const policy = await policyStore(db, build.brand_id).find();
      return policy?.rework.on_gate ? prepare(build) : undefined;
    },

    retry: (tx: Tx, failed: BuildRow, next: NextAttempt) => begin(tx, failed, 'retry', next),

    /** Marks the card when no attempt is left. */
    async mayFollow(build: BuildRow): Promise<boolean> {
      if (await hasRoom(build)) return true;
      await tellExhausted(build);
      return false;
    },

    readRules: async (brandId: number): Promise<BuildPolicy['rework']> =>
      (await policyStore(db, brandId).find())?.rework ?? NO_REWORK,

    listEarlier: (brandId: number, taskId: string): Promise<HostFeedback[]> =>
      hostFeedbackStore(db, brandId).listOfCard(taskId),

    /** Undefined when a newer attempt exists or the card is done. */
    async findToComeBack(brandId: number, buildId: string): Promise<BuildRow | undefined> {
      const build = await buildStore(db, brandId).find(buildId, clock.now());
      if (!build || (await isOver(build, db))) return undefined;
      const latest = await buildStore(db, brandId).findLatestOfCard(build.task_id, clock.now());
      return latest?.build_id === buildId ? build : undefined;
    },

    /** Without `next`, only the card is marked. */
    async startRework(
      tx: Tx,
      before: BuildRow,
      hostFeedback: HostFeedback,
      next: NextAttempt | undefined,
    ): Promise<Comeback> {
      const { brand_id: brandId, task_id: taskId } = before;
      // Locks the plan first, to serialize with requests for new builds.
      await policyStore(tx, brandId).lockPlan();
      const latest = await buildStore(tx, brandId).findLatestOfCard(taskId, clock.now());
      if (latest && latest.attempt > before.attempt) return { followedBy: latest.build_id };
      if (!latest || (await isOver(before, tx))) return { refused: 'The card is finished' };
      if (!(await hasRoom(before, tx))) {
        await tellExhausted(before, tx, { hold: true });
        return { exhausted: true };
      }
      if (!next) return { refused: 'No one can start another attempt' };
      const begun = await begin(tx, before, 'come_back', next);
      if (typeof begun === 'string') return { refused: begun };
      await hostFeedbackStore(tx, brandId).keep(begun.build_id, hostFeedback);
      return { begun: begun.build_id };
    },
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
