import { ACTIVE, type AgentIndex, idOf } from './agent-index.js';
import { MATCHED, type Matches } from './matches.js';
import type { QueryTerm } from './query-terms.js';
import { collectBest, type Standing } from './standing.js';

export interface Ranking {
  /** The confidence of a memory that may be returned; undefined for the others. */
  findConfidence(number: number): number | undefined;
  terms: readonly QueryTerm[];
  /** Memories with these words come before all others: with every word that was typed, or with any of them. */
  wordsFirst: 'complete' | 'any' | 'no';
  limit: number;
  meaning: Meaning | undefined;
}

/** How near each memory is to what was asked, beyond its words. */
export interface Meaning {
  /** Compares it with every memory there is by now. Answers from -1 to 1; undefined for a memory without a vector. */
  compare(): (number: number) => number | undefined;
  /** What a memory without a shared word needs. */
  least: number;
}

export interface TermScore {
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
  /** The share of what the words could give at most. */
  words: number;
  meaning: number | null;
  /** The share of the names in the question that stand in the title. */
  names: number;
  weights: typeof WEIGHTS;
  terms: TermScore[];
}

/** Measured on conversations: short documents need little length normalisation. */
const K1 = 1.2;
const B = 0.4;
const ENTITY_BOOST = 1.5;
const PART_BOOST = 0.5;
/** What a match is worth: the word itself, a part of a name, the beginning of a longer word. */
const SHARES = [1, 0.8, 0.5];
const WEIGHTS = { words: 0.5, meaning: 1, names: 0.05 };
const WORDS_ALONE = { words: 1, meaning: 0, names: 0 };
/** What is not known yet about a memory's meaning is guessed from its words. */
const GUESSED_MEANING = { least: 0.2, perShare: 0.6 };
/** Matches closer together than one percent are the same match, so that importance and confidence decide between them. */
const WORD_STEPS = 100;
const MEANING_STEPS = 1000;

export function inverseFrequency(documents: number, frequency: number): number {
  const known = Math.max(documents, frequency);
  return Math.log(1 + (known - frequency + 0.5) / (frequency + 0.5));
}

const boostOf = ({ entity, part }: QueryTerm): number => (part ? PART_BOOST : entity ? ENTITY_BOOST : 1);

/** What the whole of the agent's memories says about the words asked for. */
interface Scale {
  terms: readonly QueryTerm[];
  /** How many words and how many names were asked for. */
  asked: number;
  names: number;
  /** What each way of having a term is worth. */
  weights: number[][];
  averageLength: number;
  /** What a memory would get that has nothing but every word. */
  ideal: number;
}

interface Judged extends Standing {
  /** Its place among the matches, or -1. */
  place: number;
  words: number;
  meaning: number | undefined;
  weights: typeof WEIGHTS;
}

/** Best first. Every memory is looked at, so the order of the first ones does not depend on how many are wanted. */
export function rank(index: AgentIndex, matches: Matches, ranking: Ranking): Ranked[] {
  const { meaning: asked, wordsFirst } = ranking;
  const scale = scaleOf(index, matches, ranking.terms);
  const cosineOf = asked?.compare();
  const best = collectBest<Judged>(index, ranking.limit);
  const places = new Int32Array(index.documents.ids.size).fill(-1);
  matches.documents.forEach((number, place) => {
    places[number] = place;
  });
  for (let number = 0; number < places.length; number += 1) {
    const place = places[number]!;
    const meaning = cosineOf?.(number);
    // Most memories have neither the words nor the meaning, and are done with here.
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
  return best.list().map((judged) => describe(index, matches, scale, judged, highest));
}

function scaleOf(index: AgentIndex, matches: Matches, terms: readonly QueryTerm[]): Scale {
  const { status, length, ids } = index.documents;
  let documents = 0;
  let words = 0;
  for (let number = 0; number < ids.size; number += 1) {
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
  { number, place, score, words, meaning, weights }: Judged,
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
