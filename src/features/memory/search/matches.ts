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

/** Every document that has one of the terms, whatever its status, with what it has of each. */
export interface Matches {
  documents: number[];
  /** Where the hits of each document begin; one more than there are documents. */
  starts: number[];
  terms: number[];
  /** 0 the word itself, 1 part of a name, 2 the beginning of a longer word. */
  matched: number[];
  inTitle: boolean[];
  weights: number[];
  /** In how many active documents each term stands: as the word itself, as that or a part of a name, in any way. */
  frequencies: number[][];
}

const ZONE_WEIGHTS = { title: 3, body: 1, aside: 0.4 };
const PART_WEIGHT = 1;

/** The weight of every combination of counts, so that none is worked out twice. */
const WEIGHTS = Float64Array.from(
  { length: 2 ** ZONE_BITS },
  (_, zones) =>
    ZONE_WEIGHTS.title * titleCount(zones) +
    ZONE_WEIGHTS.body * bodyCount(zones) +
    ZONE_WEIGHTS.aside * asideCount(zones),
);
const ZONES = 2 ** ZONE_BITS - 1;

/** Looks at every document of the agent: nothing is left out because there was enough already. */
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
  for (let number = 0; number < ids.size; number += 1) {
    if (status[number] === 0) continue;
    scratch.seen = 0;
    if (stemMarks) readMarked(index.stems, number, stemMarks, scratch);
    if (wordMarks) readMarked(index.words, number, wordMarks, scratch);
    if (beginnings) readBeginnings(index.words, number, beginnings, scratch);
    if (scratch.seen !== 0) keepHits(matches, number, scratch, status[number] === ACTIVE);
  }
  return matches;
}

/** What one document has of each term while it is being read. */
interface Scratch {
  /** A bit for every term the document has something of. */
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

/** For every term of the agent the questions it answers, one bit each; undefined when it is none. */
function markTerms(
  { terms: known }: TermLists,
  terms: readonly QueryTerm[],
  formsOf: (term: QueryTerm) => readonly string[],
): Uint16Array | undefined {
  let marks: Uint16Array | undefined;
  terms.forEach((term, i) => {
    for (const form of formsOf(term)) {
      const number = known.find(Buffer.from(form));
      if (number < 0) continue;
      marks ??= new Uint16Array(known.size);
      marks[number] = marks[number]! | (1 << i);
    }
  });
  return marks;
}

function markBeginnings({ terms: known }: TermLists, terms: readonly QueryTerm[]): Uint16Array | undefined {
  const wanted = terms.flatMap(({ prefix, word }, i) =>
    prefix ? [{ bytes: Buffer.from(word), bit: 1 << i }] : [],
  );
  if (wanted.length === 0) return undefined;
  const marks = new Uint16Array(known.size);
  for (let number = 0; number < known.size; number += 1) {
    for (const { bytes, bit } of wanted)
      if (known.beginsWith(number, bytes)) marks[number] = marks[number]! | bit;
  }
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

/** A word itself outweighs a part of a name, wherever that stands. */
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

/** Beginnings count only where the word itself is not, and once, however many words begin so. */
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
