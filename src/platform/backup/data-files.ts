import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { ArchiveWriter } from './archive-writer.js';
import { FILES } from './manifest.js';

/** What a data folder holds that no backup takes along: the database has its own way, and the rest is of this machine or a copy itself. */
const APART = new Set(['postgres', 'postgres.location', '.lock', '.restore', 'backups', 'lost+found']);
export const isApart = (name: string): boolean => APART.has(name) || name.startsWith('before-restore-');

/**
 * Whether a link leads to a place in the data folder, whatever links it passes on its way: a step up is taken only at its beginning,
 * from folders that are none.
 */
export function staysInside(name: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false;
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const up = steps.findIndex((step) => step !== '..');
  const depth = name.split('/').length - 1;
  return up === -1 ? steps.length <= depth : up <= depth && !steps.slice(up).includes('..');
}

/** Smaller files are read at once, so that nobody changes them between their size and their content. */
const SMALL = 4 * 1024 * 1024;
const MOST_NAMED_LINKS = 50;

interface FoundFile {
  /** Relative to the data folder, with forward slashes. */
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
    // An empty one counts too: git knows a repository by its folders.
    yield { name, path };
    yield* listFiles(path, `${name}/`);
  }
}

/** The service goes on while this runs, and what it removes meanwhile is nothing that a backup of this moment must have. */
const unlessGone = (error: NodeJS.ErrnoException): never[] => {
  if (error.code === 'ENOENT') return [];
  throw error;
};

/** Puts every file of the data folder into the archive; answers how many. */
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
    // An absolute link into the data folder leads there too once the folder is elsewhere.
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
