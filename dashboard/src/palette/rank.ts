/** Scores words as prefix, substring or subsequence of a name; undefined if a word does not match. */
export function rank(name: string, words: string[]): number | undefined {
  const text = name.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const value = closeness(text, word);
    if (value === undefined) return undefined;
    sum += value;
  }
  // Among equal matches the shorter name ranks higher.
  return sum - text.length / 1000;
}

function closeness(text: string, word: string): number | undefined {
  const at = text.indexOf(word);
  if (at === 0) return 4;
  if (at > 0) return /[\s:/#-]/.test(text[at - 1]!) ? 3 : 2;
  return hasLetters(text, word) ? 1 : undefined;
}

export const fitsWell = (name: string, words: string[]): boolean =>
  words.every((word) => name.toLowerCase().includes(word));

function hasLetters(text: string, word: string): boolean {
  let from = 0;
  for (const letter of word) {
    const at = text.indexOf(letter, from);
    if (at === -1) return false;
    from = at + 1;
  }
  return true;
}

export const wordsOf = (typed: string): string[] => typed.toLowerCase().split(/\s+/).filter(Boolean);

/** Best match first; without words the order is kept. */
export function sortByRank<T>(entries: T[], nameOf: (entry: T) => string, words: string[]): T[] {
  if (words.length === 0) return entries;
  return entries
    .map((entry) => ({ entry, value: rank(nameOf(entry), words) }))
    .filter(({ value }) => value !== undefined)
    .sort((one, other) => other.value! - one.value!)
    .map(({ entry }) => entry);
}
