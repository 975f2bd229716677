import type { Importance } from '../records/memory.record.js';

export const LEARNED_KINDS = ['decision', 'learning', 'pattern', 'preference', 'fact', 'summary'] as const;
export type LearnedKind = (typeof LEARNED_KINDS)[number];

/** A memory as an extractor proposes it. */
export interface Extracted {
  kind: LearnedKind;
  title: string;
  body: string;
  description: string | null;
  tags: string[];
  confidence: number;
  importance: Importance;
  /** The words of the conversation it rests on. */
  excerpt: string;
}

export const TITLE_LENGTH = 500;
export const DESCRIPTION_LENGTH = 200;
export const BODY_LENGTH = 1_048_576;

/** Cut at a word, never inside a character. */
export function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const cut = line
    .slice(0, length - 1)
    .toWellFormed()
    .replaceAll('\uFFFD', '');
  const space = cut.lastIndexOf(' ');
  return `${(space > length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
