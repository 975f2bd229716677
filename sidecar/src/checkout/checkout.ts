import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DeskFiles, remove, removeTree } from '../desk-files.js';
import type { BuildFolder } from '../spool/build-folder.js';
import type { Committer, StartedBuild } from '../work/build-protocol.js';
import { cacheBundle, dropCache, shareObjects } from './cache.js';
import { runGit } from './git.js';

/**
 * Creates the folders of a build's coder. Root owns their parent, so the coder cannot replace any of them.
 */
export function makeArea(files: DeskFiles, folder: BuildFolder, uid: number | null): void {
  removeTree(folder.area);
  mkdirSync(folder.area, { recursive: true });
  mkdirSync(folder.checkout, { mode: 0o700 });
  for (const path of [folder.home, folder.tmp, folder.out]) {
    mkdirSync(path, { mode: 0o700 });
    if (uid !== null) chownSync(path, uid, uid);
  }
  if (uid === null) return;
  // The build's user must be able to traverse the desk's folders but not list them.
  for (const path of [files.state, files.checkouts]) chmodSync(path, 0o711);
  chownSync(folder.area, 0, uid);
  chmodSync(folder.area, 0o750);
}

/** Only root may read the folder after the build, because the user id is reused by other builds. */
export function lockArea(folder: BuildFolder): void {
  try {
    chownSync(folder.area, 0, 0);
    chmodSync(folder.area, 0o700);
  } catch {
    // A desk without root has only one user.
  }
}

/** Creates the build's repository on its branch. The build's user writes the files later. */
export async function makeRepository(
  files: DeskFiles,
  folder: BuildFolder,
  started: Pick<StartedBuild, 'base_sha' | 'branch' | 'coder'> & { committer: Committer },
  uid: number | null,
): Promise<void> {
  const name =
    folder.cachedBase() ??
    (await cacheBundle(files, {
      bundle: folder.baseBundle,
      sha: started.base_sha,
      work: join(folder.spool, 'base.git'),
    }));
  remove(folder.baseBundle);
  const repository = join(folder.checkout, '.git');
  try {
    await runGit(
      folder.checkout,
      'init',
      '--quiet',
      '--template=',
      `--initial-branch=${started.branch}`,
      '.',
    );
    shareObjects(files, name, repository);
    await runGit(folder.checkout, 'update-ref', `refs/heads/${started.branch}`, started.base_sha);
  } catch (error) {
    // Drop the unusable cache so that the next build fetches again.
    dropCache(files, name);
    throw error;
  }
  writeFileSync(join(repository, 'config'), repositoryConfig(started), { flag: 'a' });
  if (uid === null) return;
  // The outermost folder last: until then the build's user cannot enter it and change files during the chown.
  giveTo(uid, repository);
  chownSync(folder.checkout, uid, uid);
}

/** Commits carry the coder's name with the desk's address. */
const repositoryConfig = ({
  coder,
  committer: { email },
}: Pick<StartedBuild, 'coder'> & { committer: Committer }): string =>
  `[user]\n\tname = ${/^[a-z]+$/.test(coder) ? coder : 'coder'}\n\temail = "${email}"\n[gc]\n\tauto = 0\n`;

/** Leaves the shared objects to root, because other builds use them too. */
function giveTo(uid: number, folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(uid, path);
    else if (!path.includes('/objects/pack/')) lchownSync(path, uid, uid);
  }
  lchownSync(folder, uid, uid);
}
