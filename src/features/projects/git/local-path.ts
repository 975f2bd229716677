import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';

/**
 * The real place of a local repository, links resolved, or undefined when it lies outside the workspace's own folder.
 * A place that does not exist yet is judged by the folder it would be in.
 */
export async function resolveLocalRepository(home: string, written: string): Promise<string | undefined> {
  const root = await realOrSame(resolve(home));
  const wanted = isAbsolute(written) ? resolve(written) : resolve(root, stripOwnFolder(root, written));
  const place = await realOrSame(wanted);
  if (!isInside(root, place)) return undefined;
  return (await pointsOutside(root, place)) ? undefined : place;
}

/** `12/app` and `app` both name a repository of workspace 12. */
function stripOwnFolder(root: string, written: string): string {
  const prefix = `${basename(root)}/`;
  return written.startsWith(prefix) ? written.slice(prefix.length) : written;
}

function isInside(root: string, place: string): boolean {
  return place.startsWith(root + sep);
}

async function realOrSame(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    // A link that leads nowhere yet may lead anywhere later.
    if (
      await lstat(path).then(
        (entry) => entry.isSymbolicLink(),
        () => false,
      )
    )
      return sep;
    return parent === path ? path : join(await realOrSame(parent), basename(path));
  }
}

/** A repository can borrow its data from elsewhere: by a `.git` file, a linked folder, or alternates. */
async function pointsOutside(root: string, place: string): Promise<boolean> {
  const inner = join(place, '.git');
  const innerEntry = await lstat(inner).catch(() => undefined);
  if (innerEntry && !innerEntry.isDirectory()) return true;
  const gitFolder = innerEntry ? inner : place;
  for (const part of ['objects', 'refs', 'commondir', 'HEAD', 'packed-refs', 'config']) {
    const target = join(gitFolder, part);
    const real = await realpath(target).catch(() => undefined);
    if (real && !isInside(root, real)) return true;
  }
  if (
    await stat(join(gitFolder, 'commondir')).then(
      () => true,
      () => false,
    )
  )
    return true;
  const alternates = await readFile(join(gitFolder, 'objects/info/alternates'), 'utf8').catch(() => '');
  return alternates.trim() !== '';
}
