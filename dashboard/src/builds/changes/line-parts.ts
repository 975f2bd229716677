import type { DiffFile, DiffLine, Hunk } from './diff.js';

/** A range of UTF-16 code units in a line. */
export type Range = readonly [from: number, to: number];

/** A token and its kind, such as keyword; the stylesheet sets its color. */
export type Coloured = readonly [from: number, to: number, colour: string];

export interface Part {
  text: string;
  colour: string | undefined;
  /** Whether it differs from the replaced or replacing line. */
  changed: boolean;
  /** Whether it is an invisible or reordering character, shown as its code point. */
  hidden: boolean;
}

/**
 * Control characters except the tab, and characters that can disguise text: bidirectional marks and
 * overrides, zero-width characters and soft hyphens.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff]/g;

const numberOf = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A trailing carriage return belongs to the line ending. */
export const endsCrlf = (text: string): boolean => text.endsWith('\r');
const bodyOf = (text: string): string => (endsCrlf(text) ? text.slice(0, -1) : text);

/** The distinct hidden characters in a file's path and added lines. */
export function findHidden({ path, hunks }: DiffFile): string[] {
  const found = new Set<string>(path.match(HIDDEN)?.map(numberOf));
  for (const { lines } of hunks)
    for (const { kind, text } of lines)
      if (kind === 'added') for (const each of bodyOf(text).match(HIDDEN) ?? []) found.add(numberOf(each));
  return [...found].sort();
}

/** Splits a line into parts; hidden characters are shown as code points. */
export function partsOf(
  text: string,
  changed: readonly Range[] = [],
  colours: readonly Coloured[] = [],
): Part[] {
  const body = bodyOf(text);
  const parts: Part[] = [];
  const add = (from: number, to: number, rest: Pick<Part, 'changed' | 'colour'>) => {
    let at = from;
    for (const match of body.slice(from, to).matchAll(HIDDEN)) {
      const place = from + match.index;
      if (place > at) parts.push({ ...rest, text: body.slice(at, place), hidden: false });
      parts.push({ ...rest, text: numberOf(match[0]), hidden: true });
      at = place + 1;
    }
    if (at < to) parts.push({ ...rest, text: body.slice(at, to), hidden: false });
  };
  const edges = new Set([0, body.length]);
  for (const [from, to] of [...changed, ...colours]) edges.add(from).add(to);
  const cuts = [...edges].filter((edge) => edge <= body.length).sort((a, b) => a - b);
  let [word, colour] = [0, 0];
  for (const [index, from] of cuts.entries()) {
    const to = cuts[index + 1];
    if (to === undefined) break;
    while (changed[word] && changed[word]![1] <= from) word += 1;
    while (colours[colour] && colours[colour]![1] <= from) colour += 1;
    const painted = colours[colour];
    add(from, to, {
      changed: (changed[word]?.[0] ?? Infinity) <= from,
      colour: painted && painted[0] <= from ? painted[2] : undefined,
    });
  }
  return parts;
}

/** Consecutive removed lines followed by the added lines that replace them. */
interface Run {
  start: number;
  removed: DiffLine[];
  added: DiffLine[];
}

function runsOf(lines: DiffLine[]): Run[] {
  const runs: Run[] = [];
  let at = 0;
  while (at < lines.length) {
    const start = at;
    while (lines[at]?.kind === 'removed') at += 1;
    const middle = at;
    while (lines[at]?.kind === 'added') at += 1;
    if (at === start) at += 1;
    else runs.push({ start, removed: lines.slice(start, middle), added: lines.slice(middle, at) });
  }
  return runs;
}

/** Limit on the cost of comparing two lines; longer lines are not compared. */
const MOST_STEPS = 40_000;
/** Lines that share less than this are treated as unrelated. */
const LEAST_ALIKE = 0.3;

/** Longest common subsequence as pairs of indexes. */
function matchUp(a: readonly string[], b: readonly string[]): [number, number][] | undefined {
  if (a.length * b.length > MOST_STEPS) return undefined;
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] =
        a[i] === b[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length)
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i += 1;
    else j += 1;
  return pairs;
}

const wordsOf = (text: string): string[] => bodyOf(text).match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

function rangesBut(words: string[], kept: ReadonlySet<number>): Range[] {
  const ranges: [number, number][] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    const end = at + word.length;
    const last = ranges.at(-1);
    if (!kept.has(index)) {
      if (last?.[1] === at) last[1] = end;
      else ranges.push([at, end]);
    }
    at = end;
  }
  return ranges;
}

/** Ranges of changed words in replaced lines; none for lines that share almost nothing. */
export function changedWords({ lines }: Hunk): Map<DiffLine, Range[]> {
  const found = new Map<DiffLine, Range[]>();
  for (const { removed, added } of runsOf(lines)) {
    if (removed.length !== added.length) continue;
    for (const [at, before] of removed.entries()) {
      const after = added[at]!;
      const [a, b] = [wordsOf(before.text), wordsOf(after.text)];
      const pairs = matchUp(a, b);
      if (!pairs) continue;
      const alike = pairs.reduce((sum, [i]) => sum + (a[i]!.trim() ? a[i]!.length : 0), 0);
      if (alike < LEAST_ALIKE * Math.max(before.text.trim().length, after.text.trim().length)) continue;
      found.set(before, rangesBut(a, new Set(pairs.map(([i]) => i))));
      found.set(after, rangesBut(b, new Set(pairs.map(([, j]) => j))));
    }
  }
  return found;
}

const withoutBlanks = ({ text }: DiffLine): string => text.replace(/\s+/g, '');

export function ignoreBlanks(file: DiffFile): DiffFile {
  const hunks = file.hunks.map((hunk) => ({ ...hunk, lines: sameButBlanks(hunk.lines) })).filter(isChanged);
  const count = (kind: DiffLine['kind']) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return { ...file, hunks, insertions: count('added'), deletions: count('removed') };
}

const isChanged = ({ lines }: Hunk): boolean =>
  lines.some(({ kind }) => kind === 'added' || kind === 'removed');

function sameButBlanks(lines: DiffLine[]): DiffLine[] {
  const shown: DiffLine[] = [];
  let at = 0;
  for (const { start, removed, added } of runsOf(lines)) {
    shown.push(...lines.slice(at, start));
    at = start + removed.length + added.length;
    const pairs = matchUp(removed.map(withoutBlanks), added.map(withoutBlanks)) ?? [];
    let [i, j] = [0, 0];
    for (const [before, after] of [...pairs, [removed.length, added.length] as const]) {
      shown.push(...removed.slice(i, before), ...added.slice(j, after));
      const [old, next] = [removed[before], added[after]];
      if (old && next) shown.push({ kind: 'same', text: next.text, old: old.old, new: next.new });
      [i, j] = [before + 1, after + 1];
    }
  }
  shown.push(...lines.slice(at));
  return shown;
}

export interface Side {
  old: DiffLine | undefined;
  new: DiffLine | undefined;
}

export function splitLines(lines: DiffLine[]): Side[] {
  const rows: Side[] = [];
  let at = 0;
  const plain = (until: number) => {
    for (const line of lines.slice(at, until)) rows.push({ old: line, new: line });
  };
  for (const { start, removed, added } of runsOf(lines)) {
    plain(start);
    at = start + removed.length + added.length;
    for (let row = 0; row < Math.max(removed.length, added.length); row++)
      rows.push({ old: removed[row], new: added[row] });
  }
  plain(lines.length);
  return rows;
}

const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A hash of a file's changes that ignores their line numbers. */
export function digestOf({ hunks, mode, kind }: DiffFile): string {
  let hash = FNV_START;
  const take = (text: string) => {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  };
  take(`${kind}${mode ?? ''}`);
  for (const { lines } of hunks) for (const line of lines) take(`${line.kind}${line.text}\n`);
  return (hash >>> 0).toString(36);
}
