import { findLexeme, hasLexemeStarting, type Lexeme } from './lexemes.js';
import type { QueryTerm } from './query-terms.js';

export const IMPORTANCE = ['low', 'normal', 'high', 'critical'] as const;
export type Importance = (typeof IMPORTANCE)[number];

export interface Candidate {
  id: string;
  title: string;
  /** The memory's search vector in text form. */
  vector: string;
  /** How many different words its author used. */
  length: number;
  importance: Importance;
  confidence: number;
  createdAt: Date;
}

/** What the whole of the agent's memories says about the words asked for. */
export interface TermStatistics {
  documents: number;
  /** In how many documents each term stands, in the order of the terms. */
  frequencies: number[];
}

export interface TermScore {
  term: string;
  matched: 'stem' | 'prefix';
  in_title: boolean;
  score: number;
}

export interface Ranked {
  id: string;
  /** 0 to 1, relative to the best match; what the order follows. */
  match: number;
  score: number;
  terms: TermScore[];
}

/** Measured on conversations: short documents need little length normalisation. */
const K1 = 1.2;
const B = 0.4;
const ZONE_WEIGHTS = { title: 3, body: 1, aside: 0.4 };
const ENTITY_BOOST = 1.5;
const PREFIX_SHARE = 0.5;
/** Matches closer together than this are the same match, so that importance and confidence decide between them. */
const MATCH_STEPS = 100;

export function inverseFrequency(documents: number, frequency: number): number {
  const known = Math.max(documents, frequency);
  return Math.log(1 + (known - frequency + 0.5) / (frequency + 0.5));
}

export const boostOf = (term: QueryTerm): number => (term.entity ? ENTITY_BOOST : 1);

/** Best match first; equal matches by importance, then confidence, then the newest. */
export function rankCandidates(
  candidates: Candidate[],
  terms: QueryTerm[],
  statistics: TermStatistics,
): Ranked[] {
  const averageLength = Math.max(1, mean(candidates.map(({ length }) => length)));
  const weights = terms.map(
    (term, i) => boostOf(term) * inverseFrequency(statistics.documents, statistics.frequencies[i] ?? 0),
  );

  const scored = candidates.map((candidate) => {
    const lengthFactor = 1 - B + (B * candidate.length) / averageLength;
    const found = terms.flatMap((term, i) => {
      const hit = matchTerm(term, candidate);
      if (!hit) return [];
      const frequency = hit.weight / lengthFactor;
      const score =
        weights[i]! *
        ((frequency * (K1 + 1)) / (frequency + K1)) *
        (hit.matched === 'prefix' ? PREFIX_SHARE : 1);
      return [{ term: term.word, matched: hit.matched, in_title: hit.inTitle, score: round(score) }];
    });
    return { candidate, terms: found, score: sum(found.map(({ score }) => score)) };
  });

  const best = Math.max(...scored.map(({ score }) => score), Number.EPSILON);
  return scored
    .filter(({ score }) => score > 0)
    .map((item) => ({ ...item, match: Math.round((item.score / best) * MATCH_STEPS) / MATCH_STEPS }))
    .sort((a, b) => b.match - a.match || compareStanding(a.candidate, b.candidate))
    .map(({ candidate, match, score, terms: found }) => ({
      id: candidate.id,
      match,
      score: round(score),
      terms: found,
    }));
}

export function compareStanding(a: Candidate, b: Candidate): number {
  return (
    IMPORTANCE.indexOf(b.importance) - IMPORTANCE.indexOf(a.importance) ||
    b.confidence - a.confidence ||
    b.createdAt.getTime() - a.createdAt.getTime() ||
    (a.id < b.id ? 1 : -1)
  );
}

interface Hit {
  matched: TermScore['matched'];
  inTitle: boolean;
  weight: number;
}

function matchTerm(term: QueryTerm, { vector, title }: Candidate): Hit | undefined {
  const found = [term.stem ?? term.word, ...term.others].flatMap((stem) => findLexeme(vector, stem) ?? []);
  const weight = sum(found.map((lexeme) => (term.stem === undefined ? lexeme.word : zoneWeight(lexeme))));
  if (weight > 0) return { matched: 'stem', inTitle: found.some(({ title: times }) => times > 0), weight };
  if (!term.prefix || !hasLexemeStarting(vector, term.word)) return undefined;
  const inTitle = title.toLowerCase().includes(term.word);
  return { matched: 'prefix', inTitle, weight: inTitle ? ZONE_WEIGHTS.title : ZONE_WEIGHTS.body };
}

const zoneWeight = (lexeme: Lexeme): number =>
  ZONE_WEIGHTS.title * lexeme.title + ZONE_WEIGHTS.body * lexeme.body + ZONE_WEIGHTS.aside * lexeme.aside;

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

const mean = (values: number[]): number => (values.length === 0 ? 0 : sum(values) / values.length);

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
