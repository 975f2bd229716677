import type { Tx } from '../../../platform/database/database.js';
import { type BuildChecks, commitToCheck } from '../checks/check-definition.js';
import type { ChecksVerdict } from '../checks/verdict.js';
import { policyStore } from '../policy/policy.store.js';
import { tellPeopleOfEnd } from '../record/build-notices.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import type { Lifecycle } from './advance.js';
import type { Attempts, NextAttempt } from './attempts.js';
import { lifecycleStore, type Said } from './lifecycle.store.js';
import { stateOf } from './states.js';

interface ConclusionDeps extends Pick<BuildOptions, 'clock' | 'inbox'> {
  lifecycle: Pick<Lifecycle, 'advance'>;
  attempts: Pick<Attempts, 'hasRoom' | 'tellExhausted' | 'retry'>;
}

const CANCELED = 'Canceled before its checks ran';
const SUPERSEDED = 'its checks were not run, as a newer attempt was there';

/** What stands between the word of a coder and the end of a build, in the transactions of those who bring the news. */
export function createConclusion({ clock, inbox, lifecycle, attempts }: ConclusionDeps) {
  const { advance } = lifecycle;

  async function wantsReview(tx: Tx, { brand_id }: BuildRow): Promise<boolean> {
    const { on = 'none' } = (await policyStore(tx, brand_id).find())?.reviewer ?? {};
    return on !== 'none';
  }

  /** The end of everything between coder and person. `next`: the attempt that begins by itself where it did not pass. */
  async function conclude(tx: Tx, build: BuildRow, verdict: ChecksVerdict, next?: NextAttempt) {
    const at = clock.now();
    const reviewed = stateOf(build) === 'reviewing';
    if (verdict.passed)
      return advance(tx, build, {
        name: reviewed ? 'review_passed' : 'checks_passed',
        at,
        reason: build.reason,
      });
    const quiet = next !== undefined && (await attempts.hasRoom(build, tx));
    const name = reviewed ? 'review_failed' : 'checks_failed';
    const ended = await advance(tx, build, { name, at, reason: verdict.reason, quiet });
    if (!next) return ended;
    if (!quiet) await attempts.tellExhausted(build, tx);
    else if (typeof (await attempts.retry(tx, ended, next)) === 'string')
      await tellPeopleOfEnd(inbox, tx, ended, at);
    return ended;
  }

  return {
    /** The coder said that it succeeded. Without checks, or with nothing to check, that is the end of it. */
    async coderSucceeded(
      tx: Tx,
      build: BuildRow,
      said: Said,
      checks: BuildChecks | undefined,
    ): Promise<BuildRow> {
      const commit = commitToCheck(build);
      if (commit === undefined || (!checks && !(await wantsReview(tx, build))))
        return advance(tx, build, { name: 'report_success', ...said });
      if (build.cancel_requested_at !== null)
        return advance(tx, build, { name: 'report_cancel', ...said, reason: CANCELED });
      // A card has one open build: what comes late, after a newer attempt, cannot be open again.
      const late =
        build.finished_at !== null && (await lifecycleStore(tx, build.brand_id).sumUp(build)).newer;
      if (late)
        return advance(tx, build, {
          name: 'report_success',
          ...said,
          reason: `${said.reason}; ${SUPERSEDED}`,
        });
      // Without checks a second coder looks at it before it ends, once it is known how much of a risk it is.
      return advance(tx, build, checks ? { name: 'check', said, checks, commit } : { name: 'review', said });
    },

    /**
     * The checks of this build are over with this verdict: here it is decided what follows. The build is held by the
     * transaction and is still `checking`; whatever else has to be asked about it is asked here, before it is concluded.
     */
    async checksOver(tx: Tx, build: BuildRow, verdict: ChecksVerdict, next?: NextAttempt): Promise<BuildRow> {
      if (!verdict.passed || !(await wantsReview(tx, build))) return conclude(tx, build, verdict, next);
      return advance(tx, build, { name: 'review' });
    },

    conclude,
  };
}

export type Conclusion = ReturnType<typeof createConclusion>;
