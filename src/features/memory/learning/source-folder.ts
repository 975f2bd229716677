import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';

const MOST_FILES = 5000;
const DEEPEST = 6;
/** Who says what to whom is the workspace's own business. */
const HOME_MODE = 0o700;

export interface SourceFolder {
  /** The folder of the workspace's own, which nothing read may lie outside of. */
  home: string;
  folder: string;
}

/**
 * The real folder that a configured path means, or undefined when there is none inside the workspace's own folder, links
 * followed. The workspace's folder itself is made when it is missing, and counts only where it really is.
 */
export async function findSourceFolder(
  sourcesDir: string,
  brandId: number,
  path: unknown,
): Promise<SourceFolder | undefined> {
  if (typeof path !== 'string' || path === '') return undefined;
  try {
    await mkdir(join(sourcesDir, String(brandId)), { recursive: true, mode: HOME_MODE });
    const home = join(await realpath(sourcesDir), String(brandId));
    if ((await realpath(home)) !== home) return undefined;
    const folder = await realpath(resolve(home, path));
    return isInside(home, folder) && (await stat(folder)).isDirectory() ? { home, folder } : undefined;
  } catch {
    return undefined;
  }
}

const isInside = (home: string, path: string): boolean => path === home || path.startsWith(home + sep);

/** Session files below a folder, by their path relative to it. Links are not followed: what they point to may lie elsewhere. */
export async function listSessionFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST_FILES) return;
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < DEEPEST) await visit(path, depth + 1);
      else if (entry.isFile() && entry.name.endsWith('.jsonl')) found.push(relative(folder, path));
    }
  };
  await visit(folder, 0);
  return found;
}

/** Without waiting for a pipe's other end, and without following a link that took the file's place. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Judged once more on what was really opened, since a folder on the way can be exchanged after it was listed; undefined: passed over. */
export async function openSessionFile(home: string, path: string): Promise<FileHandle | undefined> {
  const file = await open(path, READ_ONLY);
  try {
    const real = await realpath(path);
    const [opened, named] = await Promise.all([file.stat(), stat(real)]);
    const isSame = opened.dev === named.dev && opened.ino === named.ino;
    if (isSame && opened.isFile() && isInside(home, real)) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}
