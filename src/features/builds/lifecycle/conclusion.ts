import type { Tx } from '../../../platform/database/database.js';
import { type BuildChecks, type ChecksVerdict, commitToCheck } from '../checks/check-rules.js';
import { policyStore } from '../policy/policy.store.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { notifyEnd } from '../record/notifications.js';
import type { Lifecycle } from './advance.js';
import type { Attempts, NextAttempt } from './attempts.js';
import { type EndReport, lifecycleStore } from './lifecycle.store.js';
import { stateOf } from './states.js';

interface ConclusionDeps extends BuildDeps {
  lifecycle: Lifecycle;
  attempts: Attempts;
}

const CANCELED = 'Canceled before its checks ran';
const SUPERSEDED = 'its checks were not run, as a newer attempt was there';

/** Decides what follows when a coder, its checks or a reviewer are done. */
export function createConclusion({ clock, inbox, lifecycle, attempts }: ConclusionDeps) {
  const { advance } = lifecycle;

  async function wantsReview(tx: Tx, { brand_id }: BuildRow): Promise<boolean> {
    const { on = 'none' } = (await policyStore(tx, brand_id).find())?.reviewer ?? {};
    return on !== 'none';
  }

  /** `next` starts automatically when the build did not pass. */
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
      await notifyEnd(inbox, tx, ended, at);
    return ended;
  }

  return {
    /** Without checks or commits, the build ends. */
    async coderSucceeded(
      tx: Tx,
      build: BuildRow,
      said: EndReport,
      checks: BuildChecks | undefined,
    ): Promise<BuildRow> {
      const commit = commitToCheck(build);
      if (commit === undefined || (!checks && !(await wantsReview(tx, build))))
        return advance(tx, build, { name: 'report_success', ...said });
      if (build.cancel_requested_at !== null)
        return advance(tx, build, { name: 'report_cancel', ...said, reason: CANCELED });
      // A card has one open build, so a late success cannot reopen this one after a newer attempt.
      const late =
        build.finished_at !== null && (await lifecycleStore(tx, build.brand_id).sumUp(build)).newer;
      if (late)
        return advance(tx, build, {
          name: 'report_success',
          ...said,
          reason: `${said.reason}; ${SUPERSEDED}`,
        });
      // Without checks, the reviewer waits for the risk.
      return advance(tx, build, checks ? { name: 'check', said, checks, commit } : { name: 'review', said });
    },

    /** The caller holds the lock of the build, which is still `checking`. */
    async checksOver(tx: Tx, build: BuildRow, verdict: ChecksVerdict, next?: NextAttempt): Promise<BuildRow> {
      if (!verdict.passed || !(await wantsReview(tx, build))) return conclude(tx, build, verdict, next);
      return advance(tx, build, { name: 'review' });
    },

    conclude,
  };
}

export type Conclusion = ReturnType<typeof createConclusion>;
