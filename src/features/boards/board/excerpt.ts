const EXCERPT_CHARACTERS = 200;

/** The beginning of a long text; whole characters, so that no pair of surrogates is cut in two. */
export function excerptOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.length <= EXCERPT_CHARACTERS) return text;
  // Two code units a character at most, so this slice is long enough and stays cheap for a text of a mebibyte.
  return [...text.slice(0, EXCERPT_CHARACTERS * 2)].slice(0, EXCERPT_CHARACTERS).join('');
}
