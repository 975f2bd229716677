import type { AgentIndex } from './agent-index.js';
import { findMatches, type Matches } from './matches.js';
import type { QueryTerm, Question } from './query-terms.js';
import { type Meaning, type Ranked, type Ranking, rank } from './ranking.js';

export const TRIES = ['top', 'words', 'prefixes', 'typos', 'substring', 'meaning'] as const;

export interface Found {
  ids: string[];
  ranked: Map<string, Ranked>;
  terms: readonly QueryTerm[];
  /** The memories that have the words, also those that may not be returned; undefined when nothing was asked. */
  matches: Matches | undefined;
  /** Which try found them. */
  tried: (typeof TRIES)[number];
}

/** What all tries for one question have in common. */
export interface Attempt {
  index: AgentIndex;
  findConfidence: Ranking['findConfidence'];
  meaning: Meaning | undefined;
  limit: number;
}

/** The words themselves; beginnings of words for longer questions only when they found nothing. */
export function findByWords(attempt: Attempt, question: Question, matches: Matches): Found | undefined {
  const { terms, keywords } = question;
  const found = rankMatches(attempt, terms, matches, keywords ? 'complete' : 'no', 'words');
  if (found || terms.every(({ prefix, part }) => prefix || part)) return found;
  const beginnings = terms.map((term) => ({ ...term, prefix: !term.part }));
  return rankMatches(attempt, beginnings, findMatches(attempt.index, beginnings), 'any', 'prefixes');
}

/** As `findByWords`, for words that were guessed. */
export function findByGuesses(attempt: Attempt, terms: readonly QueryTerm[]): Found | undefined {
  const guessed = terms.map((term) => ({ ...term, prefix: false }));
  return rankMatches(attempt, guessed, findMatches(attempt.index, guessed), 'any', 'typos');
}

/** Undefined when no memory that may be returned has one of the words, whatever the others mean. */
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
 * Nothing has the words: what holds the text as it was typed, then what means something like a question. Any word is near to
 * some memory, so words that were typed to be found are not answered by meaning alone.
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

/** By what the memories mean alone, whatever words they have. */
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
