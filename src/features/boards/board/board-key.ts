const SHORTEST_WORD_KEY = 3;
const LONGEST_KEY = 4;
const FALLBACK = 'BRD';

/** A short name for references: the initials of several words, or the beginning of a single one. */
export function suggestKey(name: string): string {
  const words = name
    .normalize('NFKD')
    .toUpperCase()
    .split(/[^A-Z0-9\p{M}]+/u)
    .map((word) => word.replace(/\p{M}/gu, ''))
    .filter((word) => word !== '');
  const initials = words.map((word) => word[0]).join('');
  const key =
    words.length > 1 ? initials.slice(0, LONGEST_KEY) : (words[0] ?? '').slice(0, SHORTEST_WORD_KEY);
  // A reference reads "letters, a dash, a number".
  return /^[A-Z]/.test(key) && key.length > 1 ? key : FALLBACK;
}

export function freeKey(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let suffix = 2;
  while (taken.has(`${base}${suffix}`)) suffix += 1;
  return `${base}${suffix}`;
}
