import { createReadStream } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, readFile, readlink, symlink, utimes } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { ArchiveWriter, Members, VerifiedArchive } from './archive.js';
import { FILES } from './archive.js';
import { Refusal } from './operator-output.js';
import type { TarEntry } from './tar.js';

/**
 * Not part of a backup: the database is copied separately, and the rest belongs to this machine or is itself
 * a copy.
 */
const APART = new Set(['postgres', 'postgres.location', '.lock', '.restore', 'backups', 'lost+found']);
const isApart = (name: string): boolean => APART.has(name) || name.startsWith('before-restore-');

/**
 * Whether a link stays inside the data folder even if it passes through other links. `..` is allowed only at
 * the start.
 */
function staysInside(name: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false;
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const up = steps.findIndex((step) => step !== '..');
  const depth = name.split('/').length - 1;
  return up === -1 ? steps.length <= depth : up <= depth && !steps.slice(up).includes('..');
}

/** Smaller files are read at once, so that their content matches their size. */
const SMALL = 4 * 1024 * 1024;
const MOST_NAMED_LINKS = 50;

interface FoundFile {
  name: string;
  path: string;
}

async function* listFiles(folder: string, before = ''): AsyncGenerator<FoundFile> {
  for (const child of await readdir(folder, { withFileTypes: true }).catch(unlessGone)) {
    const name = `${before}${child.name}`;
    if (before === '' && isApart(child.name)) continue;
    const path = join(folder, child.name);
    if (child.isFile() || child.isSymbolicLink()) yield { name, path };
    if (!child.isDirectory()) continue;
    // Includes empty folders, because Git recognizes a repository by its folders.
    yield { name, path };
    yield* listFiles(path, `${name}/`);
  }
}

/** The service keeps running and may remove files during the backup. */
const unlessGone = (error: NodeJS.ErrnoException): never[] => {
  if (error.code === 'ENOENT') return [];
  throw error;
};

export async function addDataFiles(
  archive: ArchiveWriter,
  dataDir: string,
  onFile: (name: string) => void,
  isOurs: (path: string) => boolean,
): Promise<{ count: number; leftOut: string[] }> {
  let count = 0;
  const outside: string[] = [];
  for await (const file of listFiles(dataDir)) {
    if (isOurs(file.path)) continue;
    onFile(file.name);
    const added = await addFile(archive, dataDir, file);
    if (added === 'added') count += 1;
    if (added === 'leads out') outside.push(file.path);
  }
  const leftOut = outside
    .slice(0, MOST_NAMED_LINKS)
    .map((path) => `the link ${path}, which leads out of the data folder`);
  const more = outside.length - leftOut.length;
  if (more > 0) leftOut.push(`${more} more links that lead out of the data folder`);
  return { count, leftOut };
}

async function addFile(
  archive: ArchiveWriter,
  dataDir: string,
  { name, path }: FoundFile,
): Promise<'added' | 'leads out' | 'no file'> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return 'no file';
  const entry = {
    name: `${FILES}${name}`,
    mode: stats.mode & 0o777,
    modified: Math.floor(stats.mtimeMs / 1000),
    target: '',
  };
  if (stats.isDirectory()) {
    await archive.add({ ...entry, kind: 'folder' }, Buffer.alloc(0));
    return 'no file';
  }
  if (stats.isSymbolicLink()) {
    const written = await readlink(path);
    // An absolute link into the data folder becomes relative, so that it works in another folder.
    const target = written.startsWith(dataDir + sep) ? relative(dirname(path), written) || '.' : written;
    if (!staysInside(name, target)) return 'leads out';
    await archive.add({ ...entry, kind: 'link', target }, Buffer.alloc(0));
  } else if (stats.size <= SMALL) {
    const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (!content) return 'no file';
    await archive.add({ ...entry, kind: 'file' }, content);
  } else {
    const content = createReadStream(path, { end: stats.size - 1 });
    await archive.addLarge({ ...entry, kind: 'file', size: stats.size }, content);
  }
  return 'added';
}

export async function restoreFiles(
  { entries }: VerifiedArchive,
  members: Members,
  folder: string,
  onFile: (name: string) => void,
): Promise<number> {
  const wanted = entries.map(({ entry }) => entry).filter(({ name }) => name.startsWith(FILES));
  refuseLinksOut(wanted);
  const placeOf = (name: string) => join(folder, safePath(name.slice(FILES.length)));
  let count = 0;
  for (const { name, kind, mode, modified } of wanted) {
    const path = placeOf(name);
    if (kind === 'folder') await mkdir(path);
    if (kind !== 'file') continue;
    onFile(name.slice(FILES.length));
    const file = await open(path, 'wx', mode);
    try {
      for await (const chunk of members.read(name)) await file.writeFile(chunk);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await utimes(path, modified, modified);
    count += 1;
  }
  // Creates links last, so that nothing is written through one, and sets folder modes after all files are
  // written.
  for (const { name, kind, target } of wanted) if (kind === 'link') await symlink(target, placeOf(name));
  for (const { name, kind, mode } of wanted.toReversed())
    if (kind === 'folder') await chmod(placeOf(name), mode);
  return count;
}

/**
 * Checked before anything is written: no link may lead out of the folder, and no entry may be behind a link.
 */
function refuseLinksOut(entries: readonly TarEntry[]): void {
  const links = new Set(entries.filter(({ kind }) => kind === 'link').map(({ name }) => name));
  for (const { name, kind, target } of entries) {
    const path = name.slice(FILES.length);
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1))
      if (links.has(name.slice(0, at)))
        throw new Refusal(`The backup holds something behind a link: ${JSON.stringify(path)}.`);
    if (kind === 'link' && !staysInside(path, target))
      throw new Refusal(
        `The backup holds a link that leads out of the data folder: ${JSON.stringify(path)}.`,
      );
  }
}

/** An untrusted archive may name any path. Only paths below the folder are written. */
function safePath(name: string): string {
  const isInside = name !== '' && posix.normalize(`/${name}`) === `/${name}` && !name.includes('\0');
  if (!isInside || isApart(name.split('/')[0]!))
    throw new Refusal(`The backup names a file that has no place in a data folder: ${JSON.stringify(name)}.`);
  return name;
}
