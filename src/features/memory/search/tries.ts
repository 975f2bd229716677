import type { AgentIndex } from './agent-index.js';
import { findMatches, type Matches } from './matches.js';
import type { QueryTerm, Question } from './query-terms.js';
import { type Meaning, type Ranked, type Ranking, rank } from './ranking.js';

export const TRIES = ['top', 'words', 'prefixes', 'typos', 'substring', 'meaning'] as const;

export interface Found {
  ids: string[];
  ranked: Map<string, Ranked>;
  terms: readonly QueryTerm[];
  /** Memories with the words, including ones excluded from the answer; undefined without a query. */
  matches: Matches | undefined;
  tried: (typeof TRIES)[number];
}

export interface Attempt {
  index: AgentIndex;
  findConfidence: Ranking['findConfidence'];
  meaning: Meaning | undefined;
  limit: number;
}

/** Searches for whole words, and for prefixes when a longer question finds nothing. */
export function findByWords(attempt: Attempt, question: Question, matches: Matches): Found | undefined {
  const { terms, keywords } = question;
  const found = rankMatches(attempt, terms, matches, keywords ? 'complete' : 'no', 'words');
  if (found || terms.every(({ prefix, part }) => prefix || part)) return found;
  const beginnings = terms.map((term) => ({ ...term, prefix: !term.part }));
  return rankMatches(attempt, beginnings, findMatches(attempt.index, beginnings), 'any', 'prefixes');
}

export function findByGuesses(attempt: Attempt, terms: readonly QueryTerm[]): Found | undefined {
  const guessed = terms.map((term) => ({ ...term, prefix: false }));
  return rankMatches(attempt, guessed, findMatches(attempt.index, guessed), 'any', 'typos');
}

/** Undefined when no returnable memory contains one of the words, however similar it is. */
function rankMatches(
  { index, ...attempt }: Attempt,
  terms: readonly QueryTerm[],
  matches: Matches,
  wordsFirst: Ranking['wordsFirst'],
  tried: Found['tried'],
): Found | undefined {
  if (!matches.documents.some((number) => attempt.findConfidence(number) !== undefined)) return undefined;
  return describeFound(rank(index, matches, { ...attempt, terms, wordsFirst }), terms, matches, tried);
}

/**
 * For a query whose words no memory contains: first memories that contain its text, then memories of similar
 * meaning. Keywords are not answered by meaning alone, because every word is close to some memory.
 */
export function findWithoutWords(
  { index, ...attempt }: Attempt,
  { terms, keywords }: Question,
  matches: Matches,
  withText: readonly string[],
): Found {
  const none = findMatches(index, []);
  const byMeaning = attempt.meaning !== undefined && !keywords;
  const near = byMeaning
    ? rank(index, none, { ...attempt, terms: [], wordsFirst: 'no' }).filter(
        ({ id }) => !withText.includes(id),
      )
    : [];
  const tried = withText.length === 0 && near.length > 0 ? 'meaning' : 'substring';
  const found = describeFound(near, terms, matches, tried);
  return { ...found, ids: [...withText, ...found.ids].slice(0, attempt.limit) };
}

export function findByMeaning({ index, ...attempt }: Attempt, { terms }: Question): Found {
  const none = findMatches(index, []);
  return describeFound(
    rank(index, none, { ...attempt, terms: [], wordsFirst: 'no' }),
    terms,
    none,
    'meaning',
  );
}

const describeFound = (
  ranked: readonly Ranked[],
  terms: readonly QueryTerm[],
  matches: Matches,
  tried: Found['tried'],
): Found => ({
  ids: ranked.map(({ id }) => id),
  ranked: new Map(ranked.map((item) => [item.id, item])),
  terms,
  matches,
  tried,
});
