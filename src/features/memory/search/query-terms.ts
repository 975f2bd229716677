import { parseVector, positionsOf, quoteLexeme } from './lexemes.js';

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
}

/** What the database makes of a question: the vector of stems without stop words, and the vector of all words. */
export interface AnalysedQuery {
  text: string;
  stems: string;
  words: string;
}

/** More words than a question has; what lies beyond adds cost and no meaning. */
export const MOST_TERMS = 16;
/** Up to so many words a query is something typed into a box, where the beginning of a word is enough. */
const SHORT_QUERY_TERMS = 3;
const SHORTEST_PREFIX = 2;

/** `related` holds, for the stem of a verb, the stems of its other forms. */
export function readQueryTerms(
  query: AnalysedQuery,
  related: ReadonlyMap<string, readonly string[]> = new Map(),
): QueryTerm[] {
  const wordAt = new Map<number, string>();
  for (const [word, lexeme] of parseVector(query.words)) {
    for (const position of positionsOf(lexeme)) wordAt.set(position, word);
  }
  const stems = [...parseVector(query.stems)]
    .map(([stem, lexeme]) => ({ stem, positions: positionsOf(lexeme) }))
    .sort((a, b) => (a.positions[0] ?? 0) - (b.positions[0] ?? 0));
  const entities = findEntities(query.text);
  const terms =
    stems.length > 0
      ? stems.map(({ stem, positions }) => ({
          stem,
          words: positions.map((position) => wordAt.get(position) ?? stem),
        }))
      : [...wordAt].sort((a, b) => a[0] - b[0]).map(([, word]) => ({ stem: undefined, words: [word] }));
  return unique(
    terms.map(({ stem, words }) => ({
      word: words[0]!,
      stem,
      others: related.get(stem ?? '') ?? [],
      prefix: terms.length <= SHORT_QUERY_TERMS && words[0]!.length >= SHORTEST_PREFIX,
      entity: words.some((word) => entities.has(word)),
    })),
  )
    .sort((a, b) => Number(b.entity) - Number(a.entity))
    .slice(0, MOST_TERMS);
}

function unique(terms: QueryTerm[]): QueryTerm[] {
  const seen = new Map(terms.map((term) => [term.stem ?? term.word, term] as const).reverse());
  return [...seen.values()].reverse();
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

/** The first word of a sentence is capitalised whatever it is, unless it owns something (`Anna's`). */
function startsSentence(text: string, index: number, word: string): boolean {
  if (/^['’]s\b/.test(text.slice(index + word.length))) return false;
  return /(^|[.!?:]\s+)["'“(]*$/.test(text.slice(0, index));
}

/** The term as the index is asked for it, anywhere and in titles only. */
export function termQueries(term: QueryTerm): { anywhere: string; title: string } {
  const inZones = (zones: string) =>
    term.stem === undefined
      ? `${quoteLexeme(term.word)}:D`
      : [term.stem, ...term.others].map((stem) => `${quoteLexeme(stem)}:${zones}`).join(' | ');
  const stem = inZones('ABC');
  return { anywhere: term.prefix ? `${stem} | ${quoteLexeme(term.word)}:*D` : stem, title: inZones('A') };
}
