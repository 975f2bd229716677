import type { Tx } from '../../../platform/database/database.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { checkRunStore, MOST_RUNS } from '../checks/check-runs.store.js';
import { judgeNeverEnded } from '../checks/verdict.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import type { Lifecycle } from './advance.js';
import type { Conclusion } from './conclusion.js';
import { dueBuildStore } from './due.store.js';

interface PassDeps extends Pick<BuildOptions, 'db' | 'clock' | 'log'> {
  lifecycle: Lifecycle;
  conclusion: Pick<Conclusion, 'checksOver'>;
  tellOfStalled(tx: Tx): Promise<number>;
}

const CARD_GONE = 'The card was deleted';

/** Writes down what the clock has decided: claims that died, builds that were lost or ran too long, cards that are gone. */
export function createBuildPass({ db, clock, log, lifecycle, conclusion, tellOfStalled }: PassDeps) {
  /** Its checks were begun as often as they may be, and nobody has them any more. */
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

  /** One at a time, each in a transaction of its own: one that cannot be settled does not keep the others. */
  return async ({ signal }: { signal: AbortSignal }): Promise<PassResult> => {
    const result: PassResult = { processed: 0, failed: 0 };
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
    if (!signal.aborted) result.processed += await lifecycle.within(db, tellOfStalled);
    return result;
  };
}
