/** What two memories must share to be the same one said twice. */
const SAME_SHARE = 0.8;

export interface Comparable {
  title: string;
  body: string;
}

/** Nobody's words are longer; a run of accents without end takes a system very long to put in order. */
const LONGEST_WORD = 64;

const wordsOf = ({ title, body }: Comparable): Set<string> =>
  new Set(
    (`${title} ${body}`.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])
      .map(foldAccents)
      .filter((word) => word !== ''),
  );

const foldAccents = (word: string): string =>
  /^[\0-\x7f]+$/.test(word)
    ? word
    : word
        .slice(0, LONGEST_WORD)
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '');

/** Numbers and negations turn a near-repetition into another statement. */
const TELLING = /^(?:\p{N}.*|not?|never|none|without|cannot|don|doesn|isn|won|stop|stopped|off|on|instead)$/u;

const differInMeaning = (a: Set<string>, b: Set<string>): boolean =>
  [...a].some((word) => TELLING.test(word) && !b.has(word)) ||
  [...b].some((word) => TELLING.test(word) && !a.has(word));

export const isSameMemory = (a: Comparable, b: Comparable): boolean => sameAs(a)(b);

/** Asks of one memory whether others are the same; its own words are read once. */
function sameAs(memory: Comparable): (other: Comparable) => boolean {
  const words = wordsOf(memory);
  return (other) => {
    const others = wordsOf(other);
    if (words.size === 0 || others.size === 0)
      return memory.title === other.title && memory.body === other.body;
    return !differInMeaning(words, others) && shareOf(words, others) >= SAME_SHARE;
  };
}

/** Of all their words, those that both have. */
function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return shared / Math.max(1, words.size + others.size - shared);
}

export const sharedWords = (one: Comparable, other: Comparable): number =>
  shareOf(wordsOf(one), wordsOf(other));

export const findSame = <T extends Comparable>(memory: Comparable, known: readonly T[]): T | undefined =>
  known.find(sameAs(memory));
