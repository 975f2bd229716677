/** Words shorter than this have too many neighbours to guess which one was meant. */
const SHORTEST_GUESSED = 3;
const MOST_GUESSES = 5;

const allowedEdits = (length: number): number => (length < 6 ? 1 : 2);

/** Of the words an agent's memories hold, those that a slip of the finger turns into `word`: the nearest ones, best first. */
export function guessWords(word: string, vocabulary: readonly string[]): string[] {
  if (word.length < SHORTEST_GUESSED) return [];
  const limit = allowedEdits(word.length);
  const near = vocabulary
    .map((known) => ({ known, edits: editDistance(word, known, limit) }))
    .filter(({ edits }) => edits <= limit);
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return near
    .filter(({ edits }) => edits === fewest)
    .slice(0, MOST_GUESSES)
    .map(({ known }) => known);
}

/** Insertions, deletions, changes and swaps of neighbours; anything above `limit` is answered as `limit + 1`. */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
