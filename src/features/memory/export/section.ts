import { sha256Hex } from '../../../kernel/secrets.js';
import { BEGIN_MARKER, END_MARKER } from '../records/memory.record.js';

export interface ListedMemory {
  id: string;
  kind: string;
  title: string;
  body: string;
  description: string | null;
}

/** Where the line below a title comes from, so that a change of that line finds its way back. */
export type DetailOrigin = 'description' | 'body' | 'beginning' | 'same' | 'none';

/** One memory as it stands in the file. */
export interface Entry {
  id: string;
  title: string;
  detail: string;
  origin: DetailOrigin;
}

export interface Section {
  entries: Entry[];
  /** What it says, without the marks that the file needs around it. */
  told: string;
  /** The section as it stands in the file, under the digest that names this export. */
  text(digest: string): string;
}

export interface Room {
  bytes: number;
  lines: number;
}

const KINDS = ['decision', 'preference', 'pattern', 'learning', 'fact', 'summary'] as const;
const HEADINGS: Record<string, string> = {
  decision: 'Decisions',
  preference: 'Preferences',
  pattern: 'Patterns',
  learning: 'Learnings',
  fact: 'Facts',
  summary: 'Summaries',
};
const TITLE = '## What this agent remembers';
const INTRODUCTION =
  'Rewritten by Guildhall every hour. Change a line to correct a memory; delete a line to archive it.';
const NOTHING_YET = 'Nothing yet.';

/** From roomy to bare; titles are in every one of them. Few steps, so that a small change leaves the rest of the file alone. */
const DETAIL_LENGTHS = [400, 240, 140, 80, 0];

/**
 * The fullest form of the section that fits; the barest one when none does, since a listed title is never dropped. `leftOut`:
 * how many more memories there are.
 */
export function buildSection(memories: readonly ListedMemory[], room: Room, leftOut = 0): Section {
  const listed = memories.map(onLines).sort((a, b) => kindRank(a) - kindRank(b));
  for (const length of DETAIL_LENGTHS) {
    const section = layOut(listed, length, true, leftOut);
    if (fits(section.text(NO_DIGEST), room)) return section;
  }
  return layOut(listed, 0, false, leftOut);
}

const tellLeftOut = (leftOut: number): string =>
  leftOut === 1
    ? '1 memory is not listed here; search finds it.'
    : `${leftOut} memories are not listed here; search finds them.`;

const onLines = (memory: ListedMemory): ListedMemory => ({
  ...memory,
  title: oneLine(memory.title),
  body: oneLine(memory.body),
  description: memory.description && oneLine(memory.description),
});

const kindRank = ({ kind }: ListedMemory): number => KINDS.indexOf(kind as (typeof KINDS)[number]);

const fits = (text: string, room: Room): boolean =>
  Buffer.byteLength(text) <= room.bytes && text.split('\n').length <= room.lines;

function layOut(
  memories: readonly ListedMemory[],
  detailLength: number,
  headed: boolean,
  leftOut: number,
): Section {
  const entries = memories.map((memory) => toEntry(memory, detailLength));
  const lines: string[] = [];
  if (headed) lines.push(TITLE, '', INTRODUCTION);
  if (headed && entries.length === 0) lines.push('', NOTHING_YET);
  let heading: string | undefined;
  entries.forEach((entry, i) => {
    const { kind } = memories[i]!;
    if (headed && heading !== kind) lines.push('', `### ${HEADINGS[kind] ?? kind}`, '');
    heading = kind;
    lines.push(`- ${entry.title}`);
    if (entry.detail !== '') lines.push(`  ${entry.detail}`);
  });
  if (leftOut > 0) lines.push('', tellLeftOut(leftOut));
  return {
    entries,
    told: [BEGIN_MARKER, ...lines, END_MARKER].join('\n'),
    text: (digest) => [BEGIN_MARKER, digestLine(digest), ...lines, END_MARKER].join('\n'),
  };
}

function toEntry({ id, title, body, description }: ListedMemory, detailLength: number): Entry {
  const entry = (detail: string, origin: DetailOrigin): Entry => ({ id, title, detail, origin });
  if (description)
    return description.length <= detailLength ? entry(description, 'description') : entry('', 'none');
  if (repeats(title, body)) return entry('', 'same');
  if (body.length <= detailLength) return entry(body, 'body');
  return detailLength === 0
    ? entry('', 'none')
    : entry(`${body.slice(0, detailLength).toWellFormed().trimEnd()}…`, 'beginning');
}

const LABEL =
  /^(?:decision|preference|pattern|learning|lessons?(?: learned)?|fact|summary|(?:please )?remember(?: that)?|note(?: that)?|important|fyi|til)\s*[:,-]?\s+/i;
const bare = (text: string): string =>
  text
    .replace(LABEL, '')
    .replace(/[.!\s]+$/, '')
    .toLowerCase();

/** A body that only says its title again, with a label before it or a stop behind it, is not worth its line. */
const repeats = (title: string, body: string): boolean => bare(body) === bare(title);

/** One line, and nothing in it that a reader of the file could take for a marker. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\s\u0085]+/g, ' ')
    .trim()
    .replaceAll('<!--', '&lt;!--')
    .replaceAll('-->', '--&gt;');

const DIGEST_LENGTH = 12;
const NO_DIGEST = '0'.repeat(DIGEST_LENGTH);
const digestLine = (digest: string): string => `<!-- guildhall:export ${digest} -->`;
const DIGEST = /<!-- guildhall:export ([0-9a-f]{12}) -->/;

/** Names an export by what it lists and by the file it replaces: the same list put into another file is another export. */
export const digestOf = (entries: readonly Entry[], replaces: Buffer | undefined): string =>
  sha256Hex(`${sha256Hex(replaces ?? '')} ${fingerprint(entries)}`).slice(0, DIGEST_LENGTH);

export const listsTheSame = (a: readonly Entry[], b: readonly Entry[]): boolean =>
  fingerprint(a) === fingerprint(b);

const fingerprint = (entries: readonly Entry[]): string =>
  JSON.stringify(entries.map(({ id, title, detail, origin }) => [id, title, detail, origin]));

export interface FoundSection {
  /** Which export the section says it is; undefined when that line is gone. */
  digest: string | undefined;
  entries: { title: string; detail: string }[];
}

const BULLETS = ['-', '*', '+'];

/** Reads the section back, whatever a person did to it: an item is a bullet and a blank, what is indented below belongs to it. */
export function parseSection(text: string): FoundSection {
  const entries: FoundSection['entries'] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    const isItem = BULLETS.includes(line.charAt(0)) && isBlank(line.charAt(1)) && trimmed.length > 1;
    const last = entries.at(-1);
    if (isItem) entries.push({ title: trimmed.slice(1).trim(), detail: '' });
    else if (last && trimmed !== '' && isBlank(line.charAt(0)))
      last.detail = last.detail === '' ? trimmed : `${last.detail} ${trimmed}`;
  }
  return { digest: DIGEST.exec(text)?.[1], entries };
}

const isBlank = (character: string): boolean => character !== '' && character.trim() === '';
