import type { IncomingHttpHeaders } from 'node:http';

/** For a host that does not say how long to wait. */
const USUAL_WAIT_SECONDS = 60;
/** The longest wait that a host can cause. */
const LONGEST_WAIT_SECONDS = 24 * 60 * 60;
/** Larger numbers are points in time, smaller ones seconds from now; hosts use the same header for both. */
const SMALLEST_MOMENT = 1_000_000_000;

/** When to call again, if the host refused this call for a limit. */
export function readLimit(status: number, headers: IncomingHttpHeaders, now: Date): Date | undefined {
  const waits = readRetryAfter(headers['retry-after'], headers, now);
  const isLimit =
    status === 429 ||
    (status === 403 && (waits !== undefined || isUsedUp(headers))) ||
    (status === 503 && waits !== undefined);
  return isLimit ? momentAfter(now, waits ?? readReset(headers, now)) : undefined;
}

/** When to call again, if this answer used up the limit. */
export const readUsedUp = (headers: IncomingHttpHeaders, now: Date): Date | undefined =>
  isUsedUp(headers) ? momentAfter(now, readReset(headers, now)) : undefined;

function momentAfter(now: Date, seconds: number = USUAL_WAIT_SECONDS): Date {
  const bounded = Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT_SECONDS);
  return new Date(now.getTime() + bounded * 1000);
}

const isUsedUp = (headers: IncomingHttpHeaders) =>
  ['x-ratelimit-remaining', 'ratelimit-remaining'].some((name) => readNumber(headers[name]) === 0);

/** Seconds, or a date. */
function readRetryAfter(
  value: string | undefined,
  headers: IncomingHttpHeaders,
  now: Date,
): number | undefined {
  const seconds = readNumber(value);
  if (seconds !== undefined) return seconds;
  return value === undefined ? undefined : secondsUntil(readDate(value), headers, now);
}

function readReset(headers: IncomingHttpHeaders, now: Date): number | undefined {
  const value = readNumber(headers['x-ratelimit-reset']) ?? readNumber(headers['ratelimit-reset']);
  if (value === undefined || value < SMALLEST_MOMENT) return value;
  return secondsUntil(value * 1000, headers, now);
}

/** By the host's own clock, which may differ from ours. */
function secondsUntil(moment: number | undefined, headers: IncomingHttpHeaders, now: Date) {
  return moment === undefined ? undefined : (moment - (readDate(headers.date) ?? now.getTime())) / 1000;
}

/** The time of the host's clock from its `Date` header. */
export function readHostTime(headers: IncomingHttpHeaders): Date | undefined {
  const moment = readDate(headers.date);
  return moment === undefined ? undefined : new Date(moment);
}

function readDate(value: string | undefined): number | undefined {
  const moment = /^[A-Z][a-z]{2,8}, .{1,30}$/.test(value ?? '') ? Date.parse(value!) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

function readNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : undefined;
}
