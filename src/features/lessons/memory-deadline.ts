import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, isConnectionFailure } from '../../database/database-errors.js';
import { badGateway, gatewayTimeout } from '../../kernel/errors.js';

export const memoryUnreachable = () => badGateway('The memory service is unreachable');
export const memoryTooSlow = () => gatewayTimeout('The memory service gave no answer within 30 seconds');

const DEADLINE_MS = 30_000;
const STATEMENT_CANCELED = '57014';

export class DeadlineExceeded extends Error {}

/** Gives up waiting after a while; the work itself is left to end on its own. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  work.catch(() => {});
  try {
    return await Promise.race([
      work,
      pause(milliseconds, undefined, { signal: done.signal, ref: false }).then(() => {
        throw new DeadlineExceeded();
      }),
    ]);
  } finally {
    done.abort();
  }
}

/** A database that is gone is a 502, one that does not answer in time a 504. */
export async function withMemoryDeadline<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(DEADLINE_MS, work);
  } catch (error) {
    if (error instanceof DeadlineExceeded || errorCode(error) === STATEMENT_CANCELED) throw memoryTooSlow();
    if (isConnectionFailure(error)) throw memoryUnreachable();
    throw error;
  }
}
