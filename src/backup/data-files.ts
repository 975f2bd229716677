import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveWriter } from './archive-writer.js';
import { FILES } from './manifest.js';

/** What a data folder holds that no backup takes along: the database has its own way, and the rest is of this machine or a copy itself. */
const APART = new Set(['postgres', 'postgres.location', '.lock', '.restore', 'backups', 'lost+found']);
export const isApart = (name: string): boolean => APART.has(name) || name.startsWith('before-restore-');

/** Smaller files are read at once, so that nobody changes them between their size and their content. */
const SMALL = 4 * 1024 * 1024;

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
): Promise<number> {
  let count = 0;
  for await (const file of listFiles(dataDir)) {
    if (isOurs(file.path)) continue;
    onFile(file.name);
    if (await addFile(archive, file)) count += 1;
  }
  return count;
}

/** Answers whether it was a file. */
async function addFile(archive: ArchiveWriter, { name, path }: FoundFile): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return false;
  const entry = {
    name: `${FILES}${name}`,
    mode: stats.mode & 0o777,
    modified: Math.floor(stats.mtimeMs / 1000),
    target: '',
  };
  if (stats.isDirectory()) {
    await archive.add({ ...entry, kind: 'folder' }, Buffer.alloc(0));
    return false;
  }
  if (stats.isSymbolicLink()) {
    const target = await readlink(path);
    await archive.add({ ...entry, kind: 'link', target }, Buffer.alloc(0));
  } else if (stats.size <= SMALL) {
    const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (!content) return false;
    await archive.add({ ...entry, kind: 'file' }, content);
  } else {
    const content = createReadStream(path, { end: stats.size - 1 });
    await archive.addLarge({ ...entry, kind: 'file', size: stats.size }, content);
  }
  return true;
}
