import { ACTIVE, type AgentIndex, ZONE_BITS } from './agent-index.js';

/** Words shorter than this have too many neighbours to guess which one was meant. */
const SHORTEST_GUESSED = 3;
const MOST_GUESSES = 5;

const allowedEdits = (length: number): number => (length < 6 ? 1 : 2);

/** Of the words an agent's active memories hold, those that a slip of the finger turns into `word`: the nearest ones, the most common first. */
export function guessWords(word: string, index: AgentIndex): string[] {
  if (word.length < SHORTEST_GUESSED) return [];
  const near = findNear(word, index);
  if (near.size === 0) return [];
  const uses = countUses(index, near);
  const alive = [...near.values()].filter(({ number }) => uses.has(number));
  const fewest = Math.min(...alive.map(({ edits }) => edits));
  return alive
    .filter(({ edits }) => edits === fewest)
    .sort((a, b) => uses.get(b.number)! - uses.get(a.number)! || (a.known < b.known ? -1 : 1))
    .slice(0, MOST_GUESSES)
    .map(({ known }) => known);
}

interface Near {
  number: number;
  known: string;
  edits: number;
}

function findNear(word: string, { words: { terms } }: AgentIndex): Map<number, Near> {
  const limit = allowedEdits(word.length);
  const letters = lettersOf(Buffer.from(word));
  const shortest = word.length - limit;
  // A letter outside of ASCII takes up to four bytes.
  const longest = (word.length + limit) * 4;
  const near = new Map<number, Near>();
  for (let number = 0; number < terms.size; number += 1) {
    const bytes = terms.read(number);
    if (bytes.length < shortest || bytes.length > longest) continue;
    // Each edit adds or takes away two letters at most.
    if (countBits(letters ^ lettersOf(bytes)) > limit * 2) continue;
    const known = Buffer.from(bytes).toString();
    const edits = editDistance(word, known, limit);
    if (edits <= limit) near.set(number, { number, known, edits });
  }
  return near;
}

/** One bit for every letter that a word has, the rarer ones sharing theirs. */
function lettersOf(bytes: Uint8Array): number {
  let letters = 0;
  for (let i = 0; i < bytes.length; i += 1) if (bytes[i]! < 128) letters |= 1 << (bytes[i]! & 31);
  return letters;
}

function countBits(value: number): number {
  let count = 0;
  for (let rest = value >>> 0; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** In how many active memories each of these words stands. */
function countUses(
  { documents, words }: AgentIndex,
  wanted: ReadonlyMap<number, unknown>,
): Map<number, number> {
  const uses = new Map<number, number>();
  for (let document = 0; document < documents.ids.size; document += 1) {
    if (documents.status[document] !== ACTIVE) continue;
    const start = words.starts[document]!;
    const end = start + words.counts[document]!;
    for (let i = start; i < end; i += 1) {
      const word = words.entries[i]! >>> ZONE_BITS;
      if (wanted.has(word)) uses.set(word, (uses.get(word) ?? 0) + 1);
    }
  }
  return uses;
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
