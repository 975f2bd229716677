import type { CursorCodec } from '../../kernel/cursor.js';
import { unprocessable } from '../../kernel/errors.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import type { Pagination, Route } from '../../platform/http/declaration/route.js';
import type { Arguments } from './operations.js';

/** What an agent reads at once: about 8,000 tokens. */
export const ANSWER_BYTES = 32 * 1024;
/** Kept free for the line that says how it goes on. */
const CURSOR_BYTES = 4 * 1024;
const ROOM = ANSWER_BYTES - CURSOR_BYTES;

/** A longer one is told with a digest of the arguments, which then come along again. */
const LONGEST_CURSOR = CURSOR_BYTES - 512;

/** Where an answer goes on: the arguments of the call, and what of its answer has been told already. */
export interface Position {
  args: Arguments;
  /** What the page is asked for with beside them. */
  on?: Arguments;
  /** How many items the page is asked for, where fewer than the caller wished fit. */
  fewer?: number;
  /** Items of the list that were told. */
  skip?: number;
  /** Characters of the text that were told, and of which text. */
  from?: number;
  of?: string;
}

/** A page that would fit if it were asked for with fewer items: what goes on after it is then the service's own word. */
export interface TooMany {
  fewer: number;
}

/** How a list is asked for: its way of going on, and what it is asked for fewer items with, if it can be. */
export interface Listing {
  pagination: Pagination | undefined;
  size: string | undefined;
  /** What the first page is asked for with beside the arguments. */
  begin?: Arguments;
}

/** By cursor wherever the list knows one: numbered pages, unless one is named, lose what moves between them. */
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

/** `given`: the arguments that came with the cursor. */
export function readPosition(codec: CursorCodec, cursor: unknown, given: Arguments): Position {
  if (typeof cursor !== 'string') throw unprocessable('cursor must be a string');
  const position = codec.decode(cursor) as (Position & { given?: string }) | undefined;
  if (!position) throw unprocessable('cursor must be one that this tool answered');
  if (position.given === undefined) return position;
  if (position.given !== digestOf(given))
    throw unprocessable('cursor must come with the same arguments as the call that it continues');
  return { ...position, args: given };
}

const digestOf = (args: Arguments): string =>
  sha256Hex(JSON.stringify(Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16);

/** The answer to a call as text: as much as fits, and where it goes on. */
export function tellData(
  data: object,
  position: Position,
  { pagination, size }: Listing,
  codec: CursorCodec,
): string | TooMany {
  const answer = data as Record<string, unknown>;
  const key = listKey(answer, pagination);
  if (key === undefined) return tellText(writeYaml(data), position, codec);

  const { args, on, skip = 0 } = position;
  const rest = (answer[key] as unknown[]).slice(skip);
  const further = pagination && nextArguments(pagination, { ...args, ...on }, answer);
  const next = further && { args, on: { ...on, ...further } };
  const head = withoutKey(answer, pagination?.style === 'cursor' ? pagination.next : undefined);
  const write = (items: unknown[]) => writeYaml({ ...head, [key]: items });

  /** One item that is too long by itself, or all of them where it is the rest of the answer that is. */
  const tellAsText = () => {
    const isLong = !fits(writeYaml({ [key]: rest.slice(0, 1) }));
    const after = isLong && rest.length > 1 ? { args, on, skip: skip + 1 } : next;
    return tellText(write(isLong ? rest.slice(0, 1) : rest), position, codec, after);
  };

  if (position.from !== undefined) return tellAsText();
  const whole = write(rest);
  if (fits(whole)) return next ? goOn(whole, next, codec) : whole;

  const { text, told } = cutList(whole, key);
  if (pagination?.style === 'cursor' && size !== undefined && rest.length > 1)
    return { fewer: Math.max(told, 1) };
  if (told === 0) return tellAsText();
  if (pagination?.style === 'before') {
    const last = (rest[told - 1] as Record<string, unknown>)[pagination.from];
    return goOn(text, { args, on: { ...on, [pagination.parameter]: last } }, codec);
  }
  return goOn(text, { args, on, skip: skip + told }, codec);
}

const fits = (text: string): boolean => Buffer.byteLength(text) <= ROOM;

/** A text of its own, such as an export; `after`: what follows when it has been told. */
export function tellText(text: string, position: Position, codec: CursorCodec, after?: Position): string {
  const { from = 0, of } = position;
  const end = (last: string) => (after ? goOn(last, after, codec) : last);
  if (of === undefined && fits(text)) return end(text);
  const digest = sha256Hex(text).slice(0, 16);
  if (of !== undefined && of !== digest) {
    throw unprocessable('The answer has changed since this cursor was made; call again without it');
  }
  const rest = text.slice(from);
  if (fits(rest)) return end(rest);
  const part = cutToBytes(rest, ROOM);
  return goOn(`${part}\n`, { ...position, from: from + part.length, of: digest }, codec);
}

/** As much of a text as is read at once, where nothing goes on. */
export const shorten = (text: string): string =>
  fits(text)
    ? text
    : `${cutToBytes(text, ROOM)}\n# The answer is longer; what it tells of is read with a reading operation.\n`;

/** The last line says how it goes on; in a list it is one key more. The line break before it is no part of a text. */
function goOn(text: string, position: Position, codec: CursorCodec): string {
  const cursor = codec.encode(position);
  if (cursor.length <= LONGEST_CURSOR) return `${text}cursor: ${cursor}\n`;
  const { args, ...rest } = position;
  return `${text}# Continue with the same arguments and\ncursor: ${codec.encode({ ...rest, given: digestOf(args) })}\n`;
}

/** The list that the answer is about: the declared one, or its only one. */
function listKey(data: Record<string, unknown>, pagination: Pagination | undefined): string | undefined {
  if (pagination?.items && Array.isArray(data[pagination.items])) return pagination.items;
  const lists = Object.keys(data).filter((key) => Array.isArray(data[key]));
  return lists.length === 1 ? lists[0] : undefined;
}

/** What the next page is asked for with; undefined at the end. */
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

/** As many items of the written list as there is room for beside everything else. An item is a line `  - ` and the deeper ones below. */
function cutList(whole: string, key: string): { text: string; told: number } {
  const opening = `\n${key}:\n`;
  const found = `\n${whole}`.indexOf(opening);
  if (found === -1) return { text: whole, told: 0 };
  const listStart = found + opening.length - 1;
  const listEnd = listStart + whole.slice(listStart).search(/^(?! {2})/m);
  const rest = whole.slice(listEnd);
  let room = ROOM - Buffer.byteLength(whole.slice(0, listStart)) - Buffer.byteLength(rest);
  let told = 0;
  let end = listStart;
  while (end < listEnd) {
    const next = whole.indexOf('\n  - ', end);
    const itemEnd = next === -1 || next >= listEnd ? listEnd : next + 1;
    room -= Buffer.byteLength(whole.slice(end, itemEnd));
    if (room < 0) break;
    told += 1;
    end = itemEnd;
  }
  return { text: whole.slice(0, end) + rest, told };
}

/** The longest beginning of at most so many bytes that ends with a line where one ends in its last part. */
function cutToBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text.slice(0, bytes)).subarray(0, bytes);
  // A character that was cut in two decodes to a replacement; it belongs to the next part.
  let part = buffer.toString('utf8').replace(/\uFFFD$/, '');
  while (!text.startsWith(part)) part = part.slice(0, -1);
  const lineEnd = part.lastIndexOf('\n');
  return lineEnd > part.length / 2 ? part.slice(0, lineEnd + 1) : part;
}
