import type { Tx } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { judgeNeverEnded } from '../checks/check-rules.js';
import { checkRunStore, MOST_RUNS } from '../checks/checks.store.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import type { Lifecycle } from './advance.js';
import type { Conclusion } from './conclusion.js';
import { dueBuildStore, stallStore } from './lifecycle.store.js';

interface DueBuildDeps extends BuildDeps {
  lifecycle: Lifecycle;
  questions: { expireQuestions(run: { signal: AbortSignal }): Promise<number> };
  conclusion: Conclusion;
}

const CARD_GONE = 'The card was deleted';

export function createDueBuildsJob(deps: DueBuildDeps) {
  const { db, clock, log, lifecycle, conclusion, questions } = deps;
  const notifyStalled = createStallNotifications(deps);

  async function neverEnded(tx: Tx, build: BuildRow): Promise<boolean> {
    const run = await checkRunStore(tx, build.brand_id).lock(build.build_id, clock.now());
    if (!run || run.ended_at !== null || run.live || run.runs < MOST_RUNS) return false;
    await checkRunStore(tx, build.brand_id).close(build.build_id, clock.now());
    await conclusion.checksOver(tx, build, judgeNeverEnded(run));
    return true;
  }

  async function work(tx: Tx, build: BuildRow): Promise<void> {
    const settled = await lifecycle.settle(tx, build);
    if (settled.finished_at !== null) return;
    if (build.status === 'checking' && (await neverEnded(tx, build))) return;
    if (build.status === 'queued' && build.claimed_at !== null)
      await lifecycle.advance(tx, build, { name: 'claim_expired' });
    else await lifecycle.cancel(tx, build, CARD_GONE);
  }

  /** Each build has its own transaction, so that a failing one does not block the others. */
  return async ({ signal }: { signal: AbortSignal }): Promise<JobResult> => {
    const result: JobResult = { processed: await questions.expireQuestions({ signal }), failed: 0 };
    const passedOver: string[] = [];
    while (!signal.aborted) {
      let tried: string | undefined;
      try {
        const found = await lifecycle.within(db, async (tx) => {
          const build = await dueBuildStore(tx).lockDue(clock.now(), passedOver);
          tried = build?.build_id;
          if (build) await work(tx, build);
          return build !== undefined;
        });
        if (!found) break;
        result.processed += 1;
      } catch (error) {
        log.error({ err: error }, 'A build could not be settled');
        result.failed += 1;
        if (tried === undefined) break;
        passedOver.push(tried);
      }
    }
    if (!signal.aborted) result.processed += await lifecycle.within(db, notifyStalled);
    return result;
  };
}

const MOST_TOLD = 200;

/** Notifies people once when a build makes no progress. */
function createStallNotifications({ clock, inbox }: BuildDeps) {
  return async (tx: Tx): Promise<number> => {
    const now = clock.now();
    const stalled = await stallStore(tx).takeStalled(now, MOST_TOLD);
    await inbox.notify(
      tx,
      stalled.map(({ brand_id, build_id, task_id, created_by, stall_minutes }) => ({
        brandId: brand_id,
        kind: 'build_stalled',
        taskId: task_id,
        buildId: build_id,
        at: now,
        actor: null,
        excerpt: `No progress for ${stall_minutes} minutes: it ends after twice that time`,
        to: { users: created_by === null ? [] : [created_by], assignee: true },
      })),
    );
    return stalled.length;
  };
}
