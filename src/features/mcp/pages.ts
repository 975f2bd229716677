import type { Pagination } from '../../http/route.js';
import { writeYaml } from '../../http/yaml.js';
import type { CursorCodec } from '../../kernel/cursor.js';
import { unprocessable } from '../../kernel/errors.js';
import { sha256Hex } from '../../kernel/secrets.js';
import type { Arguments } from './arguments.js';

/** What an agent reads at once: about 8,000 tokens. */
export const ANSWER_BYTES = 32 * 1024;
/** Kept free for the line that says how it goes on. */
const CURSOR_BYTES = 4 * 1024;
const ROOM = ANSWER_BYTES - CURSOR_BYTES;

/** Where an answer goes on: the arguments of the call, and what of its answer has been told already. */
export interface Position {
  args: Arguments;
  /** Items of the list that were told. */
  skip?: number;
  /** Characters of the text that were told, and of which text. */
  from?: number;
  of?: string;
}

export function readPosition(codec: CursorCodec, cursor: string): Position {
  const position = codec.decode(cursor) as Position | undefined;
  if (!position) throw unprocessable('cursor must be one that this tool answered');
  return position;
}

/** The answer to a call as text: as much as fits, and where it goes on. */
export function tellData(
  data: object,
  position: Position,
  pagination: Pagination | undefined,
  codec: CursorCodec,
): string {
  const answer = data as Record<string, unknown>;
  const key = listKey(answer, pagination);
  if (key === undefined || position.from !== undefined) return tellText(writeYaml(data), position, codec);

  const skip = position.skip ?? 0;
  const all = answer[key] as unknown[];
  const rest = skip === 0 ? all : all.slice(skip);
  const next = pagination && nextArguments(pagination, position.args, answer);
  const head = withoutKey(answer, pagination?.style === 'cursor' ? pagination.next : undefined);
  const whole = writeYaml({ ...head, [key]: rest });
  if (Buffer.byteLength(whole) <= ROOM) return next ? goOn(whole, { args: next }, codec) : whole;

  const { text, told } = cutList(whole, key);
  if (told === 0) return tellText(whole, position, codec);
  return goOn(text, { args: position.args, skip: skip + told }, codec);
}

/** A text of its own, such as an export. */
export function tellText(text: string, { args, from = 0, of }: Position, codec: CursorCodec): string {
  if (of === undefined && Buffer.byteLength(text) <= ROOM) return text;
  const digest = sha256Hex(text).slice(0, 16);
  if (of !== undefined && of !== digest) {
    throw unprocessable('The answer has changed since this cursor was made; call again without it');
  }
  const rest = text.slice(from);
  if (Buffer.byteLength(rest) <= ROOM) return rest;
  const part = cutToBytes(rest, ROOM);
  return goOn(`${part}\n`, { args, from: from + part.length, of: digest }, codec);
}

/** The last line says how it goes on; in a list it is one key more. The line break before it is no part of a text. */
const goOn = (text: string, position: Position, codec: CursorCodec): string =>
  `${text}cursor: ${codec.encode(position)}\n`;

/** The list that the answer is about: the declared one, or its only one. */
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
      return next === null || next === undefined ? undefined : { ...args, [pagination.parameter]: next };
    }
    case 'page': {
      const page = Number(data['page'] ?? args['page'] ?? 1);
      const size = Number(data[pagination.size] ?? items.length);
      return page * size < Number(data['total']) ? { ...args, page: page + 1 } : undefined;
    }
    case 'before': {
      const total = data['total'];
      const whole = typeof total === 'number' ? items.length >= total : false;
      return whole ? undefined : { ...args, [pagination.parameter]: items.at(-1)![pagination.from] };
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
