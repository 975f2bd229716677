import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type DeskFiles, remove } from '../desk-files.js';
import { runGit } from './git.js';

type CacheFiles = Pick<DeskFiles, 'cache'>;

const MOST_PACKS = 20;

/** The first commit identifies a code base: only builds of the same code base share a cache. */
const isKey = (name: string): boolean => /^[0-9a-f]{40,64}\.git$/.test(name);

const listCaches = ({ cache }: CacheFiles): string[] => {
  try {
    return readdirSync(cache).filter(isKey);
  } catch {
    return [];
  }
};

export async function findCached(files: CacheFiles, sha: string): Promise<string | undefined> {
  for (const name of listCaches(files)) {
    const found = await runGit(join(files.cache, name), 'cat-file', '-e', `${sha}^{commit}`).then(
      () => true,
      () => false,
    );
    if (found) return name;
  }
  return undefined;
}

/** Adds the new objects of a bundle to the cache of its code base and returns the cache's name. */
export async function cacheBundle(
  files: CacheFiles,
  { bundle, sha, work }: { bundle: string; sha: string; work: string },
): Promise<string> {
  remove(work);
  mkdirSync(work, { recursive: true });
  await runGit(work, 'init', '--quiet', '--bare', '--template=', '.');
  await runGit(work, 'bundle', 'unbundle', bundle);
  await runGit(work, 'update-ref', `refs/bases/${sha}`, sha);
  const roots = (await runGit(work, 'rev-list', '--max-parents=0', sha)).split('\n').sort();
  const name = `${roots[0]}.git`;
  mkdirSync(files.cache, { recursive: true, mode: 0o700 });
  const target = join(files.cache, name);
  if (!existsSync(target) && moved(work, target)) return name;
  // A single pack, because checkouts share packs.
  const ref = `+refs/bases/${sha}:refs/bases/${sha}`;
  await runGit(
    target,
    '-c',
    'fetch.unpackLimit=1',
    '-c',
    'gc.auto=0',
    'fetch',
    '--quiet',
    '--no-tags',
    work,
    ref,
  );
  remove(work);
  return name;
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Hard-links the packs of a cache into a repository, so that either can be deleted without the other. */
export function shareObjects(files: CacheFiles, name: string, repository: string): void {
  const from = join(files.cache, name, 'objects/pack');
  const to = join(repository, 'objects/pack');
  mkdirSync(to, { recursive: true });
  // Link the pack first: git fails on an index without its pack and ignores a pack without its index.
  const rank = (file: string) => (file.endsWith('.idx') ? 1 : 0);
  const packs = readdirSync(from).filter((file) => /^pack-[0-9a-f]+\.(pack|idx|rev)$/.test(file));
  for (const file of packs.sort((a, b) => rank(a) - rank(b))) {
    try {
      linkSync(join(from, file), join(to, file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      copyFileSync(join(from, file), join(to, file));
    }
  }
}

export const dropCache = ({ cache }: CacheFiles, name: string): void => {
  if (isKey(name)) remove(join(cache, name));
};

/**
 * Merges the packs of each cache. Runs only while no build does, because a checkout may be linking a pack.
 */
export async function tidyCaches(files: CacheFiles): Promise<void> {
  for (const name of listCaches(files)) {
    const folder = join(files.cache, name);
    const packs = readdirSync(join(folder, 'objects/pack')).filter((file) => file.endsWith('.pack'));
    if (packs.length > MOST_PACKS) await runGit(folder, 'repack', '-a', '-d', '--quiet');
  }
}
