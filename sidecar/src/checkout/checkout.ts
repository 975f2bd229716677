import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DeskFiles, remove, removeTree } from '../desk-files.js';
import type { BuildFolder } from '../spool/build-folder.js';
import type { Committer, StartedBuild } from '../work/build-protocol.js';
import { cacheBundle, dropCache, shareObjects } from './cache.js';
import { runGit } from './git.js';

/** The folders of a build's coder. What holds them is root's, so none of them can be swapped for something else. */
export function makeArea(files: DeskFiles, folder: BuildFolder, uid: number | null): void {
  removeTree(folder.area);
  mkdirSync(folder.area, { recursive: true });
  mkdirSync(folder.checkout, { mode: 0o700 });
  for (const path of [folder.home, folder.tmp, folder.out]) {
    mkdirSync(path, { mode: 0o700 });
    if (uid !== null) chownSync(path, uid, uid);
  }
  if (uid === null) return;
  // Another user must be able to walk through the desk's own folders, not to look into them.
  for (const path of [files.state, files.checkouts]) chmodSync(path, 0o711);
  chownSync(folder.area, 0, uid);
  chmodSync(folder.area, 0o750);
}

/** After the end nobody but root reads it: the user's number is given to other builds. */
export function lockArea(folder: BuildFolder): void {
  try {
    chownSync(folder.area, 0, 0);
    chmodSync(folder.area, 0o700);
  } catch {
    // A desk without root has but one user.
  }
}

/** A repository of the build's own on the branch it is to fill. The files come later, written by the build's user. */
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
    // The next build fetches anew what this one could not use.
    dropCache(files, name);
    throw error;
  }
  writeFileSync(join(repository, 'config'), repositoryConfig(started), { flag: 'a' });
  if (uid === null) return;
  // The outermost last: until then nobody else can enter it, so nothing changes under root's hands.
  giveTo(uid, repository);
  chownSync(folder.checkout, uid, uid);
}

/** The coder commits under its own name, at the same address. */
const repositoryConfig = ({
  coder,
  committer: { email },
}: Pick<StartedBuild, 'coder'> & { committer: Committer }): string =>
  `[user]\n\tname = ${/^[a-z]+$/.test(coder) ? coder : 'coder'}\n\temail = "${email}"\n[gc]\n\tauto = 0\n`;

/** All but the shared objects: those are other builds' too, and stay root's. */
function giveTo(uid: number, folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(uid, path);
    else if (!path.includes('/objects/pack/')) lchownSync(path, uid, uid);
  }
  lchownSync(folder, uid, uid);
}
