import { readTime } from './dates.js';
import type { ImportRecord } from './record.js';

/** Reads a time; what says one and is none is told in the card's text. */
export function timeReader(notes: string[]) {
  return (label: string, text: string | null): string | null => {
    if (text === null) return null;
    const time = readTime(text);
    if (time === undefined) notes.push(`${label}: ${text}`);
    return time ?? null;
  };
}

export function readNumber(text: string | null): number | null {
  if (text === null || !/^\d{1,15}(?:[.,]\d{1,6})?$/.test(text.trim())) return null;
  return Number(text.trim().replace(',', '.'));
}

/** What no field of a card takes and lists can be filtered by: `sprint: 12`. */
export const labelsOf = (kind: string, ...names: (string | null)[]): string[] =>
  names.flatMap((name) => (name === null || name.trim() === '' ? [] : `${kind}: ${name.trim()}`));

/** A line of a list with a file or a page that stays where it is. */
export function writeLink(name: string | null, url: string | null): string {
  const called = (name ?? url ?? 'file').replace(/[\s[\]]+/g, ' ').trim();
  return url !== null && /^https?:\/\/[^\s()]+$/i.test(url) ? `- [${called}](${url})` : `- ${called}`;
}

/** `one, two`; `one; two` */
export const splitList = (cells: readonly string[]): string[] =>
  cells.flatMap((cell) => cell.split(/[,;\n]/)).map((label) => label.trim());

/** The texts and lists within a value of unknown shape. */
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

/** Times of a JSON export: what is none is left out, since programs wrote it. */
export const asTime = (value: unknown): string | null =>
  typeof value === 'string' ? (readTime(value.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')) ?? null) : null;

export type Draft = Partial<ImportRecord>;
