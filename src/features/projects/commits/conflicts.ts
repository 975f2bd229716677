import { GitError } from '../git/git-program.js';
import type { Mirror } from '../git/mirror.js';
import { splitAtNul } from '../git/tree.js';

const MOST_OUTPUT = 16 * 1024 * 1024;

/** What git itself could not bring together. Nothing is checked out; the trees that it writes are nobody's. */
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
    // How it says that there are some.
    if (!(error instanceof GitError) || error.exitCode !== 1) throw error;
  }
  const [, ...paths] = splitAtNul(Buffer.concat(output)).map(String);
  return [...new Set(paths)].slice(0, most);
}
