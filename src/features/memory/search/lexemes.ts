/** One lexeme of a PostgreSQL text search vector: how often it stands in each zone, and where. */
export interface Lexeme {
  title: number;
  body: number;
  aside: number;
  word: number;
  /** Its positions in text form, such as `1A,7B`. */
  places: string;
}

const ENTRY = /'((?:[^'\\]|''|\\\\)*)'(?::([0-9ABCD,]+))?/g;

/** Reads the text form of a vector. Zones are the weights under which the index was built: A title, B body, C aside, D plain words. */
export function parseVector(text: string): Map<string, Lexeme> {
  const lexemes = new Map<string, Lexeme>();
  for (const [, quoted = '', places = ''] of text.matchAll(ENTRY)) {
    const escaped = quoted.includes("'") || quoted.includes('\\');
    lexemes.set(escaped ? quoted.replaceAll("''", "'").replaceAll('\\\\', '\\') : quoted, readPlaces(places));
  }
  return lexemes;
}

/** The weakest weight is written without its letter. */
function readPlaces(places: string): Lexeme {
  const lexeme: Lexeme = { title: 0, body: 0, aside: 0, word: 0, places };
  if (places === '') return lexeme;
  let count = 1;
  for (let i = 0; i < places.length; i += 1) {
    const character = places[i];
    if (character === 'A') lexeme.title += 1;
    else if (character === 'B') lexeme.body += 1;
    else if (character === 'C') lexeme.aside += 1;
    else if (character === ',') count += 1;
  }
  lexeme.word = count - lexeme.title - lexeme.body - lexeme.aside;
  return lexeme;
}

/** One lexeme out of the text form, without reading the rest. */
export function findLexeme(text: string, lexeme: string): Lexeme | undefined {
  const wanted = `${quoteLexeme(lexeme)}:`;
  const at = indexOfEntry(text, wanted);
  if (at < 0) return undefined;
  const from = at + wanted.length;
  const end = text.indexOf(' ', from);
  return readPlaces(end < 0 ? text.slice(from) : text.slice(from, end));
}

export const hasLexemeStarting = (text: string, beginning: string): boolean =>
  indexOfEntry(text, quoteLexeme(beginning).slice(0, -1)) >= 0;

/** Entries begin the text or follow a space; elsewhere a quote belongs to a lexeme. */
function indexOfEntry(text: string, entry: string): number {
  for (let at = text.indexOf(entry); at >= 0; at = text.indexOf(entry, at + 1)) {
    if (at === 0 || text[at - 1] === ' ') return at;
  }
  return -1;
}

export const positionsOf = ({ places }: Lexeme): number[] =>
  places === '' ? [] : places.split(',').map((place) => Number.parseInt(place, 10));

/** A lexeme as part of a `tsquery` in text form; whatever characters it has, it stays one lexeme. */
export const quoteLexeme = (lexeme: string): string =>
  `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
