import { posix } from 'node:path';
import type { GitRun } from '../git/git-program.js';
import { splitAtNul } from '../git/tree.js';

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

const LINK = '120000';
const SUBMODULE = '160000';
const MOST_LINKS = 1000;
const LONGEST_TARGET = 4096;

/**
 * What the branch brings in that no checkout should meet: a link that leads out of the repository or into git's own folder,
 * and another repository whose commits nobody here has. What was there before stays as it is.
 */
export async function findUnwelcome(run: Run, base: string, head: string): Promise<string | undefined> {
  const raw = await run(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', base, head]);
  const records = splitAtNul(raw);
  const links: { path: string; blob: string }[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [oldMode, mode, , blob] = records[at]!.toString('latin1').slice(1).split(' ');
    const path = records[at + 1]!.toString('utf8');
    if (mode === SUBMODULE && oldMode !== SUBMODULE) return `The branch adds a submodule at ${shown(path)}`;
    if (mode === LINK) links.push({ path, blob: blob! });
  }
  if (links.length > MOST_LINKS) return 'The branch holds too many symbolic links';
  for (const { path, blob } of links) {
    const size = Number((await run(['cat-file', '-s', blob])).toString());
    if (size > LONGEST_TARGET) return `The symbolic link at ${shown(path)} is too long`;
    if (leadsOut(path, (await run(['cat-file', 'blob', blob])).toString('utf8')))
      return `The symbolic link at ${shown(path)} leads out of the repository`;
  }
  return undefined;
}

function leadsOut(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || target.includes('\\') || target.includes('\0')) return true;
  const place = posix.normalize(posix.join(posix.dirname(path), target));
  return place.split('/').some((part) => part === '..' || part.toLowerCase() === '.git');
}

const shown = (path: string): string => JSON.stringify(path.slice(0, 200).toWellFormed());
