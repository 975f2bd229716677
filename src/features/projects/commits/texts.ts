import { isBinary } from '../../../code/languages.js';
import { BlobReader } from '../git/blob-reader.js';
import type { RunGit } from '../git/git-program.js';
import type { Mirror } from '../git/mirror.js';
import { splitAtNul } from '../git/tree.js';
import { fileTooLarge } from '../projects.errors.js';

export interface FileLines {
  total: number;
  lines: string[];
}

export interface LineRange {
  first: number;
  last: number;
  /** In bytes. A larger file is rejected. */
  largest?: number;
  /** In bytes. Lines beyond it are left out, except the first. */
  most?: number;
}

/** In bytes. The rest of a line is cut off. */
const LONGEST_LINE = 4000;
const LINE_FEED = 10;

export async function readLines(
  run: RunGit,
  commit: string,
  path: string,
  { first, last, largest = Infinity, most = Infinity }: LineRange,
): Promise<FileLines | undefined> {
  const [entry = ''] = (await run(['ls-tree', '-z', '--long', '--full-tree', commit, '--', path]))
    .toString('utf8')
    .split('\0');
  const [, blob, size, name] = /^\d+ blob ([0-9a-f]+) +(\d+)\t([\s\S]+)$/.exec(entry) ?? [];
  if (!blob || name !== path) return undefined;
  if (Number(size) > largest) throw fileTooLarge(Number(size), largest);
  const lines: string[] = [];
  let kept = 0;
  let full = false;
  let number = 1;
  let line = Buffer.alloc(0);
  let begun = false;
  const end = () => {
    if (number >= first && number <= last && !full) {
      kept += line.length;
      full = kept > most && lines.length > 0;
      if (!full) lines.push(line.toString('utf8').toWellFormed());
    }
    line = Buffer.alloc(0);
    begun = false;
    number += 1;
  };
  await run(['cat-file', 'blob', blob], {
    onOutput(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const stop = chunk.indexOf(LINE_FEED, at);
        begun = true;
        const left = LONGEST_LINE - line.length;
        if (number >= first && number <= last && left > 0)
          line = Buffer.concat([
            line,
            chunk.subarray(at, Math.min(stop < 0 ? chunk.length : stop, at + left)),
          ]);
        if (stop < 0) return;
        end();
        at = stop + 1;
      }
    },
  });
  if (begun) end();
  return { total: number - 1, lines };
}

export interface ChangedText {
  path: string;
  from: string | null;
  stays: boolean;
  before: string | null;
  after: string | null;
  unread: boolean;
}

export interface ChangedTexts {
  files: ChangedText[];
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

export async function readChangedTexts(
  run: RunGit,
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
  let left = MOST_BYTES;
  const read = async (blob: string | null): Promise<string | null | undefined> => {
    if (blob === null) return null;
    const size = await sizes.size(blob);
    if (size === undefined || size > LARGEST_FILE || size > left) return undefined;
    left -= size;
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
    // Links and submodules are not texts.
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
