const ENTRY = /'((?:[^'\\]|''|\\\\)*)'(?::([0-9ABCD,]+))?/g;

/** The lexemes of a text search vector in text form, each with its places as they are written, such as `1A,7B`. */
export function parseVector(text: string): Map<string, string> {
  const lexemes = new Map<string, string>();
  for (const [, quoted = '', places = ''] of text.matchAll(ENTRY)) {
    const escaped = quoted.includes("'") || quoted.includes('\\');
    lexemes.set(escaped ? quoted.replaceAll("''", "'").replaceAll('\\\\', '\\') : quoted, places);
  }
  return lexemes;
}

export const positionsOf = (places: string): number[] =>
  places === '' ? [] : places.split(',').map((place) => Number.parseInt(place, 10));
