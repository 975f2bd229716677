import { type Draft, type DraftRow, type Someone, UnreadableExport } from './record.js';

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export function asText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' ? String(value) : null;
}

export const asNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Times in JSON exports are written by programs, so an unreadable one is dropped without a note. */
const asTime = (value: unknown): string | null =>
  typeof value === 'string' ? (readTime(value.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')) ?? null) : null;

/** Methods with several names return the first that has a value of the right type. */
export class JsonValue {
  constructor(readonly raw: unknown) {}

  at(name: string): JsonValue {
    return new JsonValue(asObject(this.raw)[name]);
  }

  list(name: string): JsonValue[] {
    return asList(asObject(this.raw)[name]).map((item) => new JsonValue(item));
  }

  /** Reads the value itself when no names are given. */
  text(...names: string[]): string | null {
    return names.length === 0 ? asText(this.raw) : this.#first(names, asText);
  }

  number(...names: string[]): number | null {
    return this.#first(names, asNumber);
  }

  time(...names: string[]): string | null {
    return this.#first(names, asTime);
  }

  labels(): string[] {
    return this.list('labels').map((label) => label.text() ?? label.text('name') ?? '');
  }

  isPositive(name: string): boolean {
    return (this.number(name) ?? 0) > 0;
  }

  #first<T>(names: readonly string[], read: (value: unknown) => T | null): T | null {
    const fields = asObject(this.raw);
    for (const name of names) {
      const found = read(fields[name]);
      if (found !== null) return found;
    }
    return null;
  }
}

export const personNamed = (
  name: string | null,
  email: string | null,
  login: string | null,
): Someone | null => (name === null ? null : { name, email, login });

/** A card has one assignee, and older exports have one assignee instead of a list. */
export function readAssignees(issue: JsonValue, personOf: (value: JsonValue) => Someone | null) {
  const [first, ...others] = issue.list('assignees').flatMap((each) => personOf(each) ?? []);
  return { assignee: first ?? personOf(issue.at('assignee')), others };
}

export function readNumber(text: string | null): number | null {
  if (text === null || !/^\d{1,15}(?:[.,]\d{1,6})?$/.test(text.trim())) return null;
  return Number(text.trim().replace(',', '.'));
}

/** Makes labels such as `sprint: 12` from values without a field, so that lists can be filtered by them. */
export const prefixLabels = (prefix: string, ...values: (string | null)[]): string[] =>
  values.flatMap((value) => (value === null || value.trim() === '' ? [] : `${prefix}: ${value.trim()}`));

/** Attachments are not copied; the card's text links to them. */
export function writeAttachments(files: readonly { name: string | null; url: string | null }[]): string {
  if (files.length === 0) return '';
  const links = files.map(({ name, url }) => {
    const label = (name ?? url ?? 'file').replace(/[\s[\]]+/g, ' ').trim();
    return url !== null && /^https?:\/\/[^\s()]+$/i.test(url) ? `- [${label}](${url})` : `- ${label}`;
  });
  return ['### Attachments', '', ...links].join('\n');
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i;
/** `12/Mar/24 9:15 AM`, `12 Mar 2024` */
const NAMED =
  /^(\d{1,2})[/ .-]([a-z]{3})[a-z]*[/ .-](\d{4}|\d{2})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?$/i;
/** `Mar 12, 2024` */
const MONTH_FIRST =
  /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?$/i;
/** `Tue Mar 12 2024 09:15:00 GMT+0000 (GMT)`, as JavaScript's `Date` prints it. */
const BROWSER =
  /^[a-z]{3} ([a-z]{3}) (\d{1,2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT([+-]\d{4})(?: \([^)]{1,60}\))?$/i;
const SLASHED = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?$/i;

/** Returns ISO text, or undefined if the time is invalid or ambiguous. A time without a zone is UTC. */
export function readTime(text: string | null | undefined): string | undefined {
  const given = (text ?? '').trim();
  if (given === '' || given.length > 80) return undefined;
  const iso = ISO.exec(given);
  if (iso) return moment(+iso[1]!, +iso[2]!, +iso[3]!, iso.slice(4, 7), undefined, iso[7]);
  const named = NAMED.exec(given);
  if (named) return moment(year(named[3]!), monthOf(named[2]!), +named[1]!, named.slice(4, 7), named[7]);
  const first = MONTH_FIRST.exec(given);
  if (first) return moment(+first[3]!, monthOf(first[1]!), +first[2]!, first.slice(4, 7), first[7]);
  const browser = BROWSER.exec(given);
  if (browser)
    return moment(
      +browser[3]!,
      monthOf(browser[1]!),
      +browser[2]!,
      browser.slice(4, 7),
      undefined,
      browser[7],
    );
  const slashed = SLASHED.exec(given);
  return slashed ? readSlashed(slashed) : undefined;
}

/** A dotted date is day first; a slashed one is accepted only if one number is greater than 12. */
function readSlashed(found: RegExpExecArray): string | undefined {
  const [one, other] = [+found[1]!, +found[2]!];
  const time = found.slice(4, 7);
  if (found[0].includes('.') || one > 12) return moment(+found[3]!, other, one, time, found[7]);
  if (other > 12 || one === other) return moment(+found[3]!, one, other, time, found[7]);
  return undefined;
}

const year = (text: string): number => (text.length === 2 ? 2000 + +text : +text);
const monthOf = (name: string): number => MONTHS.indexOf(name.toLowerCase()) + 1;

function moment(
  years: number,
  month: number,
  day: number,
  [hours = '0', minutes = '0', seconds = '0']: (string | undefined)[],
  half?: string,
  zone = 'Z',
): string | undefined {
  const hour = half ? (+hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : +hours;
  if (years < 1 || month < 1 || month > 12 || hour > 23 || +minutes > 59 || +seconds > 59) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(years, month - 1, day);
  at.setUTCHours(hour, +minutes, +seconds);
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined;
  const moved = new Date(at.getTime() - offsetOf(zone));
  const shown = moved.getUTCFullYear();
  return shown < 1 || shown > 9999 ? undefined : moved.toISOString();
}

function offsetOf(zone: string): number {
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!found) return 0;
  const minutes = +found[2]! * 60 + +found[3]!;
  return (found[1] === '-' ? -1 : 1) * minutes * 60_000;
}

export interface JsonReader {
  /** Fields of the top-level object that may hold the list. */
  lists: readonly string[];
  /** Returns a draft or the reason why the item is skipped; `whole` is the object that holds the list. */
  toDraft(item: JsonValue, whole: JsonValue): Draft | string;
}

type JsonItem = { row: number; value: unknown; whole: JsonValue } | { row: number; reason: string };

export function* readJson(text: string, { lists, toDraft }: JsonReader): Generator<DraftRow> {
  for (const item of readItems(text, lists)) {
    const draft = 'reason' in item ? item.reason : toDraft(new JsonValue(item.value), item.whole);
    yield typeof draft === 'string' ? { row: item.row, reason: draft } : { row: item.row, draft };
  }
}

const NOTHING = new JsonValue(undefined);

function* readItems(text: string, lists: readonly string[]): Generator<JsonItem> {
  const start = text.trimStart();
  if (start === '') throw new UnreadableExport('The file is empty');
  if (start[0] !== '[' && start[0] !== '{')
    throw new UnreadableExport('The file is neither JSON nor a table');
  const whole = tryParse(text);
  if (whole.ok) {
    const fields = asObject(whole.value);
    const list = [whole.value, ...lists.map((name) => fields[name])].find(Array.isArray) ?? [whole.value];
    for (const [index, value] of list.entries())
      yield { row: index + 1, value, whole: new JsonValue(fields) };
    return;
  }
  const firstLine = tryParse(start.slice(0, endOf(start, 0)));
  if (start[0] === '[' || !firstLine.ok)
    throw new UnreadableExport(`The file is not valid JSON: ${whole.fault}`);
  yield* readLines(start);
}

function* readLines(text: string): Generator<JsonItem> {
  let row = 0;
  for (let at = 0; at < text.length; ) {
    const end = endOf(text, at);
    const line = text.slice(at, end).trim();
    at = end + 1;
    row += 1;
    if (line === '') continue;
    const parsed = tryParse(line);
    yield parsed.ok
      ? { row, value: parsed.value, whole: NOTHING }
      : { row, reason: `It is not valid JSON: ${parsed.fault}` };
  }
}

const endOf = (text: string, from: number): number => {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline;
};

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; fault: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, fault: (error as Error).message.slice(0, 120) };
  }
}
