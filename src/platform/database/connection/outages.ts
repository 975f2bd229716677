import { type ApiError, notReachable, OUTAGE_RETRY_SECONDS, unavailable } from '../../../kernel/errors.js';
import { isConnectionFailure, isTransactionConflict } from './database-errors.js';

/** What callers are told while the database is away or others hold what they want, except where a route has words of its own. */
export function translateOutage(error: unknown): ApiError | undefined {
  if (isConnectionFailure(error)) return unavailable(notReachable('The database'), OUTAGE_RETRY_SECONDS);
  return isTransactionConflict(error)
    ? unavailable('Others are writing the same; try again shortly', OUTAGE_RETRY_SECONDS)
    : undefined;
}
