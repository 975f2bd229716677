import { ACTIVE, type AgentIndex, type Documents, idOf, STATUSES } from './agent-index.js';
import { MATCHED, type Matches } from './matches.js';
import type { QueryTerm } from './query-terms.js';

export interface Ranking {
  findConfidence(number: number): number | undefined;
  terms: readonly QueryTerm[];
  /** Whether memories with every word of the query, or with any of them, come before all others. */
  wordsFirst: 'complete' | 'any' | 'no';
  limit: number;
  meaning: Meaning | undefined;
}

export interface Meaning {
  /** Returns the cosine similarity of each memory; undefined for a memory without a vector. */
  compare(): (number: number) => number | undefined;
  /** The lowest similarity of a memory without a shared word. */
  least: number;
}

interface TermScore {
  term: string;
  matched: (typeof MATCHED)[number];
  in_title: boolean;
  score: number;
}

export interface Ranked {
  id: string;
  /** 0 to 1, relative to the best match. */
  match: number;
  score: number;
  /** The share of the highest possible word score. */
  words: number;
  meaning: number | null;
  /** The share of the question's names that are in the title. */
  names: number;
  weights: typeof WEIGHTS;
  terms: TermScore[];
}

/** Measured on conversations: short documents need little length normalization. */
const K1 = 1.2;
const B = 0.4;
const ENTITY_BOOST = 1.5;
const PART_BOOST = 0.5;
/** The value of a match: the word itself, a part of a name, a prefix. */
const SHARES = [1, 0.8, 0.5];
const WEIGHTS = { words: 0.5, meaning: 1, names: 0.05 };
const WORDS_ALONE = { words: 1, meaning: 0, names: 0 };
/** The meaning of a memory without a vector is estimated from its words. */
const GUESSED_MEANING = { least: 0.2, perShare: 0.6 };
/** Scores within one percent are equal, so that importance and confidence decide. */
const WORD_STEPS = 100;
const MEANING_STEPS = 1000;

function inverseFrequency(documents: number, frequency: number): number {
  const known = Math.max(documents, frequency);
  return Math.log(1 + (known - frequency + 0.5) / (frequency + 0.5));
}

const boostOf = ({ entity, part }: QueryTerm): number => (part ? PART_BOOST : entity ? ENTITY_BOOST : 1);

interface Scale {
  terms: readonly QueryTerm[];
  asked: number;
  names: number;
  /** The value of each kind of match, by term. */
  weights: number[][];
  averageLength: number;
  /** The score of a memory that consists of exactly the query's words. */
  ideal: number;
}

interface Scored extends Candidate {
  /** Index in the matches, or -1. */
  place: number;
  words: number;
  meaning: number | undefined;
  weights: typeof WEIGHTS;
}

/** Best first. The order does not depend on the limit, because every memory is scored. */
export function rank(index: AgentIndex, matches: Matches, ranking: Ranking): Ranked[] {
  const { meaning: asked, wordsFirst } = ranking;
  const scale = scaleOf(index, matches, ranking.terms);
  const cosineOf = asked?.compare();
  const best = collectBest<Scored>(index, ranking.limit);
  const places = new Int32Array(index.documents.ids.list.length).fill(-1);
  matches.documents.forEach((number, place) => {
    places[number] = place;
  });
  for (let number = 0; number < places.length; number += 1) {
    const place = places[number]!;
    const meaning = cosineOf?.(number);
    if (place < 0 && (meaning === undefined || meaning < asked!.least)) continue;
    const words = place < 0 ? 0 : sharedWords(index, matches, scale, place);
    const tier = wordsFirst === 'no' ? 0 : tierOf(matches, scale, wordsFirst, place);
    const weights = !asked || (wordsFirst !== 'no' && tier === 0) ? WORDS_ALONE : WEIGHTS;
    const score =
      weights === WORDS_ALONE
        ? Math.exp(Math.round(Math.log(words) * WORD_STEPS) / WORD_STEPS)
        : Math.round(weigh(matches, scale, place, words, meaning) * MEANING_STEPS) / MEANING_STEPS;
    if (!best.admits(tier, score)) continue;
    const confidence = ranking.findConfidence(number);
    if (confidence !== undefined)
      best.offer({ number, tier, score, confidence, place, words, meaning, weights });
  }
  const highest = Math.max(Number.EPSILON, ...best.list().map(({ score }) => score));
  return best.list().map((scored) => describe(index, matches, scale, scored, highest));
}

function scaleOf(index: AgentIndex, matches: Matches, terms: readonly QueryTerm[]): Scale {
  const { status, length, ids } = index.documents;
  let documents = 0;
  let words = 0;
  for (let number = 0; number < ids.list.length; number += 1) {
    if (status[number] !== ACTIVE) continue;
    documents += 1;
    words += length[number]!;
  }
  const weightsOf = (term: QueryTerm, frequencies: readonly number[]) =>
    frequencies.map(
      (frequency, way) => boostOf(term) * SHARES[way]! * inverseFrequency(documents, frequency),
    );
  const mostOf = (term: QueryTerm, frequencies: readonly number[]) =>
    boostOf(term) * inverseFrequency(documents, frequencies.find((frequency) => frequency > 0) ?? 1);
  return {
    terms,
    asked: terms.filter(({ part }) => !part).length,
    names: terms.filter(({ entity }) => entity).length,
    weights: terms.map((term, i) => weightsOf(term, matches.frequencies[i]!)),
    averageLength: Math.max(1, words / Math.max(1, documents)),
    ideal: terms.reduce((sum, term, i) => sum + mostOf(term, matches.frequencies[i]!), 0) * (K1 + 1),
  };
}

function weigh(
  matches: Matches,
  scale: Scale,
  place: number,
  words: number,
  cosine: number | undefined,
): number {
  const meaning = cosine ?? GUESSED_MEANING.least + GUESSED_MEANING.perShare * words;
  return (
    WEIGHTS.words * words + WEIGHTS.meaning * meaning + WEIGHTS.names * sharedNames(matches, scale, place)
  );
}

function scoreHit(index: AgentIndex, matches: Matches, scale: Scale, place: number, hit: number): number {
  const length = index.documents.length[matches.documents[place]!]!;
  const frequency = matches.weights[hit]! / (1 - B + (B * length) / scale.averageLength);
  const saturated = (frequency * (K1 + 1)) / (frequency + K1);
  return scale.weights[matches.terms[hit]!]![matches.matched[hit]!]! * saturated;
}

function sharedWords(index: AgentIndex, matches: Matches, scale: Scale, place: number): number {
  let score = 0;
  for (let hit = matches.starts[place]!; hit < matches.starts[place + 1]!; hit += 1)
    score += scoreHit(index, matches, scale, place, hit);
  return score / scale.ideal;
}

function tierOf(matches: Matches, scale: Scale, wordsFirst: 'complete' | 'any', place: number): number {
  if (place < 0) return scale.asked === 1 || wordsFirst === 'any' ? 2 : 1;
  if (wordsFirst === 'any') return 0;
  let whole = 0;
  for (let hit = matches.starts[place]!; hit < matches.starts[place + 1]!; hit += 1)
    if (matches.matched[hit] === 0 && !scale.terms[matches.terms[hit]!]!.part) whole += 1;
  return whole === scale.asked ? 0 : 1;
}

function sharedNames(matches: Matches, scale: Scale, place: number): number {
  if (scale.names === 0 || place < 0) return 0;
  let shared = 0;
  for (let hit = matches.starts[place]!; hit < matches.starts[place + 1]!; hit += 1) {
    const named = matches.inTitle[hit]! && matches.matched[hit] === 0;
    if (named && scale.terms[matches.terms[hit]!]!.entity) shared += 1;
  }
  return shared / scale.names;
}

function describe(
  index: AgentIndex,
  matches: Matches,
  scale: Scale,
  { number, place, score, words, meaning, weights }: Scored,
  highest: number,
): Ranked {
  const terms: TermScore[] = [];
  const end = place < 0 ? 0 : matches.starts[place + 1]!;
  for (let hit = place < 0 ? 0 : matches.starts[place]!; hit < end; hit += 1) {
    terms.push({
      term: scale.terms[matches.terms[hit]!]!.word,
      matched: MATCHED[matches.matched[hit]!]!,
      in_title: matches.inTitle[hit]!,
      score: round(scoreHit(index, matches, scale, place, hit)),
    });
  }
  return {
    id: idOf(index, number),
    match: round(score / highest),
    score: round(score),
    words: round(words),
    meaning: meaning === undefined ? null : round(meaning),
    names: round(sharedNames(matches, scale, place)),
    weights,
    terms,
  };
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

export interface Returnable {
  /** 1-based positions in the list of kinds. */
  kinds: ReadonlySet<number>;
  now: Date;
}

export interface Candidate {
  number: number;
  /** A lower tier comes first, regardless of the score. */
  tier: number;
  score: number;
  confidence: number;
}

const LOWEST_CONFIDENCE = 0.3;
/** 1-based position in the levels of importance. */
const CRITICAL = 4;
const WEEK_MS = 7 * 24 * 3600 * 1000;

/** The confidence of a memory that may be returned, otherwise undefined. */
export function findReturnable(
  { documents }: AgentIndex,
  number: number,
  { kinds, now }: Returnable,
): number | undefined {
  if (documents.status[number] !== ACTIVE || !kinds.has(documents.kind[number]!)) return undefined;
  const confidence = confidenceOf(documents, number, now);
  return confidence < LOWEST_CONFIDENCE ? undefined : confidence;
}

/** Must equal `memory_confidence` in the database. */
function confidenceOf(documents: Documents, number: number, now: Date): number {
  const set = documents.confidence[number]! * 10_000;
  if (documents.importance[number] === CRITICAL) return roundHalfEven(set) / 10_000;
  const weeks = Math.max(0, now.getTime() - documents.verifiedAt[number]!) / WEEK_MS;
  return roundHalfEven(set * 0.98 ** weeks) / 10_000;
}

function roundHalfEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function collectBest<T extends Candidate>(index: AgentIndex, limit: number) {
  const best: T[] = [];
  const compare = (a: T, b: T) => a.tier - b.tier || b.score - a.score || compareEqual(index.documents, a, b);
  return {
    /** Whether a memory of this tier and score can still be among the best. */
    admits(tier: number, score: number): boolean {
      const last = best[limit - 1];
      return !last || tier < last.tier || (tier === last.tier && score >= last.score);
    },
    offer(candidate: T): void {
      if (best.length === limit) {
        if (compare(candidate, best[limit - 1]!) >= 0) return;
        best.pop();
      }
      let low = 0;
      for (let high = best.length; low < high; ) {
        const middle = (low + high) >>> 1;
        if (compare(best[middle]!, candidate) <= 0) low = middle + 1;
        else high = middle;
      }
      best.splice(low, 0, candidate);
    },
    list: (): readonly T[] => best,
  };
}

/** Orders equal matches by importance, then confidence, then the newest. */
function compareEqual(documents: Documents, a: Candidate, b: Candidate): number {
  return (
    documents.importance[b.number]! - documents.importance[a.number]! ||
    b.confidence - a.confidence ||
    documents.createdAt[b.number]! - documents.createdAt[a.number]! ||
    (documents.ids.list[a.number]! < documents.ids.list[b.number]! ? 1 : -1)
  );
}

export function listTop(index: AgentIndex, returnable: Returnable, limit: number): string[] {
  const best = collectBest(index, limit);
  for (let number = 0; number < index.documents.ids.list.length; number += 1) {
    const confidence = findReturnable(index, number, returnable);
    if (confidence !== undefined) best.offer({ number, confidence, tier: 0, score: 0 });
  }
  return best.list().map(({ number }) => idOf(index, number));
}

interface LeftOut {
  archived: number;
  merged: number;
  low_confidence: number;
  other_kind: number;
}

/** Counts memories that match but may not be returned, by the first reason. */
export function countLeftOut(index: AgentIndex, numbers: Iterable<number>, returnable: Returnable): LeftOut {
  const { status, kind } = index.documents;
  const left: LeftOut = { archived: 0, merged: 0, low_confidence: 0, other_kind: 0 };
  for (const number of numbers) {
    const found = STATUSES[status[number]! - 1];
    if (found === 'archived' || found === 'merged') left[found] += 1;
    else if (found === undefined) continue;
    else if (!returnable.kinds.has(kind[number]!)) left.other_kind += 1;
    else if (findReturnable(index, number, returnable) === undefined) left.low_confidence += 1;
  }
  return left;
}
