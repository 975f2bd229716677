import { ApiError } from '../../../kernel/errors.js';
import type { Tx } from '../../../platform/database/database.js';
import type { Spending } from '../budget/spending.js';
import { type BuildChecks, commitToCheck } from '../checks/check-definition.js';
import { checkRunStore } from '../checks/check-runs.store.js';
import type { ChecksVerdict } from '../checks/verdict.js';
import { policyStore } from '../policy/policy.store.js';
import { tellOfBuild } from '../record/build-messages.js';
import type { WorkBell } from '../record/build-news.js';
import { tellPeopleOfEnd } from '../record/build-notices.js';
import type { BuildOptions } from '../record/builds.options.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { Endings } from './endings.js';
import { GATE_JOB } from './endings.js';
import { type Ending, lifecycleStore } from './lifecycle.store.js';
import type { OwnAttempts } from './own-attempts.js';
import type { NextAttempt, Reworks } from './reworks.js';

interface GateDeps extends Pick<BuildOptions, 'clock' | 'log' | 'jobs' | 'outbox' | 'inbox' | 'parts'> {
  bell: WorkBell;
  /** After the commit that ends its log, its readers hear of it. */
  announceLogEnd(tx: Tx, buildId: string): void;
  endings: Endings;
  spending: Pick<Spending, 'total' | 'close'>;
  attempts: OwnAttempts;
  reworks: Reworks;
}

const CANCELED = 'Canceled before its checks ran';
const SUPERSEDED = 'its checks were not run, as a newer attempt was there';

/** What stands between the word of a coder and the end of a build, in the transactions of those who bring the news. */
export function createGate(deps: GateDeps) {
  const {
    clock,
    log,
    jobs,
    outbox,
    inbox,
    parts,
    bell,
    announceLogEnd,
    endings,
    spending,
    attempts,
    reworks,
  } = deps;

  async function wantsReview(tx: Tx, { brand_id }: BuildRow): Promise<boolean> {
    const { on = 'none' } = (await policyStore(tx, brand_id).find())?.reviewer ?? {};
    return on !== 'none';
  }

  /** A second coder looks at it before it ends, once it is known how much of a risk it is. */
  async function waitForReview(tx: Tx, { brand_id, build_id }: BuildRow): Promise<void> {
    await lifecycleStore(tx, brand_id).wantReview(build_id, clock.now());
    await jobs.trigger(tx, GATE_JOB);
  }

  /** The coder is done for good: its token ends and its log is over, but nobody knows yet what its word is worth. */
  async function beginChecking(
    tx: Tx,
    build: BuildRow,
    said: Ending,
    checks: BuildChecks | undefined,
    commit: string,
  ) {
    const now = clock.now();
    const { brand_id, build_id } = build;
    const usage = said.usage ? await spending.total(tx, build, said.usage, true) : undefined;
    await lifecycleStore(tx, brand_id).beginChecking(build_id, { ...said, usage }, now);
    if (checks) await checkRunStore(tx, brand_id).open(build_id, commit, checks, now);
    else await waitForReview(tx, build);
    await parts.endToken(tx, build);
    announceLogEnd(tx, build_id);
    bell.announce(tx, brand_id);
    const checking = (await buildStore(tx, brand_id).find(build_id, now))!;
    await tellOfBuild(outbox, tx, 'build.checking', checking, now);
    await spending.close(tx, build, usage);
    return checking;
  }

  /** The end of everything between coder and person. `next`: the attempt that begins by itself where it did not pass. */
  async function conclude(tx: Tx, build: BuildRow, verdict: ChecksVerdict, next?: NextAttempt) {
    const at = clock.now();
    if (verdict.passed) return endings.end(tx, build, { outcome: 'succeeded', at, reason: build.reason });
    const ending = { outcome: 'failed', at, reason: verdict.reason } as const;
    const follows = next !== undefined && (await attempts.hasRoom(build, tx));
    const ended = await endings.end(tx, build, ending, { quiet: follows });
    if (next && !follows) await attempts.tellExhausted(build, tx);
    if (!follows) return ended;
    try {
      await reworks.begin(tx, build, next);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.info(
        { build: build.build_id, reason: error.message },
        'A build was not followed by another attempt',
      );
      await tellPeopleOfEnd(inbox, tx, ended, at);
    }
    return ended;
  }

  return {
    /** The coder said that it succeeded. Without checks, or with nothing to check, that is the end of it. */
    async coderSucceeded(
      tx: Tx,
      build: BuildRow,
      said: Ending,
      checks: BuildChecks | undefined,
    ): Promise<BuildRow> {
      const commit = commitToCheck(build);
      if (commit === undefined || (!checks && !(await wantsReview(tx, build))))
        return endings.end(tx, build, said);
      if (build.cancel_requested_at !== null)
        return endings.end(tx, build, { ...said, outcome: 'canceled', reason: CANCELED });
      // A card has one open build: what comes late, after a newer attempt, cannot be open again.
      const late =
        build.finished_at !== null && (await lifecycleStore(tx, build.brand_id).sumUp(build)).newer;
      if (late) return endings.end(tx, build, { ...said, reason: `${said.reason}; ${SUPERSEDED}` });
      return beginChecking(tx, build, said, checks, commit);
    },

    /**
     * The checks of this build are over with this verdict: here it is decided what follows. The build is held by the
     * transaction and is still `checking`; whatever else has to be asked about it is asked here, before it is concluded.
     */
    async checksOver(tx: Tx, build: BuildRow, verdict: ChecksVerdict, next?: NextAttempt): Promise<BuildRow> {
      if (!verdict.passed || !(await wantsReview(tx, build))) return conclude(tx, build, verdict, next);
      await waitForReview(tx, build);
      return build;
    },

    conclude,
  };
}

export type Gate = ReturnType<typeof createGate>;
