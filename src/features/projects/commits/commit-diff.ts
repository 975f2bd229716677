import type { GitRun } from '../git/git-program.js';
import { splitAtNul } from '../git/tree.js';
import { diffTooLarge } from '../projects.errors.js';

export interface DiffCount {
  files: number;
  insertions: number;
  deletions: number;
}

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

export const DIFF_LIMIT_BYTES = 1_048_576;
const DIFF_MS = 30_000;
/** A refusal names so many files that can be asked for one by one. */
const MOST_NAMED = 1000;
/** Beyond it nobody counts any more. */
const MOST_COUNTED = 256 * 1024 * 1024;
/** Nothing of the repository's own takes part, and many files that came and went are not compared each with each. */
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '-M', '-l1000', '--submodule=short'];
const LIMITS: GitRun = { timeoutMs: DIFF_MS, settings: ['core.bigFileThreshold=16m'] };

export async function countChanges(run: Run, base: string, head: string): Promise<DiffCount> {
  const line = (await run(['diff', '--shortstat', ...PLAIN, base, head], LIMITS)).toString('latin1');
  const count = (pattern: RegExp) => Number(pattern.exec(line)?.[1] ?? 0);
  return {
    files: count(/(\d+) files? changed/),
    insertions: count(/(\d+) insertions?\(\+\)/),
    deletions: count(/(\d+) deletions?\(-\)/),
  };
}

/** The diff as text, of one path alone where one is named. */
export async function readDiff(run: Run, base: string, head: string, path?: string): Promise<Buffer> {
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

/** Whether a path can name something inside a repository at all. */
export const isRepositoryPath = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.includes('\0') &&
  !path.split('/').some((part) => part === '..' || part === '.');
