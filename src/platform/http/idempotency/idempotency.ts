import type { Clock } from '../../../kernel/clock.js';
import { ApiError, conflict, unprocessable } from '../../../kernel/errors.js';
import type { Db } from '../../database/database.js';
import { sweepInBatches } from '../../jobs/batches.js';
import type { JobDefinition } from '../../jobs/jobs.js';
import {
  deleteExpiredKeys,
  idempotencyStore,
  type KeptAnswer,
  type KeptText,
  listAnswersWith,
  rewriteAnswer,
} from './idempotency.store.js';

export interface RepeatableRequest {
  brandId: number;
  userId: number;
  key: string;
  /** Hash of method, address and body. */
  requestHash: string;
}

export interface MadeAnswer {
  status: number;
  contentType: string;
  bytes: Buffer;
  /** Set when the response shows a secret. A repeated request gets only this id. */
  onlyId?: { name: string; value: string };
}

export interface RepeatedAnswer extends MadeAnswer {
  replayed: boolean;
}

interface RepeatableWork {
  /** Runs the request with the result of `prepare`. */
  make(prepared: unknown): Promise<MadeAnswer>;
  prepare?(): Promise<unknown>;
  /** Throws when the caller may no longer make the request. */
  permit?(): Promise<void>;
}

/** Returns the stored response of a repeated request to callers with access, or runs the request. */
export type AnswerOnce = (request: RepeatableRequest, work: RepeatableWork) => Promise<RepeatedAnswer>;

const REMEMBERED_MS = 24 * 60 * 60 * 1000;
/** Small, because a response can have several megabytes. */
const REWRITE_BATCH = 20;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

interface IdempotencyOptions {
  db: Db;
  clock: Clock;
  atomically<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes creating requests safe to repeat: the change and its response commit together. */
export function createIdempotency({ db, clock, atomically }: IdempotencyOptions) {
  const oldest = () => new Date(clock.now().getTime() - REMEMBERED_MS);

  const once: AnswerOnce = async ({ brandId, userId, key, requestHash }, { make, prepare, permit }) => {
    if (!VISIBLE_ASCII.test(key)) throw unusableKey();
    const keys = idempotencyStore(db, brandId, userId);
    // A repeated request does not need the preparation.
    const isRepeated = prepare !== undefined && (await keys.find(key, oldest())) !== undefined;
    const prepared = isRepeated ? undefined : await prepare?.();
    return atomically(async () => {
      if (!(await keys.tryLock(key))) throw stillRunning();
      const kept = await keys.find(key, oldest());
      if (kept) {
        await permit?.();
        return repeat(kept, requestHash);
      }
      const made = await make(prepared);
      await keys.keep(key, toKept(made, requestHash), clock.now());
      return { ...made, replayed: false };
    });
  };

  return {
    once,
    sweep: (signal: AbortSignal): Promise<number> =>
      sweepInBatches(signal, (limit) => deleteExpiredKeys(db, oldest(), limit)),
  };
}

export { deleteKeysOf } from './idempotency.store.js';

/** Rewrites stored responses that contain one of the texts. */
export async function rewriteKeptAnswers(
  db: Db,
  texts: readonly string[],
  rewrite: (value: unknown) => unknown,
): Promise<void> {
  if (texts.length === 0) return;
  let after = { brand_id: 0, user_id: 0, key: '' };
  for (let kept = [after] as KeptText[]; kept.length > 0; ) {
    kept = await listAnswersWith(db, texts, after, REWRITE_BATCH);
    for (const row of kept) {
      const text = row.answer.toString();
      const changed = row.content_type?.includes('json')
        ? JSON.stringify(rewrite(JSON.parse(text)))
        : String(rewrite(text));
      await rewriteAnswer(db, { ...row, answer: Buffer.from(changed) });
      after = row;
    }
  }
}

export const idempotencyJobs = ({
  sweep,
}: {
  sweep(signal: AbortSignal): Promise<number>;
}): JobDefinition[] => [
  {
    name: 'idempotency-sweep',
    description: 'Forgets idempotency keys after their day.',
    schedule: { cron: '41 * * * *' },
    run: async ({ signal }) => ({ processed: await sweep(signal), failed: 0 }),
  },
];

const toKept = ({ status, contentType, bytes, onlyId }: MadeAnswer, requestHash: string): KeptAnswer => ({
  request_hash: requestHash,
  status,
  answer: onlyId ? null : bytes,
  content_type: onlyId ? null : contentType,
  made_id: onlyId ? `${onlyId.name}=${onlyId.value}` : null,
});

function repeat(kept: KeptAnswer, requestHash: string): RepeatedAnswer {
  if (kept.request_hash !== requestHash) throw usedOtherwise();
  if (kept.made_id !== null) throw alreadyMade(kept.made_id);
  return { status: kept.status, contentType: kept.content_type!, bytes: kept.answer!, replayed: true };
}

const unusableKey = () => unprocessable('Idempotency-Key must have 1 to 255 visible ASCII characters');

const usedOtherwise = () =>
  unprocessable('Idempotency-Key was used for another request; take a new key for a new request');

const stillRunning = () =>
  new ApiError(409, 'The first request with this Idempotency-Key is still running', { 'retry-after': '1' });

function alreadyMade(id: string): ApiError {
  const [name, value] = id.split('=') as [string, string];
  return conflict({
    error: 'already_made',
    [name]: value,
    message: 'This was already made; its secret was shown once and is not shown again',
  });
}
