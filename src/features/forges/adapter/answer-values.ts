import { ForgeFailed, type Issue, type IssuePerson } from './forge.js';

/**
 * Reads the values of a host's answer: throws on a wrong type, cuts text, and removes what PostgreSQL cannot
 * store.
 */

export const LONGEST_NAME = 255;
export const LONGEST_TEXT = 64 * 1024;
export const LONGEST_ADDRESS = 2000;
export const LONGEST_ISSUE = 1024 * 1024;

export type JsonObject = Readonly<Record<string, unknown>>;

const unreadable = () => new ForgeFailed('unreachable', 'The repository host gave an unexpected answer');

export function readObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  return value as JsonObject;
}

export const readObjectOrEmpty = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

export function readList(value: unknown, most: number): JsonObject[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.slice(0, most).map(readObject);
}

export function readNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > 2_147_483_647)
    throw unreadable();
  return value;
}

export const readCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? Math.min(value, 2_147_483_647) : 0;

export const readLine = (value: unknown): number | null => readCount(value) || null;

/** Kept as text, because an id can exceed a PostgreSQL integer and is only used in later requests. */
export function readId(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  throw unreadable();
}

export function readText(value: unknown, most: number = LONGEST_TEXT): string {
  if (typeof value !== 'string') return '';
  return cutText(value, most).replaceAll('\u0000', '').toWellFormed();
}

export const readTextOrNull = (value: unknown, most?: number): string | null => readText(value, most) || null;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

export const readName = (value: unknown, otherwise = ''): string =>
  readText(value, LONGEST_NAME).replace(CONTROLS, ' ').trim() || otherwise;

export function readDate(value: unknown): Date {
  const moment = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN;
  // The end of the year 9999; later dates do not fit the usual ISO format.
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

/** Accepts only http and https, because pages link to the address. */
export function readAddressOrNull(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS || !/^https?:\/\//i.test(value))
    return null;
  return URL.canParse(value) ? new URL(value).href : null;
}

/** Cuts to a host's limit without splitting a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  const isTorn = /[\ud800-\udbff]/.test(text[end - 1]!) && /[\udc00-\udfff]/.test(text[end]!);
  return `${text.slice(0, isTorn ? end - 1 : end)}…`;
}

/** Ignores line endings and outer whitespace, which hosts change. */
export const isSameText = (one: string, other: string): boolean => plain(one) === plain(other);

const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();

const MOST_ASSIGNEES = 50;
const MOST_LABELS = 100;

export const readIssueBasics = (issue: JsonObject) => ({
  title: readName(issue['title']),
  labels: readLabels(issue['labels']),
  milestone: readName(readObjectOrEmpty(issue['milestone'])['title']) || null,
  createdAt: readDate(issue['created_at']),
  updatedAt: readDate(issue['updated_at']),
  closedAt: readDateOrNull(issue['closed_at']),
});

function readLabels(value: unknown): Issue['labels'] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, MOST_LABELS)
    .map((label) => readName(typeof label === 'string' ? label : readObjectOrEmpty(label)['name']))
    .filter((name) => name !== '');
}

/** Older hosts send one assignee instead of a list. */
export function readAssignees(issue: JsonObject, loginField: string, emailField: string): IssuePerson[] {
  const { assignees, assignee } = issue;
  const people = Array.isArray(assignees) && assignees.length > 0 ? assignees : [assignee];
  return people.slice(0, MOST_ASSIGNEES).flatMap((value) => {
    const person = readObjectOrEmpty(value);
    const login = readName(person[loginField]);
    return login === '' ? [] : { name: login, login, email: readName(person[emailField]) || null };
  });
}

export const readRemark = (remark: JsonObject, author: string, writtenAt = remark['created_at']) => ({
  author,
  body: readText(remark['body']),
  at: readDate(writtenAt).toISOString(),
});
