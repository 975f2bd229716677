export interface QueryTerm {
  /** The word as written, normalized by the database. */
  word: string;
  /** Its stem; undefined for a stop word in a question that has only stop words. */
  stem: string | undefined;
  /** Stems of the same verb in another form (`went` for `go`). */
  others: readonly string[];
  /** Longer words that start with it count too, with less weight. */
  prefix: boolean;
  /** A name, an identifier or a quoted word, which weighs more than other words. */
  entity: boolean;
  /** Part of a camel case name in the question. */
  part: boolean;
}

/** A question as the database splits it: stems without stop words, all words, and the stems inside camel case names. */
export interface AnalysedQuery {
  text: string;
  stems: string;
  words: string;
  parts: string;
}

export interface Question {
  text: string;
  terms: QueryTerm[];
  /** A few words without grammar, as typed into a search box. */
  keywords: boolean;
}

export const MOST_TERMS = 16;
/** A query of up to this many words counts as keywords, which match prefixes too. */
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

/** The lexeme at each position, in order. */
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

/** Guesses names: capitalized words inside a sentence, identifiers and quoted words. They raise a match and never filter. */
export function findEntities(text: string): Set<string> {
  const entities = new Set<string>();
  const add = (phrase: string) => {
    for (const [word] of phrase.matchAll(WORD)) {
      for (const part of [word, ...word.split(/[_.-]+/)])
        if (part.length > 1) entities.add(part.toLowerCase());
    }
  };
  for (const [, quoted] of text.matchAll(QUOTED)) add(quoted!);
  // Capitals mean nothing in a sentence that is all capitals.
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

const MOST_BETWEEN = 20;

/** The first word of a sentence is always capitalized, so it is a name only in the possessive (`Anna's`). */
function startsSentence(text: string, index: number, word: string): boolean {
  if (/^['’]s\b/.test(text.slice(index + word.length, index + word.length + 3))) return false;
  const before = text.slice(Math.max(0, index - MOST_BETWEEN), index);
  return (index <= MOST_BETWEEN && /^["'“(]*$/.test(before)) || /[.!?:]\s+["'“(]*$/.test(before);
}

const ENTRY = /'((?:[^'\\]|''|\\\\)*)'(?::([0-9ABCD,]+))?/g;

/** Parses a text search vector in text form into lexemes and their positions, such as `1A,7B`. */
function parseVector(text: string): Map<string, string> {
  const lexemes = new Map<string, string>();
  for (const [, quoted = '', places = ''] of text.matchAll(ENTRY)) {
    const escaped = quoted.includes("'") || quoted.includes('\\');
    lexemes.set(escaped ? quoted.replaceAll("''", "'").replaceAll('\\\\', '\\') : quoted, places);
  }
  return lexemes;
}

const positionsOf = (places: string): number[] =>
  places === '' ? [] : places.split(',').map((place) => Number.parseInt(place, 10));

/** English verbs with forms that no stemmer unifies: people ask "where did she go" about "she went". */
export const VERB_FORMS: readonly (readonly string[])[] = `
become became; begin began begun; bend bent; bet; bite bit bitten; blow blew blown; break broke broken; bring brought;
build built; burn burnt; buy bought; catch caught; choose chose chosen; come came; cost; cut; deal dealt; dig dug;
draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed;
feel felt; fight fought; find found; fly flew flown; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen;
get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held;
keep kept; know knew known; lead led; learn learnt; leave left; lend lent; lose lost; make made; mean meant; meet met;
pay paid; quit; read; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; sell sold;
send sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung;
sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend spent; spill spilt; stand stood; steal stole stolen;
stick stuck; strike struck; swear swore sworn; swim swam swum; swing swung; take took taken; teach taught; tear tore torn;
tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; win won;
withdraw withdrew withdrawn; write wrote written
`
  .split(';')
  .map((forms) => forms.trim().split(/\s+/))
  .filter((forms) => forms.length > 1);

/** Maps the stem of each verb form to the stems of the other forms. */
export function relateStems(stemOf: ReadonlyMap<string, string>): Map<string, string[]> {
  const related = new Map<string, string[]>();
  for (const forms of VERB_FORMS) {
    const stems = [...new Set(forms.flatMap((form) => stemOf.get(form) ?? []))];
    for (const stem of stems) {
      const others = stems.filter((other) => other !== stem);
      related.set(stem, [...new Set([...(related.get(stem) ?? []), ...others])]);
    }
  }
  return related;
}
