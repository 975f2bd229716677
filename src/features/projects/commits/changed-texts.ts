import { isBinary } from '../../../code/languages/file-kinds.js';
import { BlobReader } from '../git/blob-reader.js';
import type { GitRun } from '../git/git-program.js';
import type { Mirror } from '../git/mirror.js';
import { splitAtNul } from '../git/tree.js';

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

/** A file that differs between two commits, with its texts as far as they may be read. */
export interface ChangedText {
  path: string;
  /** Where it was before; null where it was not. */
  from: string | null;
  stays: boolean;
  before: string | null;
  after: string | null;
  /** It is too large, or no text. */
  unread: boolean;
}

export interface ChangedTexts {
  files: ChangedText[];
  /** Files beyond what is looked at. */
  leftOut: number;
}

const MOST_FILES = 1000;
const LARGEST_FILE = 512 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;
const ABSENT = /^0+$/;
const FILE = /^100/;

interface Entry {
  path: string;
  from: string | null;
  stays: boolean;
  old: string | null;
  now: string | null;
}

/** What became of every file, in the order that `worth` gives them: there is only so much room. */
export async function readChangedTexts(
  run: Run,
  mirror: Mirror,
  base: string,
  head: string,
  worth: (path: string) => number,
): Promise<ChangedTexts> {
  const output = await run([
    'diff',
    '--raw',
    '-z',
    '--no-abbrev',
    '-M',
    '-l1000',
    '--no-ext-diff',
    base,
    head,
  ]);
  const all = parseRaw(splitAtNul(output).map((part) => part.toString('utf8').toWellFormed()));
  all.sort((one, other) => worth(other.path) - worth(one.path) || (one.path < other.path ? -1 : 1));
  const entries = all.slice(0, MOST_FILES);
  const sizes = new BlobReader(mirror, 'sizes');
  const contents = new BlobReader(mirror);
  let room = MOST_BYTES;
  const read = async (blob: string | null): Promise<string | null | undefined> => {
    if (blob === null) return null;
    const size = await sizes.size(blob);
    if (size === undefined || size > LARGEST_FILE || size > room) return undefined;
    room -= size;
    const bytes = await contents.read(blob);
    return bytes === undefined || isBinary(bytes) ? undefined : bytes.toString('utf8').toWellFormed();
  };
  try {
    const files: ChangedText[] = [];
    for (const { old, now, ...entry } of entries) {
      const before = await read(old);
      const after = await read(now);
      const unread = before === undefined || after === undefined;
      files.push({
        ...entry,
        before: unread ? null : before,
        after: unread ? null : after,
        unread,
      });
    }
    return { files, leftOut: all.length - entries.length };
  } finally {
    sizes.close();
    contents.close();
  }
}

function parseRaw(parts: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < parts.length; ) {
    const [oldMode, mode, old, now, status] = parts[at++]!.replace(/^:/, '').split(' ');
    const first = parts[at++]!;
    const renamed = /^[RC]/.test(status ?? '');
    const path = renamed ? parts[at++]! : first;
    const isCopy = status?.startsWith('C') === true;
    const was = !isCopy && !ABSENT.test(old!) && FILE.test(oldMode!);
    const is = !ABSENT.test(now!) && FILE.test(mode!);
    // Links and submodules are no texts.
    if (!was && !is) continue;
    entries.push({
      path,
      from: was ? first : null,
      stays: is,
      old: was ? old! : null,
      now: is ? now! : null,
    });
  }
  return entries;
}
