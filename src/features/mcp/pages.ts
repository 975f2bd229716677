import type { CursorCodec } from '../../kernel/cursor.js';
import { unprocessable } from '../../kernel/errors.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import type { Pagination, Route } from '../../platform/http/declaration/route.js';
import type { Arguments } from './operations.js';

/** About 8,000 tokens. */
export const ANSWER_BYTES = 32 * 1024;
/** Reserved for the line with the cursor. */
const CURSOR_BYTES = 4 * 1024;
const TEXT_BYTES = ANSWER_BYTES - CURSOR_BYTES;

/** A longer cursor contains only a digest of the arguments, and the caller must send them again. */
const LONGEST_CURSOR = CURSOR_BYTES - 512;

/** The state in a cursor: the arguments of the call, and how much of its answer was returned. */
export interface Position {
  args: Arguments;
  /** Additional arguments for this page. */
  on?: Arguments;
  /** Number of items to request when fewer than the caller's limit fit. */
  fewer?: number;
  /** Number of items already returned. */
  skip?: number;
  /** Number of characters already returned, and a digest of their text. */
  from?: number;
  of?: string;
}

/** The page fits with fewer items; requesting fewer makes the service's own cursor exact. */
export interface TooMany {
  fewer: number;
}

/** How a list is paged, and the argument that limits its size if it has one. */
export interface Listing {
  pagination: Pagination | undefined;
  size: string | undefined;
  /** Additional arguments for the first page. */
  begin?: Arguments;
}

/**
 * Prefers cursors: numbered pages skip items that move between them. A caller that names a page gets numbered
 * ones.
 */
export function listingOf(
  { pagination, query }: Pick<Route, 'pagination' | 'query'>,
  args: Arguments,
): Listing {
  if (pagination?.style !== 'page' || !pagination.cursor || args[pagination.parameter] !== undefined) {
    const names = (query as { properties?: object } | undefined)?.properties ?? {};
    return { pagination, size: 'limit' in names ? 'limit' : undefined };
  }
  const { cursor, items, size } = pagination;
  return { pagination: { style: 'cursor', items, ...cursor }, size, begin: { [cursor.parameter]: '' } };
}

/** `given`: the arguments that were sent with the cursor. */
export function readPosition(codec: CursorCodec, cursor: unknown, given: Arguments): Position {
  if (typeof cursor !== 'string') throw unprocessable('cursor must be a string');
  const position = codec.decode(cursor) as (Position & { given?: string }) | undefined;
  if (!position) throw unprocessable('cursor must be a cursor that this tool returned');
  if (position.given === undefined) return position;
  if (position.given !== digestOf(given))
    throw unprocessable('cursor must come with the same arguments as the call that it continues');
  return { ...position, args: given };
}

const digestOf = (args: Arguments): string =>
  sha256Hex(JSON.stringify(Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16);

/** Writes as much of the answer as fits, with a cursor for the rest. */
export function writePage(
  data: object,
  position: Position,
  { pagination, size }: Listing,
  codec: CursorCodec,
): string | TooMany {
  const answer = data as Record<string, unknown>;
  const key = listKey(answer, pagination);
  if (key === undefined) return writeText(writeYaml(data), position, codec);

  const { args, on, skip = 0 } = position;
  const rest = (answer[key] as unknown[]).slice(skip);
  const further = pagination && nextArguments(pagination, { ...args, ...on }, answer);
  const next = further && { args, on: { ...on, ...further } };
  const head = withoutKey(answer, pagination?.style === 'cursor' ? pagination.next : undefined);
  const write = (items: unknown[]) => writeYaml({ ...head, [key]: items });

  /** Splits a single long item as text, or the whole page when the other fields are too long. */
  const writeAsText = () => {
    const isLong = !fits(writeYaml({ [key]: rest.slice(0, 1) }));
    const after = isLong && rest.length > 1 ? { args, on, skip: skip + 1 } : next;
    return writeText(write(isLong ? rest.slice(0, 1) : rest), position, codec, after);
  };

  if (position.from !== undefined) return writeAsText();
  const whole = write(rest);
  if (fits(whole)) return next ? withCursor(whole, next, codec) : whole;

  const { text, count } = cutList(whole, key);
  if (pagination?.style === 'cursor' && size !== undefined && rest.length > 1)
    return { fewer: Math.max(count, 1) };
  if (count === 0) return writeAsText();
  if (pagination?.style === 'before') {
    const last = (rest[count - 1] as Record<string, unknown>)[pagination.from];
    return withCursor(text, { args, on: { ...on, [pagination.parameter]: last } }, codec);
  }
  return withCursor(text, { args, on, skip: skip + count }, codec);
}

const fits = (text: string): boolean => Buffer.byteLength(text) <= TEXT_BYTES;

/** Writes a text such as an export; `after`: the position that follows its end. */
export function writeText(text: string, position: Position, codec: CursorCodec, after?: Position): string {
  const { from = 0, of } = position;
  const end = (last: string) => (after ? withCursor(last, after, codec) : last);
  if (of === undefined && fits(text)) return end(text);
  const digest = sha256Hex(text).slice(0, 16);
  if (of !== undefined && of !== digest) {
    throw unprocessable('The answer has changed since this cursor was made; call again without it');
  }
  const rest = text.slice(from);
  if (fits(rest)) return end(rest);
  const part = cutToBytes(rest, TEXT_BYTES);
  return withCursor(`${part}\n`, { ...position, from: from + part.length, of: digest }, codec);
}

/** Cuts an answer that cannot continue. */
export const shorten = (text: string): string =>
  fits(text)
    ? text
    : `${cutToBytes(text, TEXT_BYTES)}\n# The answer is longer. Read the rest with a reading operation.\n`;

/**
 * Adds the cursor as the last line, which in YAML is one more key. The line break before it is not part of
 * the text.
 */
function withCursor(text: string, position: Position, codec: CursorCodec): string {
  const cursor = codec.encode(position);
  if (cursor.length <= LONGEST_CURSOR) return `${text}cursor: ${cursor}\n`;
  const { args, ...rest } = position;
  return `${text}# Continue with the same arguments and\ncursor: ${codec.encode({ ...rest, given: digestOf(args) })}\n`;
}

/** The list to page: the declared one, otherwise the only one in the answer. */
function listKey(data: Record<string, unknown>, pagination: Pagination | undefined): string | undefined {
  if (pagination?.items && Array.isArray(data[pagination.items])) return pagination.items;
  const lists = Object.keys(data).filter((key) => Array.isArray(data[key]));
  return lists.length === 1 ? lists[0] : undefined;
}

function nextArguments(
  pagination: Pagination,
  args: Arguments,
  data: Record<string, unknown>,
): Arguments | undefined {
  const items = (pagination.items === null ? undefined : data[pagination.items]) as
    | Record<string, unknown>[]
    | undefined;
  if (!items || items.length === 0) return undefined;
  switch (pagination.style) {
    case 'cursor': {
      const next = data[pagination.next];
      return next === null || next === undefined ? undefined : { [pagination.parameter]: next };
    }
    case 'page': {
      const page = Number(data['page'] ?? args['page'] ?? 1);
      const size = Number(data[pagination.size] ?? items.length);
      return page * size < Number(data['total']) ? { page: page + 1 } : undefined;
    }
    case 'before': {
      const total = data['total'];
      const whole = typeof total === 'number' ? items.length >= total : false;
      return whole ? undefined : { [pagination.parameter]: items.at(-1)![pagination.from] };
    }
  }
}

function withoutKey(data: Record<string, unknown>, key: string | undefined): Record<string, unknown> {
  if (key === undefined) return data;
  const { [key]: _left, ...rest } = data;
  return rest;
}

/**
 * Keeps as many items as fit with the other fields. An item is a line `  - ` and the deeper lines below it.
 */
function cutList(whole: string, key: string): { text: string; count: number } {
  const opening = `\n${key}:\n`;
  const found = `\n${whole}`.indexOf(opening);
  if (found === -1) return { text: whole, count: 0 };
  const listStart = found + opening.length - 1;
  const listEnd = listStart + whole.slice(listStart).search(/^(?! {2})/m);
  const rest = whole.slice(listEnd);
  let left = TEXT_BYTES - Buffer.byteLength(whole.slice(0, listStart)) - Buffer.byteLength(rest);
  let count = 0;
  let end = listStart;
  while (end < listEnd) {
    const next = whole.indexOf('\n  - ', end);
    const itemEnd = next === -1 || next >= listEnd ? listEnd : next + 1;
    left -= Buffer.byteLength(whole.slice(end, itemEnd));
    if (left < 0) break;
    count += 1;
    end = itemEnd;
  }
  return { text: whole.slice(0, end) + rest, count };
}

/** Cuts to at most this many bytes, at a line break if there is one near the end. */
function cutToBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text.slice(0, bytes)).subarray(0, bytes);
  // A split character decodes to a replacement character; it belongs to the next part.
  let part = buffer.toString('utf8').replace(/\uFFFD$/, '');
  while (!text.startsWith(part)) part = part.slice(0, -1);
  const lineEnd = part.lastIndexOf('\n');
  return lineEnd > part.length / 2 ? part.slice(0, lineEnd + 1) : part;
}
