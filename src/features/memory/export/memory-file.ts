import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '../../../kernel/secrets.js';
import { replaceFile } from '../../../platform/files/atomic-file.js';
import { BEGIN_MARKER, END_MARKER } from '../records/memory.record.js';

/** A file split at its marked section, as bytes because the rest need not be UTF-8. */
export interface MemoryFile {
  before: Buffer;
  /** Undefined when the file has no section yet. */
  section: string | undefined;
  after: Buffer;
}

const BEGIN = Buffer.from(BEGIN_MARKER);
const END = Buffer.from(END_MARKER);

/** The first end marker after a begin marker closes the section. A lone marker is text. */
export function splitFile(content: Buffer): MemoryFile {
  let from = 0;
  for (;;) {
    const end = content.indexOf(END, from);
    if (end < 0) return { before: content, section: undefined, after: Buffer.alloc(0) };
    const begin = content.subarray(from, end).lastIndexOf(BEGIN);
    const stop = end + END.length;
    if (begin >= 0) {
      return {
        before: content.subarray(0, from + begin),
        section: content.toString('utf8', from + begin, stop),
        after: content.subarray(stop),
      };
    }
    from = stop;
  }
}

const NEWLINE = Buffer.from('\n');

export function joinFile({ before, section, after }: MemoryFile, text: string): Buffer {
  if (section !== undefined) return Buffer.concat([before, Buffer.from(text), after]);
  if (before.length === 0) return Buffer.from(`${text}\n`);
  const gap = before.at(-1) === 0x0a ? NEWLINE : Buffer.from('\n\n');
  return Buffer.concat([before, gap, Buffer.from(text), NEWLINE]);
}

export const sizeAround = ({ before, after }: MemoryFile): { bytes: number; lines: number } => ({
  bytes: before.length + after.length,
  lines: countLines(before) + countLines(after),
});

const countLines = (bytes: Buffer): number => {
  let lines = bytes.length === 0 ? 0 : 1;
  for (const byte of bytes) if (byte === 0x0a) lines += 1;
  return lines;
};

export interface MemoryFiles {
  read(agentId: string): Promise<Buffer | undefined>;
  /** Replaces the file. Returns false, without a change, when the file changed since it was read. */
  put(agentId: string, change: { replaces: Buffer | undefined; content: Buffer }): Promise<boolean>;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const LARGEST_FILE = 16 * 1024 * 1024;

/** `<agents_dir>/<agent_id>/MEMORY.md`, readable by the service only. */
export function memoryFiles(agentsDir: string): MemoryFiles {
  const pathOf = (agentId: string) => join(agentsDir, agentId, 'MEMORY.md');
  return {
    read: (agentId) => readPrivately(pathOf(agentId)),

    async put(agentId, { replaces, content }) {
      const path = pathOf(agentId);
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      await keepPrivate(dirname(path), FOLDER_MODE);
      let isThere = false;
      const replaced = await replaceFile(path, content, {
        mode: FILE_MODE,
        async stillWanted() {
          const present = await readPrivately(path);
          isThere = present?.equals(content) ?? false;
          return !isThere && isSame(present, replaces);
        },
      });
      if (replaced) await removeLeftovers(path).catch(() => undefined);
      return replaced || isThere;
    },
  };
}

const isSame = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);

/** Links are not followed: one could lead to another agent's file, whose lines would become memories. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function readPrivately(path: string): Promise<Buffer | undefined> {
  const file = await open(path, READ_ONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const { size, mode } = await file.stat();
    if (size > LARGEST_FILE) throw new Error(`MEMORY.md has ${size} bytes; ${LARGEST_FILE} are the most`);
    if (mode & ~FILE_MODE & 0o777) await file.chmod(FILE_MODE).catch(() => undefined);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Earlier versions created the folder readable for everyone. A folder of another owner stays as it is. */
async function keepPrivate(folder: string, mode: number): Promise<void> {
  if ((await stat(folder)).mode & ~mode & 0o777) await chmod(folder, mode).catch(() => undefined);
}

const LEFTOVER_MS = 10 * 60 * 1000;

/** Removes temporary files of interrupted exports. A recent one may still be in use. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'),
  );
  // Use the file system's clock, which may differ from ours.
  const { ctimeMs: now } = await stat(path);
  for (const name of names) {
    const leftover = join(folder, name);
    const { mtimeMs } = await stat(leftover);
    if (now - mtimeMs > LEFTOVER_MS) await rm(leftover, { force: true });
  }
}

export interface ListedMemory {
  id: string;
  kind: string;
  title: string;
  body: string;
  description: string | null;
}

/** The memory field shown below the title; an edit of that line changes this field. */
export type DetailOrigin = 'description' | 'body' | 'beginning' | 'same' | 'none';

export interface Entry {
  id: string;
  title: string;
  detail: string;
  origin: DetailOrigin;
}

export interface Section {
  entries: Entry[];
  /** The section without its digest. */
  plain: string;
  /** The section with the digest that names this export. */
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

/** Only a few lengths, so that a small change does not rewrite all lines. */
const DETAIL_LENGTHS = [400, 240, 140, 80, 0];

/**
 * The longest form of the section that fits. Titles are never dropped. `leftOut` is the number of memories that are not listed.
 */
export function buildSection(memories: readonly ListedMemory[], room: Room, leftOut = 0): Section {
  const listed = memories.map(onLines).sort((a, b) => kindRank(a) - kindRank(b));
  for (const length of DETAIL_LENGTHS) {
    const section = layOut(listed, length, true, leftOut);
    if (fits(section.text(NO_DIGEST), room)) return section;
  }
  return layOut(listed, 0, false, leftOut);
}

const describeLeftOut = (leftOut: number): string =>
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
  if (leftOut > 0) lines.push('', describeLeftOut(leftOut));
  return {
    entries,
    plain: [BEGIN_MARKER, ...lines, END_MARKER].join('\n'),
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

/** Names an export by its entries and by the file it replaces. */
export const digestOf = (entries: readonly Entry[], replaces: Buffer | undefined): string =>
  sha256Hex(`${sha256Hex(replaces ?? '')} ${fingerprint(entries)}`).slice(0, DIGEST_LENGTH);

export const listsTheSame = (a: readonly Entry[], b: readonly Entry[]): boolean =>
  fingerprint(a) === fingerprint(b);

const fingerprint = (entries: readonly Entry[]): string =>
  JSON.stringify(entries.map(({ id, title, detail, origin }) => [id, title, detail, origin]));

export interface FoundSection {
  /** The export that the section names; undefined when that line is missing. */
  digest: string | undefined;
  entries: { title: string; detail: string }[];
}

const BULLETS = ['-', '*', '+'];

/** Reads an edited section: an item is a bullet and a space, and indented lines below belong to it. */
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
