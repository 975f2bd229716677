import {
  ACTIVE,
  type AgentIndex,
  asideCount,
  bodyCount,
  isPart,
  type TermLists,
  titleCount,
  ZONE_BITS,
} from './agent-index.js';
import type { QueryTerm } from './query-terms.js';

export const MATCHED = ['stem', 'part', 'prefix'] as const;

/** Every document that contains one of the terms, in any status. */
export interface Matches {
  documents: number[];
  /** Start of each document's hits, plus the end of the last. */
  starts: number[];
  terms: number[];
  /** 0 the word itself, 1 part of a name, 2 the start of a longer word. */
  matched: number[];
  inTitle: boolean[];
  weights: number[];
  /** Number of active documents with each term: as the word itself, also as part of a name, or in any way. */
  frequencies: number[][];
}

const ZONE_WEIGHTS = { title: 3, body: 1, aside: 0.4 };
const PART_WEIGHT = 1;

/** The weight of every combination of counts, computed once. */
const WEIGHTS = Float64Array.from(
  { length: 2 ** ZONE_BITS },
  (_, zones) =>
    ZONE_WEIGHTS.title * titleCount(zones) +
    ZONE_WEIGHTS.body * bodyCount(zones) +
    ZONE_WEIGHTS.aside * asideCount(zones),
);
const ZONES = 2 ** ZONE_BITS - 1;

/** Reads every document of the agent, so that the order is exact. */
export function findMatches(index: AgentIndex, terms: readonly QueryTerm[]): Matches {
  const { status, ids } = index.documents;
  const stemMarks = markTerms(index.stems, terms, ({ stem, others }) =>
    stem === undefined ? [] : [stem, ...others],
  );
  const wordMarks = markTerms(index.words, terms, ({ stem, word }) => (stem === undefined ? [word] : []));
  const beginnings = markBeginnings(index.words, terms);
  const scratch = createScratch(terms.length);
  const matches: Matches = {
    documents: [],
    starts: [0],
    terms: [],
    matched: [],
    inTitle: [],
    weights: [],
    frequencies: terms.map(() => [0, 0, 0]),
  };
  for (let number = 0; number < ids.list.length; number += 1) {
    if (status[number] === 0) continue;
    scratch.seen = 0;
    if (stemMarks) readMarked(index.stems, number, stemMarks, scratch);
    if (wordMarks) readMarked(index.words, number, wordMarks, scratch);
    if (beginnings) readBeginnings(index.words, number, beginnings, scratch);
    if (scratch.seen !== 0) keepHits(matches, number, scratch, status[number] === ACTIVE);
  }
  return matches;
}

interface Scratch {
  /** One bit for each term that the document has. */
  seen: number;
  weights: Float64Array;
  matched: Uint8Array;
  inTitle: Uint8Array;
}

const createScratch = (terms: number): Scratch => ({
  seen: 0,
  weights: new Float64Array(terms),
  matched: new Uint8Array(terms),
  inTitle: new Uint8Array(terms),
});

/** For every term of the agent, one bit for each query term that it matches; undefined when none matches. */
function markTerms(
  { terms: known }: TermLists,
  terms: readonly QueryTerm[],
  formsOf: (term: QueryTerm) => readonly string[],
): Uint16Array | undefined {
  let marks: Uint16Array | undefined;
  terms.forEach((term, i) => {
    for (const form of formsOf(term)) {
      const number = known.find(form);
      if (number < 0) continue;
      marks ??= new Uint16Array(known.list.length);
      marks[number] = marks[number]! | (1 << i);
    }
  });
  return marks;
}

function markBeginnings({ terms: known }: TermLists, terms: readonly QueryTerm[]): Uint16Array | undefined {
  const wanted = terms.flatMap(({ prefix, word }, i) => (prefix ? [{ word, bit: 1 << i }] : []));
  if (wanted.length === 0) return undefined;
  const marks = new Uint16Array(known.list.length);
  known.list.forEach((term, number) => {
    for (const { word, bit } of wanted) if (term.startsWith(word)) marks[number] = marks[number]! | bit;
  });
  return marks;
}

function readMarked(lists: TermLists, number: number, marks: Uint16Array, scratch: Scratch): void {
  const { entries, starts, counts } = lists;
  const start = starts[number]!;
  const end = start + counts[number]!;
  for (let i = start; i < end; i += 1) {
    const mark = marks[entries[i]! >>> ZONE_BITS]!;
    if (mark !== 0) addWhole(scratch, mark, entries[i]! & ZONES);
  }
}

function addWhole(scratch: Scratch, mark: number, zones: number): void {
  const weight = WEIGHTS[zones]!;
  if (weight === 0 && !isPart(zones)) return;
  for (let term = 0, rest = mark; rest !== 0; term += 1, rest >>>= 1) {
    if ((rest & 1) === 0) continue;
    const bit = 1 << term;
    if ((scratch.seen & bit) === 0) {
      scratch.seen |= bit;
      scratch.weights[term] = 0;
      scratch.matched[term] = 1;
      scratch.inTitle[term] = 0;
    }
    if (weight === 0) {
      if (scratch.matched[term] === 1) scratch.weights[term] = PART_WEIGHT;
      continue;
    }
    if (scratch.matched[term] === 1) scratch.weights[term] = 0;
    scratch.matched[term] = 0;
    scratch.weights[term] = scratch.weights[term]! + weight;
    if (titleCount(zones) > 0) scratch.inTitle[term] = 1;
  }
}

/** Prefixes count once, and only when the document lacks the word itself. */
function readBeginnings(lists: TermLists, number: number, marks: Uint16Array, scratch: Scratch): void {
  const { entries, starts, counts } = lists;
  const start = starts[number]!;
  const end = start + counts[number]!;
  const whole = scratch.seen;
  for (let i = start; i < end; i += 1) {
    const mark = marks[entries[i]! >>> ZONE_BITS]! & ~whole;
    if (mark === 0) continue;
    const inTitle = titleCount(entries[i]! & ZONES) > 0;
    for (let term = 0, rest = mark; rest !== 0; term += 1, rest >>>= 1) {
      if ((rest & 1) === 0) continue;
      const bit = 1 << term;
      if ((scratch.seen & bit) === 0) scratch.inTitle[term] = 0;
      scratch.seen |= bit;
      scratch.matched[term] = 2;
      if (inTitle) scratch.inTitle[term] = 1;
      scratch.weights[term] = scratch.inTitle[term] === 1 ? ZONE_WEIGHTS.title : ZONE_WEIGHTS.body;
    }
  }
}

function keepHits(matches: Matches, number: number, scratch: Scratch, active: boolean): void {
  matches.documents.push(number);
  for (let term = 0; term < matches.frequencies.length; term += 1) {
    if ((scratch.seen & (1 << term)) === 0) continue;
    matches.terms.push(term);
    matches.matched.push(scratch.matched[term]!);
    matches.inTitle.push(scratch.inTitle[term] === 1);
    matches.weights.push(scratch.weights[term]!);
    if (!active) continue;
    const counts = matches.frequencies[term]!;
    for (let way = scratch.matched[term]!; way < counts.length; way += 1) counts[way] = counts[way]! + 1;
  }
  matches.starts.push(matches.terms.length);
}

/** Shorter words have too many neighbors. */
const SHORTEST_GUESSED = 3;
const MOST_GUESSES = 5;

const allowedEdits = (length: number): number => (length < 6 ? 1 : 2);

/** The agent's words closest to a misspelled word, the most common first. */
export function guessWords(word: string, index: AgentIndex): string[] {
  if (word.length < SHORTEST_GUESSED) return [];
  const near = findNear(word, index);
  if (near.size === 0) return [];
  const uses = countUses(index, near);
  const alive = [...near.values()].filter(({ number }) => uses.has(number));
  const fewest = Math.min(...alive.map(({ edits }) => edits));
  return alive
    .filter(({ edits }) => edits === fewest)
    .sort((a, b) => uses.get(b.number)! - uses.get(a.number)! || (a.known < b.known ? -1 : 1))
    .slice(0, MOST_GUESSES)
    .map(({ known }) => known);
}

interface Near {
  number: number;
  known: string;
  edits: number;
}

function findNear(word: string, { words: { terms } }: AgentIndex): Map<number, Near> {
  const limit = allowedEdits(word.length);
  const letters = lettersOf(word);
  const near = new Map<number, Near>();
  terms.list.forEach((known, number) => {
    if (Math.abs(known.length - word.length) > limit) return;
    // Each edit adds or removes at most two letters, so this check skips most words cheaply.
    if (countBits(letters ^ lettersOf(known)) > limit * 2) return;
    const edits = editDistance(word, known, limit);
    if (edits <= limit) near.set(number, { number, known, edits });
  });
  return near;
}

/** A bit mask of a word's ASCII letters; some letters share a bit. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i += 1) {
    const code = word.charCodeAt(i);
    if (code < 128) letters |= 1 << (code & 31);
  }
  return letters;
}

function countBits(value: number): number {
  let count = 0;
  for (let rest = value >>> 0; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function countUses(
  { documents, words }: AgentIndex,
  wanted: ReadonlyMap<number, unknown>,
): Map<number, number> {
  const uses = new Map<number, number>();
  for (let document = 0; document < documents.ids.list.length; document += 1) {
    if (documents.status[document] !== ACTIVE) continue;
    const start = words.starts[document]!;
    const end = start + words.counts[document]!;
    for (let i = start; i < end; i += 1) {
      const word = words.entries[i]! >>> ZONE_BITS;
      if (wanted.has(word)) uses.set(word, (uses.get(word) ?? 0) + 1);
    }
  }
  return uses;
}

/**
 * Counts insertions, deletions, changes and swaps of adjacent letters. Returns `limit + 1` for anything above
 * `limit`.
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
