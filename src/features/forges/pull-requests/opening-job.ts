import { DAY, HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { ForgeFailed } from '../adapter/forge.js';
import type { ForgeAccess } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { SyncCard } from './card-sync.js';
import { pauseHost } from './due.store.js';
import { askHost } from './host-answer.js';
import type { HostQueue } from './host-queue.js';
import { NotOpened, type Opened } from './open-pull-request.js';
import { claimOpenings, type OpeningRow, openingStore } from './openings.store.js';

interface OpeningJobDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'log' | 'boards'> {
  access: Pick<ForgeAccess, 'noteFailure' | 'noteSuccess'>;
  openPullRequest(opening: OpeningRow, onProgress: () => void): Promise<Opened>;
  syncCard: SyncCard;
  queue: HostQueue;
}

const AT_ONCE = 16;
/** Longer than all calls of one opening take together. */
export const LEASE_SECONDS = 2 * MINUTE;
/** Seconds until the next try; after a refusal, somebody may set another token meanwhile. */
const AFTER_UNREACHABLE = [
  5,
  10,
  20,
  40,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  DAY,
];
const AFTER_REFUSED = [10 * MINUTE, HOUR, 6 * HOUR, DAY];
const UNEXPECTED = 'Opening the pull request failed unexpectedly';

/** Opens pull requests for pushed work. Failures are tried again, and a lasting one is shown on the card. */
export function createOpeningJob({
  db,
  clock,
  log,
  boards,
  access,
  openPullRequest,
  syncCard,
  queue,
}: OpeningJobDeps) {
  async function openOrRecordFailure(opening: OpeningRow, onProgress: () => void): Promise<boolean> {
    try {
      const opened = await openPullRequest(opening, onProgress);
      await syncOnce(opened, opening);
      return true;
    } catch (error) {
      await recordFailure(opening, error);
      return false;
    }
  }

  /** Existing checks and reviews; the next sync asks for them in any case. */
  async function syncOnce({ connected, number }: Opened, opening: OpeningRow) {
    const { brand_id, project_id } = opening;
    try {
      const { answer } = await askHost(connected, clock, number);
      if (answer) await inTransaction(db, (tx) => syncCard(tx, { brand_id, project_id, number }, answer));
    } catch (error) {
      if (!(error instanceof ForgeFailed)) log.error({ err: error, build: opening.build_id }, UNEXPECTED);
    }
  }

  async function recordFailure(opening: OpeningRow, error: unknown): Promise<void> {
    const isKnown = error instanceof ForgeFailed || error instanceof NotOpened;
    if (!isKnown) log.error({ err: error, build: opening.build_id }, UNEXPECTED);
    const now = clock.now();
    if (error instanceof ForgeFailed) {
      await access.noteFailure(opening.project_id, error, now);
      if (error.fault === 'limited') await pauseHost(db, opening, error, now);
    }
    const why = isKnown ? error.message : UNEXPECTED;
    const pauses = pausesAfter(error);
    const pause = pauses[opening.attempts - 1];
    const retryAt = error instanceof ForgeFailed && error.fault === 'limited' ? error.retryAt : null;
    const nextAt = pause === undefined ? null : later(retryAt, secondsFrom(now, pause));
    await inTransaction(db, async (tx) => {
      if (!(await openingStore(tx, opening.brand_id).noteFailed(opening, why, nextAt))) return;
      // People need not know that a host is unreachable for a moment.
      if (pauses === AFTER_UNREACHABLE && nextAt) return;
      await boards.followCard(
        tx,
        opening.brand_id,
        opening.card_id,
        () => ({ values: { error_code: 'pr_not_opened', error_message: why } }),
        { build: opening.build_id },
      );
    });
  }

  return async ({
    signal,
    byHand = false,
  }: {
    signal: AbortSignal;
    byHand?: boolean;
  }): Promise<PassResult> => {
    const result = { processed: 0, failed: 0 };
    const tried: string[] = [];
    while (!signal.aborted) {
      const now = clock.now();
      const leaseEnd = secondsFrom(now, LEASE_SECONDS);
      const due = await claimOpenings(db, { now, leaseEnd, limit: AT_ONCE, byHand, except: tried });
      if (due.length === 0) break;
      tried.push(...due.map(({ build_id }) => build_id));
      const opened = await Promise.all(
        due.map((opening) =>
          queue.run(`opens ${opening.card_id}`, (onProgress) => openOrRecordFailure(opening, onProgress)),
        ),
      );
      for (const each of opened) if (each !== undefined) result[each ? 'processed' : 'failed'] += 1;
    }
    return result;
  };
}

function pausesAfter(error: unknown): readonly number[] {
  if (error instanceof NotOpened) return [];
  const mayPass =
    !(error instanceof ForgeFailed) || error.fault === 'unreachable' || error.fault === 'limited';
  return mayPass ? AFTER_UNREACHABLE : AFTER_REFUSED;
}

const later = (one: Date | null, other: Date): Date => (one && one > other ? one : other);
