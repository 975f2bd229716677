import { errorCode, isConnectionFailure, isQueryTimeout } from '../../database/database-errors.js';
import type { Route } from '../../http/route.js';
import { memoryTooSlow, memoryUnreachable } from './memory.errors.js';

const DEADLINE_MS = 30_000;
/** The caller's clock started before ours: authentication came first. */
const HEAD_START_MS = 500;
export const ANSWER_MS = DEADLINE_MS - HEAD_START_MS;
const STATEMENT_CANCELED = '57014';

/** Answers for the work: its result, a 504 when it takes too long, a 502 when the database is not there. */
export async function answerInTime<T>(work: Promise<T>, deadlineMs = ANSWER_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(memoryTooSlow()), deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw translateFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Also for what fails before the handler: authentication asks the same database. */
export function translateFailure(error: unknown): unknown {
  if (isQueryTimeout(error) || errorCode(error) === STATEMENT_CANCELED) return memoryTooSlow();
  return isConnectionFailure(error) ? memoryUnreachable() : error;
}

/** The same endpoint, with an answer in time. */
export const keepDeadline = (declaration: Route): Route => ({
  ...declaration,
  handler: (request) => answerInTime(Promise.resolve(request).then((asked) => declaration.handler(asked))),
});
