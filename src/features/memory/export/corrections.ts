import { type DetailOrigin, type Entry, type FoundSection, oneLine } from './memory-file.js';

export interface Correction extends FileLine {
  entry: Entry;
}

/** A line of the file and its entry; undefined when a person added the line. */
export interface FileLine {
  entry: Entry | undefined;
  title: string;
  detail: string;
}

export interface PersonsEdits {
  /** All current lines in order. */
  lines: FileLine[];
  removed: Entry[];
}

type Found = FoundSection['entries'][number];

const LIKENESS = 0.35;
/** If more lines than this are missing, treat the file as reset rather than edited. */
const RESET_FROM = 10;
/** More new lines than this cannot be manual edits. */
const MOST_LINES = 200;

export interface Written {
  digest: string;
  entries: Entry[];
}

/** A person's edits of the section. Undefined when the section names another export or was not edited by hand. */
export function findEdits(
  { digest, entries: written }: Written,
  found: FoundSection,
): PersonsEdits | undefined {
  if (found.digest !== digest || found.entries.length > MOST_LINES) return undefined;
  if (found.entries.length === 0 && written.length > RESET_FROM) return undefined;
  const pairs = pairUp(written, found.entries);
  const entryOf = new Map([...pairs].map(([entry, now]) => [now, entry]));
  return {
    lines: found.entries.map((now) => ({ entry: entryOf.get(now), title: now.title, detail: now.detail })),
    removed: written.filter((entry) => !pairs.has(entry)),
  };
}

export const isCorrection = (line: FileLine): line is Correction =>
  line.entry !== undefined && (line.entry.title !== line.title || line.entry.detail !== line.detail);

/** Pairs unchanged lines first, then lines with one unchanged half, then similar lines, then lines in the same place. */
function pairUp(written: readonly Entry[], found: readonly Found[]): Map<Entry, Found> {
  const pairs = new Map<Entry, Found>();
  const taken = new Set<Found>();
  const take = (same: (entry: Entry, now: Found) => boolean) => {
    for (const entry of written) {
      if (pairs.has(entry)) continue;
      const now = found.find((candidate) => !taken.has(candidate) && same(entry, candidate));
      if (now) {
        pairs.set(entry, now);
        taken.add(now);
      }
    }
  };
  take((entry, now) => entry.title === now.title && entry.detail === now.detail);
  take((entry, now) => entry.title === now.title);
  take((entry, now) => entry.detail !== '' && entry.detail === now.detail);
  const piecesOf = rememberPieces();
  take((entry, now) => likeness(piecesOf(entry), piecesOf(now)) >= LIKENESS);
  pairByPlace(written, found, pairs, taken);
  return pairs;
}

/** Between two paired neighbors, the same number of new and old lines are rewrites. */
function pairByPlace(
  written: readonly Entry[],
  found: readonly Found[],
  pairs: Map<Entry, Found>,
  taken: Set<Found>,
): void {
  const entryOf = new Map([...pairs].map(([entry, now]) => [now, entry]));
  const gone = gaps(written, (entry) => pairs.get(entry));
  const fresh = gaps(found, (now) => (entryOf.has(now) ? now : undefined));
  for (const [after, entries] of gone) {
    const candidates = fresh.get(after) ?? [];
    if (candidates.length !== entries.length) continue;
    entries.forEach((entry, i) => {
      pairs.set(entry, candidates[i]!);
      taken.add(candidates[i]!);
    });
  }
}

/** Groups unpaired items by the paired item before them. */
function gaps<T>(items: readonly T[], anchor: (item: T) => Found | undefined): Map<Found | undefined, T[]> {
  const found = new Map<Found | undefined, T[]>();
  let last: Found | undefined;
  for (const item of items) {
    const stayed = anchor(item);
    if (stayed) last = stayed;
    else found.set(last, [...(found.get(last) ?? []), item]);
  }
  return found;
}

function likeness(left: Set<string>, right: Set<string>): number {
  let shared = 0;
  for (const piece of left) if (right.has(piece)) shared += 1;
  const all = left.size + right.size - shared;
  return all === 0 ? 0 : shared / all;
}

const COMPARED_LENGTH = 200;

function rememberPieces(): (line: { title: string; detail: string }) => Set<string> {
  const known = new Map<object, Set<string>>();
  return (line) => {
    const found = known.get(line) ?? pieces(`${line.title} ${line.detail}`.slice(0, COMPARED_LENGTH));
    known.set(line, found);
    return found;
  };
}

function pieces(text: string): Set<string> {
  const padded = `  ${text.toLowerCase()} `;
  return new Set(Array.from({ length: Math.max(0, padded.length - 2) }, (_, i) => padded.slice(i, i + 3)));
}

const ELLIPSIS = '…';

export interface MemoryText {
  title: string;
  body: string;
  description: string | null;
}

export function stillSays(entry: Entry, memory: MemoryText): boolean {
  if (oneLine(memory.title) !== entry.title) return false;
  switch (entry.origin) {
    case 'description':
      return oneLine(memory.description ?? '') === entry.detail;
    case 'body':
      return oneLine(memory.body) === entry.detail;
    case 'beginning':
      return oneLine(memory.body).startsWith(entry.detail.slice(0, -ELLIPSIS.length));
    case 'same':
    case 'none':
      return true;
  }
}

export function correctedFields({ entry, title, detail }: Correction, memory: MemoryText): MemoryText {
  const fields = { title: memory.title, body: memory.body, description: memory.description };
  if (title !== entry.title) {
    fields.title = title;
    if (entry.origin === 'same') fields.body = title;
  }
  if (detail === entry.detail) return fields;
  if (entry.origin === 'body' && detail !== '') fields.body = detail;
  else if (entry.origin === 'beginning' && detail !== '')
    fields.body = withNewBeginning(memory.body, entry.detail, detail);
  else if (entry.origin === 'description' || entry.origin === 'same' || entry.origin === 'none')
    fields.description = detail || null;
  return fields;
}

/** The entry of an edited line, for later edits. */
export function lineAfter({ entry, title, detail }: Correction): Entry {
  const origin = detail === entry.detail ? entry.origin : originAfter(entry.origin, detail);
  return { id: entry.id, title, detail, origin };
}

function originAfter(origin: DetailOrigin, detail: string): DetailOrigin {
  if (detail === '') return 'none';
  if (origin === 'beginning') return detail.endsWith(ELLIPSIS) ? 'beginning' : 'body';
  return origin === 'body' ? 'body' : 'description';
}

function withNewBeginning(body: string, before: string, after: string): string {
  if (!after.endsWith(ELLIPSIS)) return after;
  const rest = body
    .replace(/\s+/g, ' ')
    .trim()
    .slice(before.length - ELLIPSIS.length);
  return after.slice(0, -ELLIPSIS.length) + rest;
}
