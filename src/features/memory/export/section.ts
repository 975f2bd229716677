import { sha256Hex } from '../../../kernel/secrets.js';
import { BEGIN_MARKER, END_MARKER } from './markers.js';

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
  text: string;
  entries: Entry[];
  digest: string;
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

/** The fullest form of the section that fits; the barest one when none does, since a listed title is never dropped. */
export function buildSection(memories: readonly ListedMemory[], room: Room): Section {
  const listed = [...memories].sort((a, b) => kindRank(a) - kindRank(b));
  let section = layOut(listed, DETAIL_LENGTHS[0]!, true);
  for (const length of DETAIL_LENGTHS) {
    section = layOut(listed, length, true);
    if (fits(section.text, room)) return section;
  }
  return layOut(listed, 0, false);
}

const kindRank = ({ kind }: ListedMemory): number => KINDS.indexOf(kind as (typeof KINDS)[number]);

const fits = (text: string, room: Room): boolean =>
  Buffer.byteLength(text) <= room.bytes && text.split('\n').length <= room.lines;

function layOut(memories: readonly ListedMemory[], detailLength: number, headed: boolean): Section {
  const entries = memories.map((memory) => toEntry(memory, detailLength));
  const digest = digestOf(entries);
  const lines = [BEGIN_MARKER, digestLine(digest)];
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
  lines.push(END_MARKER);
  return { text: lines.join('\n'), entries, digest };
}

function toEntry(memory: ListedMemory, detailLength: number): Entry {
  const title = oneLine(memory.title);
  const body = oneLine(memory.body);
  const entry = (detail: string, origin: DetailOrigin): Entry => ({ id: memory.id, title, detail, origin });
  if (memory.description) {
    const description = oneLine(memory.description);
    return description.length <= detailLength ? entry(description, 'description') : entry('', 'none');
  }
  if (body === title) return entry('', 'same');
  if (body.length <= detailLength) return entry(body, 'body');
  return detailLength === 0
    ? entry('', 'none')
    : entry(`${body.slice(0, detailLength).toWellFormed().trimEnd()}…`, 'beginning');
}

/** One line, and nothing in it that a reader of the file could take for a marker. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\s\u0085]+/g, ' ')
    .trim()
    .replaceAll('<!--', '&lt;!--')
    .replaceAll('-->', '--&gt;');

const digestOf = (entries: readonly Entry[]): string =>
  sha256Hex(JSON.stringify(entries.map(({ id, title, detail }) => [id, title, detail]))).slice(0, 12);

const digestLine = (digest: string): string => `<!-- guildhall:export ${digest} -->`;

export interface FoundSection {
  /** Which export the section says it is; undefined when that line is gone. */
  digest: string | undefined;
  entries: { title: string; detail: string }[];
}

/** Reads the section back, whatever a person did to it. */
export function parseSection(text: string): FoundSection {
  const entries: FoundSection['entries'] = [];
  for (const line of text.split(/\r?\n/)) {
    const title = /^[-*+]\s+(.*\S)\s*$/.exec(line)?.[1];
    const detail = /^\s+(.*\S)\s*$/.exec(line)?.[1];
    const last = entries.at(-1);
    if (title !== undefined) entries.push({ title, detail: '' });
    else if (detail !== undefined && last)
      last.detail = last.detail === '' ? detail : `${last.detail} ${detail}`;
  }
  return { digest: /<!-- guildhall:export ([0-9a-f]{12}) -->/.exec(text)?.[1], entries };
}
