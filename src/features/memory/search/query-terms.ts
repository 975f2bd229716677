import { parseVector, positionsOf } from './lexemes.js';

/** One word of a question, as it is looked for. */
export interface QueryTerm {
  /** The word as written, folded by the database. */
  word: string;
  /** Its stem; undefined for a stop word that is looked for all the same because nothing else was asked. */
  stem: string | undefined;
  /** Stems of the same verb in another form (`went` for `go`). */
  others: readonly string[];
  /** Longer words that begin with it count too, below the word itself. */
  prefix: boolean;
  /** A name, an identifier or something quoted: it says more about what is meant than the other words. */
  entity: boolean;
  /** Not asked for itself: part of a name in camel case. */
  part: boolean;
}

/** What the database makes of a question: stems without stop words, all words, and the stems inside names in camel case. */
export interface AnalysedQuery {
  text: string;
  stems: string;
  words: string;
  parts: string;
}

export interface Question {
  text: string;
  terms: QueryTerm[];
  /** A few words without grammar, as somebody types them into a box: those who type them look for the words. */
  keywords: boolean;
}

/** More words than a question has; what lies beyond adds cost and no meaning. */
export const MOST_TERMS = 16;
/** Up to so many words a query is something typed into a box, where the beginning of a word is enough. */
const SHORT_QUERY_TERMS = 3;
const SHORTEST_PREFIX = 2;

/** `related` holds, for the stem of a verb, the stems of its other forms. */
export function readQuestion(
  query: AnalysedQuery,
  related: ReadonlyMap<string, readonly string[]> = new Map(),
): Question {
  const wordAt = readPlaces(query.words);
  const stemAt = readPlaces(query.stems);
  const entities = findEntities(query.text);
  const asked =
    stemAt.size > 0
      ? [...stemAt].map(([place, stem]) => ({ stem, word: wordAt.get(place) ?? stem }))
      : [...wordAt.values()].map((word) => ({ stem: undefined, word }));
  const distinct = joinEqual(asked);
  const terms = distinct.map(
    ({ stem, words }): QueryTerm => ({
      word: words[0]!,
      stem,
      others: related.get(stem ?? '') ?? [],
      prefix: distinct.length <= SHORT_QUERY_TERMS && words[0]!.length >= SHORTEST_PREFIX,
      entity: words.some((word) => entities.has(word)),
      part: false,
    }),
  );
  return {
    text: query.text,
    terms: [...terms, ...readParts(query.parts, terms)]
      .sort((a, b) => Number(a.part) - Number(b.part) || Number(b.entity) - Number(a.entity))
      .slice(0, MOST_TERMS),
    keywords:
      terms.length <= SHORT_QUERY_TERMS && stemAt.size === wordAt.size && !query.text.trimEnd().endsWith('?'),
  };
}

/** The lexeme at each place, in the order of the places. */
function readPlaces(vector: string): Map<number, string> {
  const places: [number, string][] = [];
  for (const [lexeme, found] of parseVector(vector))
    for (const place of positionsOf(found)) places.push([place, lexeme]);
  return new Map(places.sort((a, b) => a[0] - b[0]));
}

function joinEqual(asked: { stem: string | undefined; word: string }[]) {
  const terms = new Map<string, { stem: string | undefined; words: string[] }>();
  for (const { stem, word } of asked) {
    const known = terms.get(stem ?? word);
    if (known) known.words.push(word);
    else terms.set(stem ?? word, { stem, words: [word] });
  }
  return [...terms.values()];
}

function readParts(vector: string, terms: readonly QueryTerm[]): QueryTerm[] {
  const known = new Set(terms.map(({ stem }) => stem));
  return [...new Set(readPlaces(vector).values())]
    .filter((stem) => !known.has(stem))
    .map((stem) => ({ word: stem, stem, others: [], prefix: false, entity: false, part: true }));
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}_.-]*/gu;
const QUOTED = /["“”`]([^"“”`]{2,80})["“”`]/g;

/** Guessed, so they only ever lift a match: capitalised words inside a sentence, identifiers and quoted words. */
export function findEntities(text: string): Set<string> {
  const entities = new Set<string>();
  const add = (phrase: string) => {
    for (const [word] of phrase.matchAll(WORD)) {
      for (const part of [word, ...word.split(/[_.-]+/)])
        if (part.length > 1) entities.add(part.toLowerCase());
    }
  };
  for (const [, quoted] of text.matchAll(QUOTED)) add(quoted!);
  // In a shouted sentence capitals say nothing.
  const shouted = text === text.toUpperCase();
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    if (isIdentifier(word)) add(word);
    else if (!shouted && /^\p{Lu}/u.test(word) && !startsSentence(text, match.index, word)) add(word);
  }
  return entities;
}

const isIdentifier = (word: string): boolean =>
  /[_\d]/.test(word) ? /\p{L}/u.test(word) : /\p{Ll}\p{Lu}/u.test(word) || /\p{L}\.\p{L}/u.test(word);

/** What may stand between the end of one sentence and the first word of the next. */
const MOST_BETWEEN = 20;

/** The first word of a sentence is capitalised whatever it is, unless it owns something (`Anna's`). */
function startsSentence(text: string, index: number, word: string): boolean {
  if (/^['’]s\b/.test(text.slice(index + word.length, index + word.length + 3))) return false;
  const before = text.slice(Math.max(0, index - MOST_BETWEEN), index);
  return (index <= MOST_BETWEEN && /^["'“(]*$/.test(before)) || /[.!?:]\s+["'“(]*$/.test(before);
}
