import type { HostFeedback } from '../../builds/index.js';

export const LOG_LINES = 200;
export const MOST_CHECKS = 20;
export const MOST_COMMENTS = 100;
export const MOST_FILES = 200;
const LOG_BYTES = 64 * 1024;
const TEXT_BYTES = 8 * 1024;
const NAME_BYTES = 500;
const ALL_BYTES = 512 * 1024;
const LEAST_BYTES = 1024;
const CUT = '[cut] ';

/** Limits what is stored of a host's answer: the start of texts and the end of logs. */
export function limitSize(hostFeedback: HostFeedback): HostFeedback {
  const limited: HostFeedback = {
    ...hostFeedback,
    checks: hostFeedback.checks.slice(0, MOST_CHECKS).map(({ name, summary, log }) => ({
      name: beginning(name, NAME_BYTES),
      summary: summary && beginning(summary, TEXT_BYTES),
      log: log && ending(lastLines(clean(log)), LOG_BYTES),
    })),
    comments: hostFeedback.comments.slice(-MOST_COMMENTS).map(({ path, author, body, ...rest }) => ({
      ...rest,
      path: path && beginning(path, NAME_BYTES),
      author: beginning(author, NAME_BYTES),
      body: beginning(body, TEXT_BYTES),
    })),
    files: hostFeedback.files.slice(0, MOST_FILES).map((path) => beginning(path, NAME_BYTES)),
  };
  return shorten(limited);
}

/** Shortens all logs until the whole fits, then all other texts. */
function shorten(hostFeedback: HostFeedback): HostFeedback {
  let kept = hostFeedback;
  for (let bytes = LOG_BYTES / 2; sizeOf(kept) > ALL_BYTES && bytes >= LEAST_BYTES; bytes /= 2)
    kept = {
      ...kept,
      checks: kept.checks.map((check) => ({ ...check, log: check.log && ending(check.log, bytes) })),
    };
  for (let bytes = TEXT_BYTES / 2; sizeOf(kept) > ALL_BYTES && bytes >= LEAST_BYTES; bytes /= 2)
    kept = {
      ...kept,
      checks: kept.checks.map((check) => ({
        ...check,
        summary: check.summary && beginning(check.summary, bytes),
      })),
      comments: kept.comments.map((comment) => ({ ...comment, body: beginning(comment.body, bytes) })),
    };
  while (sizeOf(kept) > ALL_BYTES && kept.comments.length + kept.files.length > 0)
    kept = { ...kept, comments: kept.comments.slice(1), files: kept.files.slice(0, -1) };
  return kept;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-LOG_LINES).join('\n');

function beginning(text: string, bytes: number): string {
  const whole = clean(text);
  if (Buffer.byteLength(whole) <= bytes) return whole;
  return `${Buffer.from(whole)
    .subarray(0, bytes)
    .toString()
    .replace(/\uFFFD+$/, '')}\n[cut]`;
}

function ending(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return (
    CUT +
    Buffer.from(text)
      .subarray(-bytes)
      .toString()
      .replace(/^\uFFFD+/, '')
  );
}
