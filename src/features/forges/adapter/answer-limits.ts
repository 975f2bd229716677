import type { IncomingHttpHeaders } from 'node:http';

/** Used when the host does not say how long to wait. */
const USUAL_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 24 * 60 * 60;
/** Larger numbers are Unix times, smaller ones seconds from now; hosts use the same header for both. */
const SMALLEST_MOMENT = 1_000_000_000;

export function readLimit(status: number, headers: IncomingHttpHeaders, now: Date): Date | undefined {
  const waits = readRetryAfter(headers['retry-after'], headers, now);
  const isLimit =
    status === 429 ||
    (status === 403 && (waits !== undefined || isUsedUp(headers))) ||
    (status === 503 && waits !== undefined);
  return isLimit ? momentAfter(now, waits ?? readReset(headers, now)) : undefined;
}

export const readUsedUp = (headers: IncomingHttpHeaders, now: Date): Date | undefined =>
  isUsedUp(headers) ? momentAfter(now, readReset(headers, now)) : undefined;

function momentAfter(now: Date, seconds: number = USUAL_WAIT_SECONDS): Date {
  const bounded = Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT_SECONDS);
  return new Date(now.getTime() + bounded * 1000);
}

const isUsedUp = (headers: IncomingHttpHeaders) =>
  ['x-ratelimit-remaining', 'ratelimit-remaining'].some((name) => readNumber(headers[name]) === 0);

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

/** Uses the host's clock, which may differ from ours. */
function secondsUntil(moment: number | undefined, headers: IncomingHttpHeaders, now: Date) {
  return moment === undefined ? undefined : (moment - (readDate(headers.date) ?? now.getTime())) / 1000;
}

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

/** Far more than a hundred pull requests contain, and few enough to parse quickly. */
const MOST_MARKS = 100_000;
const DEEPEST = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Parsing a few megabytes of tiny JSON values would block the process for seconds. */
export class JsonBounds {
  #inText = false;
  #escaped = false;
  #depth = 0;
  #marks = 0;

  add(chunk: Buffer): boolean {
    for (const byte of chunk) {
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) this.#inText = true;
      else if (byte === COMMA) this.#marks += 1;
      else if (byte === 0x5b || byte === 0x7b) {
        this.#marks += 1;
        this.#depth += 1;
        if (this.#depth > DEEPEST) return false;
      } else if (byte === 0x5d || byte === 0x7d) this.#depth -= 1;
    }
    return this.#marks <= MOST_MARKS;
  }
}

/** Bytes kept from the end of a log, however long its lines are. */
const KEPT_BYTES = 256 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds the colors of a terminal
const COLORS = /\u001b\[[0-9;?]{0,30}[A-Za-z]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL rejects the first, and readers want none of them
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

export class LogTail {
  #kept: Buffer[] = [];
  #size = 0;
  #total = 0;

  constructor(readonly most: number) {}

  add(chunk: Buffer): boolean {
    this.#total += chunk.length;
    this.#kept.push(chunk);
    this.#size += chunk.length;
    while (this.#size - this.#kept[0]!.length >= KEPT_BYTES) this.#size -= this.#kept.shift()!.length;
    return this.#total <= this.most;
  }

  read(lines: number): string {
    const text = Buffer.concat(this.#kept).subarray(-KEPT_BYTES).toString('utf8');
    const plain = text.replaceAll('\r\n', '\n').replace(COLORS, '').replace(CONTROLS, '');
    const all = plain.replace(/\n$/, '').split('\n');
    return all.slice(-lines).join('\n');
  }
}
