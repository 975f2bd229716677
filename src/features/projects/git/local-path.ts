import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';

/**
 * The folder that git reads of a local repository, or undefined when it is not wholly inside the workspace's own folder.
 * A place that does not exist yet is judged by the folder it would be in.
 */
export async function resolveLocalRepository(home: string, written: string): Promise<string | undefined> {
  const root = await realOrSame(resolve(home));
  const wanted = isAbsolute(written) ? resolve(written) : resolve(root, stripOwnFolder(root, written));
  const place = await realOrSame(wanted);
  if (!place.startsWith(root + sep)) return undefined;
  const inner = join(place, '.git');
  const gitFolder = (await lstat(inner).catch(() => undefined)) ? inner : place;
  return (await standsAlone(gitFolder)) ? gitFolder : undefined;
}

/** `12/app` and `app` both name a repository of workspace 12. */
function stripOwnFolder(root: string, written: string): string {
  const prefix = `${basename(root)}/`;
  return written.startsWith(prefix) ? written.slice(prefix.length) : written;
}

async function realOrSame(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    const entry = await lstat(path).catch(() => undefined);
    // A link that leads nowhere yet may lead anywhere later.
    if (entry?.isSymbolicLink()) return sep;
    return parent === path ? path : join(await realOrSame(parent), basename(path));
  }
}

/** Parts that are never read here; people do keep links among their hooks. */
const UNREAD = new Set(['hooks', 'lfs', 'modules']);
const MOST_ENTRIES = 500_000;
const FOLDERS_AT_ONCE = 64;
/** Settings that make git read, or run, something elsewhere. */
const BORROWING = /\[\s*include|promisor|partialclone/i;

/**
 * Whether a repository holds all its data itself: a `.git` file, a link anywhere, `commondir`, alternates, included settings
 * and missing objects fetched on demand all lead to what may be another workspace's.
 */
async function standsAlone(gitFolder: string): Promise<boolean> {
  const folder = await lstat(gitFolder).catch(() => undefined);
  if (!folder) return true;
  const exists = (part: string) =>
    lstat(join(gitFolder, part)).then(
      () => true,
      () => false,
    );
  if (!folder.isDirectory() || (await exists('commondir'))) return false;
  // Without objects it is no repository, and git says so.
  if (!(await exists('objects'))) return true;
  const read = (...parts: string[]) => readFile(join(gitFolder, ...parts), 'utf8').catch(() => '');
  if (!(await isPlain(gitFolder))) return false;
  if ((await read('objects', 'info', 'alternates')).trim() !== '') return false;
  return !BORROWING.test((await read('config')) + (await read('config.worktree')));
}

/** Folders and regular files only, all the way down. */
async function isPlain(top: string): Promise<boolean> {
  const folders = [top];
  let left = MOST_ENTRIES;
  while (folders.length > 0) {
    // A repository has hundreds of folders with little in them.
    const some = folders.splice(0, FOLDERS_AT_ONCE);
    const lists = await Promise.all(
      some.map((folder) => readdir(folder, { withFileTypes: true }).catch(() => [])),
    );
    for (const entry of lists.flat()) {
      if (--left < 0) return false;
      if (entry.parentPath === top && UNREAD.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(join(entry.parentPath, entry.name));
      else if (!entry.isFile()) return false;
    }
  }
  return true;
}
