/** What two memories must share to be the same one said twice. */
const SAME_SHARE = 0.8;

export interface Comparable {
  title: string;
  body: string;
}

const wordsOf = ({ title, body }: Comparable): Set<string> =>
  new Set(
    `${title} ${body}`
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );

/** Numbers and negations turn a near-repetition into another statement. */
const TELLING = /^(?:\p{N}.*|not?|never|none|without|cannot|don|doesn|isn|won|stop|stopped|off|on|instead)$/u;

const differInMeaning = (a: Set<string>, b: Set<string>): boolean =>
  [...a].some((word) => TELLING.test(word) && !b.has(word)) ||
  [...b].some((word) => TELLING.test(word) && !a.has(word));

export function isSameMemory(a: Comparable, b: Comparable): boolean {
  const left = wordsOf(a);
  const right = wordsOf(b);
  if (left.size === 0 || right.size === 0) return a.title === b.title && a.body === b.body;
  if (differInMeaning(left, right)) return false;
  let shared = 0;
  for (const word of left) if (right.has(word)) shared += 1;
  return shared / (left.size + right.size - shared) >= SAME_SHARE;
}

export const findSame = <T extends Comparable>(memory: Comparable, known: readonly T[]): T | undefined =>
  known.find((other) => isSameMemory(memory, other));
