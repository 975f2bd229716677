import { readTime } from './dates.js';
import type { Someone } from './record.js';

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

/** Programs write the times of a JSON export, so an unreadable one is left out. */
const asTime = (value: unknown): string | null =>
  typeof value === 'string' ? (readTime(value.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')) ?? null) : null;

/** A JSON value of unknown shape; of several fields, the first with such a value counts. */
export class JsonValue {
  constructor(readonly raw: unknown) {}

  at(name: string): JsonValue {
    return new JsonValue(asObject(this.raw)[name]);
  }

  list(name: string): JsonValue[] {
    return asList(asObject(this.raw)[name]).map((item) => new JsonValue(item));
  }

  /** Of the value itself without names. */
  text(...names: string[]): string | null {
    return names.length === 0 ? asText(this.raw) : this.#first(names, asText);
  }

  number(...names: string[]): number | null {
    return this.#first(names, asNumber);
  }

  time(...names: string[]): string | null {
    return this.#first(names, asTime);
  }

  /** The names of labels, each a text or an object with a name. */
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

/** A card has one assignee; older exports name one instead of a list. */
export function readAssignees(issue: JsonValue, personOf: (value: JsonValue) => Someone | null) {
  const [first, ...others] = issue.list('assignees').flatMap((each) => personOf(each) ?? []);
  return { assignee: first ?? personOf(issue.at('assignee')), others };
}

export function readNumber(text: string | null): number | null {
  if (text === null || !/^\d{1,15}(?:[.,]\d{1,6})?$/.test(text.trim())) return null;
  return Number(text.trim().replace(',', '.'));
}

/** Labels such as `sprint: 12` for values that have no field, so that lists can be filtered by them. */
export const prefixLabels = (prefix: string, ...values: (string | null)[]): string[] =>
  values.flatMap((value) => (value === null || value.trim() === '' ? [] : `${prefix}: ${value.trim()}`));

/** Attachments stay where they are, and the card's text links them. */
export function writeAttachments(files: readonly { name: string | null; url: string | null }[]): string {
  if (files.length === 0) return '';
  const links = files.map(({ name, url }) => {
    const label = (name ?? url ?? 'file').replace(/[\s[\]]+/g, ' ').trim();
    return url !== null && /^https?:\/\/[^\s()]+$/i.test(url) ? `- [${label}](${url})` : `- ${label}`;
  });
  return ['### Attachments', '', ...links].join('\n');
}
