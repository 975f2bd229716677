import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import type { PassResult } from '../../../services/jobs/jobs.js';
import type { BuildOptions } from '../builds.options.js';
import { buildStore } from '../builds.store.js';
import type { Reviewing } from '../reviewer/reviewing.js';
import { claimExaminations, type DueExamination, gateStore } from './gate.store.js';

interface GatePassDeps extends Pick<BuildOptions, 'db' | 'clock' | 'log' | 'parts'> {
  reviewing: Reviewing;
}

const AT_ONCE = 4;
const LEASE_SECONDS = 5 * MINUTE;
const MOST_TRIES = 3;
const NOT_READ = {
  notes: [{ kind: 'not_read' as const, text: 'The change could not be read' }],
  risk: { score: 20, reasons: [{ reason: 'not all of it could be read', points: 20 }] },
};

export function createGatePass({ db, clock, log, parts, reviewing }: GatePassDeps) {
  async function examine({
    build_id: buildId,
    brand_id: brandId,
    examine_tries,
  }: DueExamination): Promise<boolean> {
    const build = await buildStore(db, brandId).find(buildId, clock.now());
    if (!build) return true;
    try {
      await gateStore(db, brandId).save(buildId, await parts.examine(build));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError))
        log.error({ err: error, build: buildId }, 'A build could not be examined');
      // A repository that is away may come back; what fails again and again is told as what it is.
      if (examine_tries >= MOST_TRIES) await gateStore(db, brandId).save(buildId, NOT_READ);
      return false;
    }
  }

  async function examineAll(signal: AbortSignal, result: PassResult): Promise<void> {
    while (!signal.aborted) {
      const now = clock.now();
      const due = await claimExaminations(db, now, secondsFrom(now, LEASE_SECONDS), AT_ONCE);
      if (due.length === 0) break;
      for (const one of due) result[(await examine(one)) ? 'processed' : 'failed'] += 1;
    }
  }

  return async ({ signal }: { signal: AbortSignal }): Promise<PassResult> => {
    const result = { processed: 0, failed: 0 };
    await examineAll(signal, result);
    await reviewing.goOn(signal, result);
    return result;
  };
}
