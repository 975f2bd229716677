import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';

const MOST_FILES = 5000;
const DEEPEST = 6;

/** The real folder that a configured path means, or undefined when there is none inside `root`, links followed. */
export async function findSourceFolder(root: string, path: string): Promise<string | undefined> {
  try {
    const realRoot = await realpath(root);
    const folder = await realpath(resolve(realRoot, path));
    if (!isInside(realRoot, folder) || !(await stat(folder)).isDirectory()) return undefined;
    return folder;
  } catch {
    return undefined;
  }
}

const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

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
