import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stopLeftServer } from '../database/embedded/embedded.js';
import { replaceFile, syncFolder } from '../files/atomic-file.js';
import { Refusal } from './operator-output.js';

/** Where a restore builds the new data. It exists until the restore is complete. */
export const stagingIn = (dataDir: string): string => join(dataDir, '.restore');
/** Written when everything is built. From then on the old data is moved aside. */
const readyMark = (dataDir: string): string => join(stagingIn(dataDir), 'ready.json');

export const isThere = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined;

/** Starting during an unfinished restore would serve a mixture of old and new data. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if (!(await isThere(stagingIn(dataDir)))) return;
  const otherwise = (await isThere(readyMark(dataDir)))
    ? ''
    : `, or delete ${stagingIn(dataDir)} to keep the previous data`;
  throw new Refusal(`A restore into ${dataDir} was not finished: run it again${otherwise}.`);
}

/**
 * A data folder is replaced in two steps that may be interrupted. The new data is built inside the old
 * folder, which may be a mounted disk. Then a plan is written, and files are only renamed.
 */

interface Plan {
  archive: string;
  aside: string | undefined;
  old: string[];
}

export const builtIn = (dataDir: string): string => join(stagingIn(dataDir), 'data');

/** Lists the content of the folder without the lock and the staging folder. */
export async function listContent(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir);
  return names.filter(
    (name) =>
      !['.lock', 'lost+found', 'backups', basename(stagingIn(dataDir))].includes(name) &&
      !name.startsWith('before-restore-'),
  );
}

/** Removes what an earlier attempt built and stops its database server. */
export async function clearStaging(dataDir: string): Promise<void> {
  await stopLeftServer(builtIn(dataDir));
  await rm(stagingIn(dataDir), { recursive: true, force: true });
}

/** The mode 0711 lets the account of the database server enter the folder. */
export async function openStaging(dataDir: string): Promise<string> {
  await clearStaging(dataDir);
  await mkdir(builtIn(dataDir), { recursive: true, mode: 0o711 });
  return builtIn(dataDir);
}

/** From here on the restore can only be completed. */
export async function markReady(dataDir: string, archive: string, aside: string): Promise<void> {
  const old = await listContent(dataDir);
  const plan: Plan = { archive, old, aside: old.length > 0 ? await openAside(dataDir, aside) : undefined };
  await replaceFile(readyMark(dataDir), JSON.stringify(plan), { mode: 0o600 });
}

export async function findPlan(dataDir: string): Promise<Plan | undefined> {
  const text = await readFile(readyMark(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Plan);
}

/**
 * Moves the old data out and the new data in, skipping completed steps. Returns the location of the old data.
 */
export async function putInPlace(dataDir: string): Promise<string | undefined> {
  const { aside, old } = (await findPlan(dataDir))!;
  for (const name of aside ? old : []) {
    const target = join(aside!, name);
    if (!(await isThere(target))) await rename(join(dataDir, name), target);
  }
  const built = builtIn(dataDir);
  for (const name of await readdir(built).catch(() => [])) {
    if (name !== '.lock') await rename(join(built, name), join(dataDir, name));
  }
  await syncFolder(dataDir);
  await rm(stagingIn(dataDir), { recursive: true });
  return aside;
}

/**
 * Creates the folder next to the data folder, or inside it when the parent is on another disk or not
 * writable.
 */
async function openAside(dataDir: string, name: string): Promise<string> {
  const beside = join(dirname(dataDir), `${basename(dataDir)}.${name}`);
  try {
    await mkdir(beside, { mode: 0o711 });
    if ((await stat(beside)).dev === (await stat(dataDir)).dev) return beside;
    await rmdir(beside);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  const inside = join(dataDir, name);
  await mkdir(inside, { mode: 0o711 });
  return inside;
}
