import { ForgeFailed } from './forge.js';

/** What a host says, taken for what it should be; text is cut, and holds nothing that a database does not take. */

export const LONGEST_NAME = 255;
export const LONGEST_TEXT = 64 * 1024;
export const LONGEST_ADDRESS = 2000;
/** Of an issue, the first of it. */
export const LONGEST_ISSUE = 1024 * 1024;

export type Thing = Readonly<Record<string, unknown>>;

const unreadable = () => new ForgeFailed('unreachable', 'The host answered something that cannot be read');

export function readThing(value: unknown): Thing {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  return value as Thing;
}

/** Where a host may also say nothing. */
export const readPart = (value: unknown): Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Thing) : {};

export function readList(value: unknown, most: number): Thing[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.slice(0, most).map(readThing);
}

export function readNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > 2_147_483_647)
    throw unreadable();
  return value;
}

export const readCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? Math.min(value, 2_147_483_647) : 0;

/** A line of a file; what is none is left out. */
export const readLine = (value: unknown): number | null => readCount(value) || null;

/** Identifiers may be longer than our numbers; they only go back into addresses. */
export function readId(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  throw unreadable();
}

/** Nothing becomes an empty text. */
export function readText(value: unknown, most: number = LONGEST_TEXT): string {
  if (typeof value !== 'string') return '';
  return cutText(value, most).replaceAll('\u0000', '').toWellFormed();
}

export const readTextOrNull = (value: unknown, most?: number): string | null => readText(value, most) || null;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

/** In one line, as names are. */
export const readName = (value: unknown, otherwise = ''): string =>
  readText(value, LONGEST_NAME).replace(CONTROLS, ' ').trim() || otherwise;

export function readDate(value: unknown): Date {
  const moment = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN;
  // Beyond these no database keeps it.
  if (Number.isNaN(moment) || Math.abs(moment) > 253_402_300_799_000) throw unreadable();
  return new Date(moment);
}

export const readDateOrNull = (value: unknown): Date | null => (value == null ? null : readDate(value));

export function readSha(value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/i.test(value)) throw unreadable();
  return value.toLowerCase();
}

export const readShaOrNull = (value: unknown): string | null =>
  value == null || value === '' ? null : readSha(value);

/** An address that a page may link to. */
export function readAddressOrNull(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS || !/^https?:\/\//i.test(value))
    return null;
  return URL.canParse(value) ? new URL(value).href : null;
}

/** No longer than a host takes; a character is not torn apart. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  const isTorn = /[\ud800-\udbff]/.test(text[end - 1]!) && /[\udc00-\udfff]/.test(text[end]!);
  return `${text.slice(0, isTorn ? end - 1 : end)}…`;
}

/** The same text, however a host ends its lines. */
export const isSameText = (one: string, other: string): boolean => plain(one) === plain(other);

const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
