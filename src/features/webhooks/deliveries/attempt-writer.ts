import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { isTransactionConflict } from '../../../platform/database/connection/database-errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import { type AttemptResult, type Claim, dispatchStore } from './dispatch.store.js';
import type { Outcome } from './sender.js';

const GONE = 410;
const GONE_REASON = 'The receiver answered 410 Gone';
const MOST_IN_A_BATCH = 100;
/** A short wait gathers answers, because one write costs about the same for many as for one. */
const GATHER_MS = 25;

export interface Attempted {
  claim: Claim;
  at: Date;
  outcome: Outcome;
}

interface Waiting extends Attempted {
  written(): void;
  failed(error: unknown): void;
}

/** Stores results in batches, one at a time, so that it needs only one connection and few statements. */
export function createAttemptWriter({ db, clock }: { db: Db; clock: Clock }) {
  const queue: Waiting[] = [];
  let writing = false;

  async function store(batch: Attempted[]): Promise<void> {
    const now = clock.now();
    const results = batch.map((attempted) => resultOf(attempted, now));
    const receivers = summarizeReceivers(batch);
    if (receivers.failed.length + receivers.gone.length === 0) {
      try {
        return await dispatchStore(db).noteAnswers(results, receivers.answered);
      } catch (error) {
        if (!isTransactionConflict(error)) throw error;
      }
    }
    await inTransaction(db, async (tx) => {
      await dispatchStore(tx).noteAttempts(results);
      await dispatchStore(tx).noteReceivers(receivers, now);
    });
  }

  async function drain(): Promise<void> {
    if (writing) return;
    writing = true;
    while (queue.length > 0) {
      if (queue.length < MOST_IN_A_BATCH) await pause(GATHER_MS);
      const batch = takeBatch(queue);
      try {
        await store(batch);
        for (const { written } of batch) written();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    writing = false;
  }

  return (attempted: Attempted): Promise<void> =>
    new Promise((written, failed) => {
      queue.push({ ...attempted, written, failed });
      void drain();
    });
}

/** An update statement changes a row only once, so a repeated delivery waits for the next batch. */
function takeBatch(queue: Waiting[]): Waiting[] {
  const seen = new Set<string>();
  let size = 0;
  while (size < Math.min(queue.length, MOST_IN_A_BATCH) && !seen.has(queue[size]!.claim.delivery_id)) {
    seen.add(queue[size]!.claim.delivery_id);
    size += 1;
  }
  return queue.splice(0, size);
}

function resultOf({ claim, at, outcome }: Attempted, now: Date): AttemptResult {
  const { delivery_id, lease } = claim;
  const attempt = { at: at.toISOString(), ...outcome };
  const base = { delivery_id, lease, attempt, next_attempt_at: null };
  if (outcome.error === null) return { ...base, status: 'delivered', failures: claim.failures };
  const failures = claim.failures + 1;
  const next = outcome.status === GONE ? undefined : nextAttempt(failures, now);
  return next
    ? { ...base, status: 'pending', failures, next_attempt_at: next }
    : { ...base, status: 'failed', failures };
}

function summarizeReceivers(batch: readonly Attempted[]) {
  const answered = new Set(
    batch.filter(({ outcome }) => outcome.error === null).map(({ claim }) => claim.webhook_id),
  );
  const failed = new Set(
    batch.map(({ claim }) => claim.webhook_id).filter((webhookId) => !answered.has(webhookId)),
  );
  const gone = batch
    .filter(({ outcome }) => outcome.status === GONE)
    .map(({ claim }) => ({ webhookId: claim.webhook_id, url: claim.url }));
  return { answered: [...answered].sort(), failed: [...failed].sort(), gone, goneReason: GONE_REASON };
}

/** Seconds between a failure and the next attempt. */
const PAUSES = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 6 * HOUR];

function nextAttempt(failures: number, failedAt: Date): Date | undefined {
  const pause = PAUSES[failures - 1];
  return pause === undefined ? undefined : secondsFrom(failedAt, pause);
}
