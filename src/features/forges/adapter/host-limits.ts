import type { IncomingHttpHeaders } from 'node:http';

/** Where a host says that it was too much and not until when. */
const USUAL_WAIT_SECONDS = 60;
/** Nobody is kept out for longer by what a host says. */
const LONGEST_WAIT_SECONDS = 24 * 60 * 60;
/** Numbers beyond are moments, those below are seconds from now: hosts mean either by the same header. */
const SMALLEST_MOMENT = 1_000_000_000;

/** When a host may be asked again after this answer; undefined where it says nothing of limits. */
export function readLimit(status: number, headers: IncomingHttpHeaders, now: Date): Date | undefined {
  const waits = readRetryAfter(headers['retry-after'], headers, now);
  const isLimit =
    status === 429 ||
    (status === 403 && (waits !== undefined || isUsedUp(headers))) ||
    (status === 503 && waits !== undefined);
  if (!isLimit) return undefined;
  const seconds = waits ?? readReset(headers, now) ?? USUAL_WAIT_SECONDS;
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

/** By the host's own clock, which need not go like ours. */
function secondsUntil(moment: number | undefined, headers: IncomingHttpHeaders, now: Date) {
  return moment === undefined ? undefined : (moment - (readDate(headers.date) ?? now.getTime())) / 1000;
}

function readDate(value: string | undefined): number | undefined {
  const moment = /^[A-Z][a-z]{2,8}, .{1,30}$/.test(value ?? '') ? Date.parse(value!) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

function readNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : undefined;
}
