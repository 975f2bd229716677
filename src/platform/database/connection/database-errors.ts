import { type ApiError, notReachable, OUTAGE_RETRY_SECONDS, unavailable } from '../../../kernel/errors.js';

interface ErrorWithCode {
  code?: unknown;
  message?: unknown;
  routine?: unknown;
  cause?: unknown;
  errors?: unknown;
}

const asError = (error: unknown): ErrorWithCode =>
  typeof error === 'object' && error !== null ? (error as ErrorWithCode) : {};

/** Returns the SQLSTATE or the error code of the system. */
export function errorCode(error: unknown): string | undefined {
  const { code } = asError(error);
  return typeof code === 'string' ? code : undefined;
}

const errorMessage = (error: unknown): string => {
  const { message } = asError(error);
  return typeof message === 'string' ? message : '';
};

const RETRYABLE = new Set(['40001', '40P01']);
const CONFLICT_WITH_RECOVERY = /due to conflict with recovery/;

/** Whether it is a deadlock or a serialization failure, which a retry may resolve. */
export const isTransactionConflict = (error: unknown): boolean =>
  RETRYABLE.has(errorCode(error) ?? '') && !CONFLICT_WITH_RECOVERY.test(errorMessage(error));

/** Whether a replica canceled a read that blocked replication. */
export const isRecoveryConflict = (error: unknown): boolean =>
  CONFLICT_WITH_RECOVERY.test(errorMessage(error));

/**
 * Whether a named statement no longer fits the schema (0A000), is unknown (26000) or already exists (42P05)
 * on this connection.
 */
export function isStaleStatement(error: unknown): boolean {
  const code = errorCode(error);
  if (code === '0A000') return asError(error).routine === 'RevalidateCachedQuery';
  return code === '26000' || code === '42P05';
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '53300',
  // Read-only: a cluster member that is not the primary.
  '25006',
]);
const UNREACHABLE_MESSAGE =
  /^Connection terminated|due to conflict with recovery$|^timeout exceeded when trying to connect|^Query read timeout|^Client has encountered a connection error|^Cannot use a pool after calling end|^timeout expired/;
const SYSTEM_CALLS_OF_SOCKETS = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** Whether the database is unreachable, in contrast to rejecting a statement. */
export function isConnectionFailure(error: unknown): boolean {
  const { cause, errors } = asError(error);
  const code = errorCode(error) ?? '';
  if (code.startsWith('08')) return true;
  if (UNREACHABLE.has(code)) return code !== 'ENOENT' || isSocketError(error);
  if (UNREACHABLE_MESSAGE.test(errorMessage(error))) return true;
  // Node tries several addresses of a host and reports every failure.
  if (Array.isArray(errors) && errors.some(isConnectionFailure)) return true;
  return cause !== undefined && cause !== error && isConnectionFailure(cause);
}

/** Checks the system call, because a missing file has the same error code as a missing socket. */
function isSocketError(error: unknown): boolean {
  const { syscall } = asError(error) as { syscall?: unknown };
  return typeof syscall === 'string' && SYSTEM_CALLS_OF_SOCKETS.has(syscall);
}

/** Whether the server accepted a query and did not respond in time. */
export const isQueryTimeout = (error: unknown): boolean => /^Query read timeout/.test(errorMessage(error));

/** Whether no connection became available in time. */
export const isPoolExhausted = (error: unknown): boolean =>
  /^timeout exceeded when trying to connect/.test(errorMessage(error));

/**
 * Returns the public error for an unavailable database or a write conflict, unless the route defines its own.
 */
export function translateOutage(error: unknown): ApiError | undefined {
  if (isConnectionFailure(error)) return unavailable(notReachable('The database'), OUTAGE_RETRY_SECONDS);
  return isTransactionConflict(error)
    ? unavailable('Others are writing the same; try again shortly', OUTAGE_RETRY_SECONDS)
    : undefined;
}

const CONSTRAINT_VIOLATIONS = new Set([
  '23503', // foreign key
  '23505', // unique
  '23514', // check
  '23P01', // exclusion
]);

/** Returns the name of the violated constraint, or undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!CONSTRAINT_VIOLATIONS.has(errorCode(error) ?? '')) return undefined;
  const { constraint } = error as { constraint?: unknown };
  return typeof constraint === 'string' ? constraint : undefined;
}
