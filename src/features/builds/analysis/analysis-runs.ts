import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { runWorkspaceTurns } from '../../../platform/jobs/workspace-turns.js';
import type { Analysis } from '../analysis.schemas.js';
import type { BuildOptions } from '../record/builds.options.js';
import { buildStore } from '../record/builds.store.js';
import { type DueAnalysis, dueAnalyses, gateStore } from './analysis.store.js';
import { withAddedNotes } from './setup-failure.js';

interface GatePassDeps extends Pick<BuildOptions, 'db' | 'clock' | 'log' | 'parts'> {
  /** Goes on with the builds that wait for a reviewer. */
  goOnWithReviews(signal: AbortSignal, result: PassResult): Promise<void>;
}

const AT_ONCE = 4;
const LEASE_SECONDS = 5 * MINUTE;
const MOST_TRIES = 3;
/** Builds that wait for a reviewer do not wait until every analysis is done. */
const REVIEW_EVERY_MS = 2000;
const NOT_READ: Analysis = {
  notes: [{ kind: 'not_read', text: 'The change could not be read' }],
  risk: { score: 20, reasons: [{ reason: 'not all of it could be read', points: 20 }] },
};

export function createGatePass({ db, clock, log, parts, goOnWithReviews }: GatePassDeps) {
  const save = (buildId: string, brandId: number, found: Analysis): Promise<void> =>
    inTransaction(db, async (tx) => {
      const store = gateStore(tx, brandId);
      await store.save(buildId, withAddedNotes(found, await store.lockNotes(buildId)));
    });

  async function analyze({
    build_id: buildId,
    brand_id: brandId,
    examine_tries,
  }: DueAnalysis): Promise<boolean> {
    const build = await buildStore(db, brandId).find(buildId, clock.now());
    if (!build) return true;
    try {
      await save(buildId, brandId, await parts.analyze(build));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError))
        log.error({ err: error, build: buildId }, 'A build could not be analyzed');
      // A repository that is away may come back; what fails again and again is told as what it is.
      if (examine_tries >= MOST_TRIES) await save(buildId, brandId, NOT_READ);
      return false;
    }
  }

  async function analyzeAll(signal: AbortSignal, result: PassResult): Promise<void> {
    let reviewedAt = performance.now();
    await runWorkspaceTurns<DueAnalysis>({
      atOnce: AT_ONCE,
      signal,
      claimNext: (place) => {
        const now = clock.now();
        return dueAnalyses(db).claimNext(place, now, secondsFrom(now, LEASE_SECONDS));
      },
      work: async (due) => {
        const isDone = await analyze(due).catch((error: unknown) => {
          log.error({ err: error, build: due.build_id }, 'The analysis of a build could not be stored');
          return false;
        });
        result[isDone ? 'processed' : 'failed'] += 1;
      },
      between: async () => {
        if (performance.now() - reviewedAt < REVIEW_EVERY_MS) return;
        await goOnWithReviews(signal, result);
        reviewedAt = performance.now();
      },
    });
  }

  return async ({ signal }: { signal: AbortSignal }): Promise<PassResult> => {
    const result = { processed: 0, failed: 0 };
    await analyzeAll(signal, result);
    await goOnWithReviews(signal, result);
    return result;
  };
}
