/** The lines that one text has more often than the other, trimmed; those that only moved are in neither. */
export function diffLines(before: string, after: string): { added: string[]; removed: string[] } {
  const then = before.split('\n').map((line) => line.trim());
  const now = after.split('\n').map((line) => line.trim());
  return { added: moreOf(now, then), removed: moreOf(then, now) };
}

/** What stands in the first list more often than in the second, in its order. */
export function moreOf<T>(
  first: readonly T[],
  second: readonly T[],
  keyOf: (one: T) => unknown = (one) => one,
): T[] {
  const counts = new Map<unknown, number>();
  for (const one of second) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return first.filter((one) => {
    const left = counts.get(keyOf(one)) ?? 0;
    if (left > 0) counts.set(keyOf(one), left - 1);
    return left === 0;
  });
}
