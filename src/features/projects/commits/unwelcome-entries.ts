import { posix } from 'node:path';
import { GitError, type RunGit, TOO_MUCH } from '../git/git-program.js';

interface Link {
  path: string;
  blob: string;
}

const LINK = '120000';
const SUBMODULE = '160000';
const MOST_FILES = 100_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_LINKS = 1000;
const LONGEST_TARGET = 4096;
const TOO_MANY_FILES = 'The branch holds too many files';

/** Links that leave the repository, submodules and too many files are rejected; the base is not checked. */
export async function findUnwelcome(run: RunGit, base: string, head: string): Promise<string | undefined> {
  if (!(await hasFewFiles(run, head))) return TOO_MANY_FILES;
  const { links, submodules } = await readChanges(run, base, head);
  const [submodule] = submodules;
  if (submodule !== undefined) return `The branch adds a submodule at ${shown(submodule)}`;
  if (links.length > MOST_LINKS) return 'The branch holds too many symbolic links';
  return findBadLink(run, links);
}

/** A dozen trees can expand to billions of files, so they are counted while git lists them. */
async function hasFewFiles(run: RunGit, head: string): Promise<boolean> {
  let count = 0;
  try {
    await run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', head], {
      maxBytes: MOST_BYTES,
      onOutput(chunk) {
        for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) count += 1;
      },
    });
  } catch (error) {
    if (error instanceof GitError && error.complaint === TOO_MUCH) return false;
    throw error;
  }
  return count <= MOST_FILES;
}

async function readChanges(run: RunGit, base: string, head: string) {
  const links: Link[] = [];
  const submodules: string[] = [];
  let rest = Buffer.alloc(0);
  let modes: string[] | undefined;
  const take = (record: Buffer) => {
    if (modes === undefined) {
      modes = record.toString('latin1').slice(1).split(' ');
      return;
    }
    const [oldMode, mode, , blob] = modes;
    modes = undefined;
    if (mode === SUBMODULE && oldMode !== SUBMODULE) submodules.push(record.toString('utf8'));
    if (mode === LINK) links.push({ path: record.toString('utf8'), blob: blob! });
  };
  await run(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', base, head], {
    onOutput(chunk) {
      rest = Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0, start)) {
        take(rest.subarray(start, end));
        start = end + 1;
      }
      rest = rest.subarray(start);
    },
  });
  return { links, submodules };
}

async function findBadLink(run: RunGit, links: readonly Link[]): Promise<string | undefined> {
  if (links.length === 0) return undefined;
  const stdin = links.map(({ blob }) => `${blob}\n`).join('');
  const sizes = (await run(['cat-file', '--batch-check=%(objectsize)'], { stdin }))
    .toString('latin1')
    .split('\n');
  const long = links.find((_, at) => Number(sizes[at]) > LONGEST_TARGET);
  if (long) return `The symbolic link at ${shown(long.path)} is too long`;
  let targets = await run(['cat-file', '--batch=%(objectsize)'], { stdin });
  for (const { path } of links) {
    const start = targets.indexOf(10) + 1;
    const end = start + Number(targets.toString('latin1', 0, start));
    if (leadsOut(path, targets.toString('utf8', start, end)))
      return `The symbolic link at ${shown(path)} leads out of the repository`;
    targets = targets.subarray(end + 1);
  }
  return undefined;
}

function leadsOut(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || target.includes('\\') || target.includes('\0')) return true;
  // A name before `..` may be a link, so `..` may lead elsewhere.
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const inwards = steps.findIndex((step) => step !== '..');
  if (inwards >= 0 && steps.includes('..', inwards)) return true;
  const place = posix.normalize(posix.join(posix.dirname(path), target));
  return place.split('/').some((part) => part === '..' || part.toLowerCase() === '.git');
}

const shown = (path: string): string => JSON.stringify(path.slice(0, 200).toWellFormed());
