import { GitError } from './git-program.js';
import type { Mirror } from './mirror.js';

export interface TreeFile {
  path: string;
  blob: string;
  size: number;
}

export interface Tree {
  files: Map<string, TreeFile>;
  warnings: string[];
}

export interface FileChange {
  status: 'added' | 'removed' | 'changed' | 'renamed';
  path: string;
  from?: string;
  blob: string;
}

export interface CommitChanges {
  commit: string;
  parents: string[];
  changes: FileChange[];
  /** False if a name is not valid UTF-8 and is therefore missing from the changes. */
  isWhole: boolean;
}

const MAX_FILES = 100_000;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Omits links, submodules and names that are not valid UTF-8. */
export async function listTree(mirror: Mirror, commit: string): Promise<Tree> {
  const output = await mirror.git(['ls-tree', '-r', '-z', '-l', '--full-tree', commit]);
  const files = new Map<string, TreeFile>();
  const warnings: string[] = [];
  let unreadable = 0;
  for (const record of splitAtNul(output)) {
    const tab = record.indexOf(9);
    const [mode, type, blob, size] = record.subarray(0, tab).toString('latin1').split(/ +/);
    if (type !== 'blob' || !isRegular(mode)) continue;
    const path = decodePath(record.subarray(tab + 1));
    if (path === undefined) {
      unreadable++;
      continue;
    }
    files.set(path, { path, blob: blob!, size: Number(size) });
    requireFew(files);
  }
  if (unreadable > 0) warnings.push(`${unreadable} files were left out: their names are not valid UTF-8`);
  return { files, warnings };
}

/** Cheaper than listing the whole tree again. */
export async function changeTree(
  mirror: Mirror,
  before: Tree,
  commits: readonly Pick<CommitChanges, 'changes'>[],
): Promise<Tree> {
  const blobs = commits
    .flatMap(({ changes }) => changes.map(({ blob }) => blob))
    .filter((blob) => blob !== '');
  const sizes = await askSizes(mirror, [...new Set(blobs)]);
  const files = new Map(before.files);
  for (const { changes } of commits) {
    for (const { path, from, blob } of changes)
      if (blob === '' || from !== undefined) files.delete(from ?? path);
    for (const { path, blob } of changes)
      if (blob !== '') files.set(path, { path, blob, size: sizes.get(blob)! });
  }
  requireFew(files);
  return { files, warnings: before.warnings };
}

async function askSizes(mirror: Mirror, blobs: readonly string[]): Promise<Map<string, number>> {
  if (blobs.length === 0) return new Map();
  const answer = await mirror.git(['cat-file', '--batch-check=%(objectsize)'], { stdin: blobs.join('\n') });
  const sizes = answer.toString('latin1').split('\n');
  return new Map(blobs.map((blob, n) => [blob, Number(sizes[n])]));
}

function requireFew(files: ReadonlyMap<string, TreeFile>): void {
  if (files.size > MAX_FILES) throw new GitError(`The repository holds more than ${MAX_FILES} files`, null);
}

/** Undefined if `from` is gone. */
export async function compareHistories(
  mirror: Mirror,
  from: string,
  to: string,
): Promise<{ isAncestor: boolean; steps: number } | undefined> {
  try {
    // One run, because starting git costs more than the answer.
    const counts = await mirror.git([
      'rev-list',
      '--count',
      '--left-right',
      '--first-parent',
      `${from}...${to}`,
      '--',
    ]);
    const [onlyOld, onlyNew] = counts.toString().split('\t').map(Number);
    return { isAncestor: onlyOld === 0, steps: onlyNew! };
  } catch (error) {
    if (await mirror.hasCommit(from)) throw error;
    return undefined;
  }
}

/** Oldest first. */
export async function listHistory(mirror: Mirror, from: string, to: string): Promise<CommitChanges[]> {
  const output = await mirror.git([
    'log',
    '--first-parent',
    '--diff-merges=first-parent',
    '--reverse',
    '--format=%x01%H %P',
    ...RAW_DIFF,
    `${from}..${to}`,
  ]);
  return parseHistory(output);
}

const RAW_DIFF = ['--raw', '-z', '--no-abbrev', '-M', '-l0', '--no-ext-diff', '--no-textconv'];

export async function compareCommits(mirror: Mirror, from: string, to: string): Promise<FileChange[]> {
  const output = await mirror.git(['diff', ...RAW_DIFF, from, to]);
  return parseHistory(Buffer.concat([Buffer.from('\u0001- \0'), output]))[0]?.changes ?? [];
}

function parseHistory(output: Buffer): CommitChanges[] {
  const commits: CommitChanges[] = [];
  const records = splitAtNul(output);
  for (let index = 0; index < records.length; index++) {
    const record = records[index]!;
    const text = record.toString('utf8').replace(/^\n+/, '');
    if (text.startsWith('\u0001')) {
      const [commit, ...parents] = text.slice(1).trim().split(' ');
      commits.push({ commit: commit!, parents, changes: [], isWhole: true });
    } else if (text.startsWith(':')) {
      const [oldMode, mode, , blob, status] = text.slice(1).split(' ');
      const hasTwo = /^[RC]/.test(status ?? '');
      const first = decodePath(records[++index]!);
      const second = hasTwo ? decodePath(records[++index]!) : undefined;
      const entry = {
        wasFile: isRegular(oldMode),
        isFile: isRegular(mode),
        blob: blob!,
        status: status?.[0] ?? '',
      };
      const last = commits.at(-1)!;
      last.changes.push(...asChanges(entry, first, second));
      if (first === undefined || (hasTwo && second === undefined)) last.isWhole = false;
    }
  }
  return commits;
}

interface RawEntry {
  wasFile: boolean;
  isFile: boolean;
  blob: string;
  status: string;
}

function isRegular(mode: string | undefined): boolean {
  return mode === '100644' || mode === '100755' || mode === '100664';
}

/** Links and submodules are not files: turning into one is a removal, and back an addition. */
function asChanges(entry: RawEntry, first: string | undefined, second: string | undefined): FileChange[] {
  const { wasFile, isFile, blob, status } = entry;
  const moved = status === 'R';
  const path = moved || status === 'C' ? second : first;
  const from = moved && wasFile ? first : undefined;
  const removed: FileChange[] =
    first === undefined || !wasFile ? [] : [{ status: 'removed', path: first, blob: '' }];
  if (!isFile || path === undefined) return status === 'C' ? [] : removed;
  if (moved)
    return from === undefined ? [{ status: 'added', path, blob }] : [{ status: 'renamed', path, from, blob }];
  return [{ status: status === 'A' || status === 'C' || !wasFile ? 'added' : 'changed', path, blob }];
}

export function splitAtNul(output: Buffer): Buffer[] {
  const records: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0, start); end >= 0; end = output.indexOf(0, start)) {
    records.push(output.subarray(start, end));
    start = end + 1;
  }
  if (start < output.length) records.push(output.subarray(start));
  return records;
}

function decodePath(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
