import { takeTurns } from '../../../kernel/event-loop.js';

const SLICE = 32 * 1024;
const LONGEST_PATH = 500;
const MOST_CANDIDATES = 20_000;
/** What stands between paths in prose, code and lists; a path is never longer than `LONGEST_PATH`. */
const WORD = /[^\s"'`<>|*?,;:()[\]{}=!\\]{2,}/g;

/**
 * Everything in the texts that may be the path of a file, a folder or a symbol; the code says which of them are.
 * A card may hold a megabyte: it is read in slices, and whoever else waits comes in between.
 */
export async function findNamedPaths(texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const otherTurns = takeTurns();
  for (const text of texts) {
    for (let at = 0; at < text.length && found.size < MOST_CANDIDATES; at += SLICE) {
      await otherTurns();
      // The slice before ended somewhere in a path: it is read again, whole.
      const slice = text.slice(Math.max(0, at - LONGEST_PATH), at + SLICE + LONGEST_PATH);
      for (const [word] of slice.matchAll(WORD)) {
        const path = word.length > LONGEST_PATH ? undefined : readPath(word);
        if (path !== undefined) found.add(path);
      }
    }
  }
  return [...found];
}

function readPath(word: string): string | undefined {
  const folder = word.endsWith('/');
  const path = trimEdges(word);
  if (path === '' || path.startsWith('/') || path.includes('//') || path.split('/').includes('..'))
    return undefined;
  if (folder) return `${path}/`;
  return path.includes('/') || /\.[A-Za-z0-9]{1,10}(?:#|$)/.test(path) || /^[A-Z]\w*file$/.test(path)
    ? path
    : undefined;
}

/** Without a beginning `./` and the punctuation behind it. By hand: a pattern would start over at every dot of a long row. */
function trimEdges(word: string): string {
  let [start, end] = [0, word.length];
  while (word.startsWith('./', start)) start += 2;
  while (end > start && '.-/'.includes(word[end - 1]!)) end -= 1;
  return word.slice(start, end);
}
