import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { GitError, UNREADABLE } from './git-program.js';

/**
 * Returns the git folder of a local repository, or undefined if it is not wholly inside the folder of the
 * workspace. A path that does not exist yet is checked by its parent.
 */
export async function resolveLocalRepository(home: string, written: string): Promise<string | undefined> {
  const place = await findPlace(home, written);
  return place !== undefined && (await listOwnFolders(place)) ? place : undefined;
}

async function findPlace(home: string, written: string): Promise<string | undefined> {
  const root = await realOrSame(resolve(home));
  const wanted = isAbsolute(written) ? resolve(written) : resolve(root, stripOwnFolder(root, written));
  const place = await realOrSame(wanted);
  if (!place.startsWith(root + sep)) return undefined;
  const inner = join(place, '.git');
  return (await lstat(inner).catch(() => undefined)) ? inner : place;
}

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
    // The target of a dangling link may be created anywhere later.
    if (entry?.isSymbolicLink()) return sep;
    return parent === path ? path : join(await realOrSame(parent), basename(path));
  }
}

/** Git does not read these here, and people keep links among their hooks. */
const UNREAD = new Set(['hooks', 'lfs', 'modules']);
const MOST_ENTRIES = 500_000;
const FOLDERS_AT_ONCE = 64;
/** Settings that make git read or run something elsewhere. */
const BORROWING = /\[\s*include|promisor|partialclone/i;

/**
 * Lists the folders of a repository, or returns undefined if it borrows data from elsewhere: a `.git` file, a
 * link, `commondir`, alternates, included settings and partial clones may all lead into another workspace.
 */
async function listOwnFolders(gitFolder: string): Promise<string[] | undefined> {
  const folder = await lstat(gitFolder).catch(() => undefined);
  if (!folder) return [];
  const exists = (part: string) =>
    lstat(join(gitFolder, part)).then(
      () => true,
      () => false,
    );
  if (!folder.isDirectory() || (await exists('commondir'))) return undefined;
  // Git itself rejects a repository without objects.
  if (!(await exists('objects'))) return [gitFolder];
  // Must precede any read: reading a pipe in place of a file would never end.
  const folders = await listFolders(gitFolder);
  if (!folders) return undefined;
  const read = (...parts: string[]) => readFile(join(gitFolder, ...parts), 'utf8').catch(() => '');
  if ((await read('objects', 'info', 'alternates')).trim() !== '') return undefined;
  if (BORROWING.test((await read('config')) + (await read('config.worktree')))) return undefined;
  return folders;
}

async function listFolders(top: string): Promise<string[] | undefined> {
  const folders = [top];
  const found: string[] = [];
  let left = MOST_ENTRIES;
  while (folders.length > 0) {
    // A repository has hundreds of small folders.
    const some = folders.splice(0, FOLDERS_AT_ONCE);
    found.push(...some);
    const lists = await Promise.all(
      some.map((folder) => readdir(folder, { withFileTypes: true }).catch(() => [])),
    );
    for (const entry of lists.flat()) {
      if (--left < 0) return undefined;
      if (entry.parentPath === top && UNREAD.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(join(entry.parentPath, entry.name));
      else if (!entry.isFile()) return undefined;
    }
  }
  return found;
}

const SIGNPOSTS = ['config', 'config.worktree', 'HEAD', 'objects/info/alternates'];

/** Replacing a part and restoring it changes its ctime, which no one can set. */
async function traceOf(gitFolder: string, folders: readonly string[]): Promise<string> {
  const marks: string[] = [];
  const places = [...folders.toSorted(), ...SIGNPOSTS.map((name) => join(gitFolder, name))];
  for (let at = 0; at < places.length; at += FOLDERS_AT_ONCE) {
    const some = places.slice(at, at + FOLDERS_AT_ONCE);
    marks.push(
      ...(await Promise.all(
        some.map((place, n) =>
          // The top folder may be reached through a link.
          (at + n === 0 ? stat : lstat)(place, { bigint: true }).then(
            (entry) => `${place} ${entry.dev} ${entry.ino} ${entry.ctimeNs}`,
            () => `${place} none`,
          ),
        ),
      )),
    );
  }
  return marks.join('\n');
}

export type Standing = 'as judged' | 'changed' | 'elsewhere';

/** Kept open, so that git reads the folder that was checked even if its name is moved. */
export interface HeldRepository {
  path: string;
  look(): Promise<Standing>;
  close(): Promise<void>;
}

/**
 * Undefined if the repository is not wholly inside the folder of the workspace, or cannot be kept open: its
 * name could refer to another folder a moment later.
 */
export async function holdLocalRepository(
  home: string,
  written: string,
): Promise<HeldRepository | undefined> {
  const place = await resolveLocalRepository(home, written);
  if (place === undefined) return undefined;
  const handle = await open(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new GitError(UNREADABLE, null, 'there is no such folder');
    },
  );
  if (!handle) return undefined;
  const held = `/proc/${process.pid}/fd/${handle.fd}`;
  const opened = await readlink(held).catch(() => undefined);
  const path = opened === undefined ? place : held;
  // The path in /proc follows an open folder wherever it is moved.
  const isThere = async () => opened === undefined || (await readlink(held).catch(() => undefined)) === place;
  const inside = opened === undefined ? place : `${held}/.`;
  const standing = async () => {
    const folders = (await isThere()) ? await listOwnFolders(inside) : undefined;
    return folders && traceOf(inside, folders);
  };
  const judged = await standing();
  if (judged === undefined) {
    await handle.close();
    return undefined;
  }
  return {
    path,
    async look() {
      const now = await standing();
      if (now === undefined || (await findPlace(home, written)) !== place) return 'elsewhere';
      return now === judged ? 'as judged' : 'changed';
    },
    close: () => handle.close(),
  };
}
