import { GitError, type GitRun, type RunGit } from '../git/git-program.js';
import type { Mirror } from '../git/mirror.js';
import { splitAtNul } from '../git/tree.js';
import { diffTooLarge } from '../projects.errors.js';

export interface DiffCount {
  files: number;
  insertions: number;
  deletions: number;
}

export const DIFF_LIMIT_BYTES = 1_048_576;
const DIFF_MS = 30_000;
const MOST_NAMED = 1000;
/** A larger diff is rejected before it is counted completely. */
const MOST_COUNTED = 256 * 1024 * 1024;
/** Ignores the repository's own settings, and limits how many added and removed files are compared for renames. */
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '-M', '-l1000', '--submodule=short'];
const LIMITS: GitRun = { timeoutMs: DIFF_MS, settings: ['core.bigFileThreshold=16m'] };

export async function countChanges(run: RunGit, base: string, head: string): Promise<DiffCount> {
  const line = (await run(['diff', '--shortstat', ...PLAIN, base, head], LIMITS)).toString('latin1');
  const count = (pattern: RegExp) => Number(pattern.exec(line)?.[1] ?? 0);
  return {
    files: count(/(\d+) files? changed/),
    insertions: count(/(\d+) insertions?\(\+\)/),
    deletions: count(/(\d+) deletions?\(-\)/),
  };
}

export async function readDiff(run: RunGit, base: string, head: string, path?: string): Promise<Buffer> {
  const kept: Buffer[] = [];
  let size = 0;
  const only = path === undefined ? [] : ['--', path];
  await run(['diff', ...PLAIN, '--src-prefix=a/', '--dst-prefix=b/', base, head, ...only], {
    ...LIMITS,
    maxBytes: MOST_COUNTED,
    onOutput(chunk) {
      size += chunk.length;
      if (size <= DIFF_LIMIT_BYTES) kept.push(chunk);
      else kept.length = 0;
    },
  });
  if (size <= DIFF_LIMIT_BYTES) return Buffer.concat(kept);
  const names = splitAtNul(await run(['diff', '--name-only', '-z', ...PLAIN, base, head, ...only], LIMITS));
  const paths = names.slice(0, MOST_NAMED).map((name) => name.toString('utf8').toWellFormed());
  throw diffTooLarge(size, DIFF_LIMIT_BYTES, paths);
}

export const isRepositoryPath = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.includes('\0') &&
  !path.split('/').some((part) => part === '..' || part === '.');

/** A hunk: `oldCount` lines were replaced by `newCount` lines. */
export interface LineShift {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
}

export interface FileMove {
  path: string | null;
  shifts: LineShift[];
}

interface Entry {
  status: string;
  from: string;
  to: string | null;
}

export async function readMoves(
  run: RunGit,
  from: string,
  to: string,
  paths: readonly string[],
): Promise<Map<string, FileMove>> {
  const wanted = new Set(paths);
  const touched = (await listEntries(run, from, to, [])).filter((entry) => wanted.has(entry.from));
  if (touched.length === 0) return new Map();
  // Git detects a rename only if both names are given.
  const names = [
    ...new Set(touched.flatMap((entry) => [entry.from, ...(entry.to === null ? [] : [entry.to])])),
  ];
  const entries = await listEntries(run, from, to, names);
  const sections = await readShifts(run, from, to, names);
  const moves = new Map<string, FileMove>();
  let at = 0;
  for (const entry of entries) {
    // Git shows a changed file type as a removal and an addition.
    const changesKind = entry.status === 'T';
    const shifts = sections[at] ?? [];
    at += changesKind ? 2 : 1;
    if (wanted.has(entry.from)) moves.set(entry.from, { path: changesKind ? null : entry.to, shifts });
  }
  return moves;
}

async function listEntries(run: RunGit, from: string, to: string, only: readonly string[]): Promise<Entry[]> {
  const fields = splitAtNul(
    await run(['diff', '--name-status', '-z', ...PLAIN, from, to, '--', ...only], LIMITS),
  ).map((field) => field.toString('utf8'));
  const entries: Entry[] = [];
  for (let at = 0; at < fields.length; ) {
    const status = fields[at]!.slice(0, 1);
    const first = fields[at + 1]!;
    const renamed = status === 'R';
    entries.push({ status, from: first, to: renamed ? fields[at + 2]! : status === 'D' ? null : first });
    at += renamed ? 3 : 2;
  }
  return entries;
}

const LONGEST_HEAD = 200;
const LINE_FEED = 10;

/** Keeps only hunk headers, so that memory does not grow with the diff. */
async function readShifts(
  run: RunGit,
  from: string,
  to: string,
  only: readonly string[],
): Promise<LineShift[][]> {
  const sections: LineShift[][] = [];
  let head = '';
  const end = () => {
    if (head.startsWith('diff --git ')) sections.push([]);
    else if (head.startsWith('@@ ')) sections.at(-1)?.push(readHead(head));
    head = '';
  };
  await run(['diff', '-U0', ...PLAIN, from, to, '--', ...only], {
    ...LIMITS,
    onOutput(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const stop = chunk.indexOf(LINE_FEED, at);
        const line = chunk.subarray(at, stop < 0 ? chunk.length : stop);
        if (head.length < LONGEST_HEAD)
          head += line.subarray(0, LONGEST_HEAD - head.length).toString('latin1');
        if (stop < 0) return;
        end();
        at = stop + 1;
      }
    },
  });
  return sections;
}

function readHead(head: string): LineShift {
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(head) ?? [];
  return {
    oldStart: Number(oldStart),
    oldCount: Number(oldCount),
    newStart: Number(newStart),
    newCount: Number(newCount),
  };
}

const MOST_OUTPUT = 16 * 1024 * 1024;

export async function listConflicts(
  mirror: Mirror,
  one: string,
  other: string,
  most: number,
  signal: AbortSignal,
): Promise<string[]> {
  const output: Buffer[] = [];
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', one, other];
  const onOutput = (chunk: Buffer) => void output.push(chunk);
  try {
    await mirror.git(args, { signal, maxBytes: MOST_OUTPUT, onOutput });
    return [];
  } catch (error) {
    // Exit code 1 means that there are conflicts.
    if (!(error instanceof GitError) || error.exitCode !== 1) throw error;
  }
  const [, ...paths] = splitAtNul(Buffer.concat(output)).map(String);
  return [...new Set(paths)].slice(0, most);
}
