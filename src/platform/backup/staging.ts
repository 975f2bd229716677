import { mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stopLeftServer } from '../database/embedded/embedded.js';
import { replaceFile, syncFolder } from '../files/atomic-file.js';
import { isThere, readyMark, stagingIn } from './unfinished-restore.js';

/**
 * A data folder is replaced in two steps, each of which may be cut short. The new one is built beside the old, inside it, which also
 * works where the folder is a disk of its own. Then a mark is set that says what goes where, and things only change their names.
 */

interface Plan {
  /** The digest of the archive. */
  archive: string;
  /** Where the old goes; undefined when there is none. */
  aside: string | undefined;
  old: string[];
}

export const builtIn = (dataDir: string): string => join(stagingIn(dataDir), 'data');

/** What belongs to somebody: the claim on the folder and the staging do not count. */
export async function listContent(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir);
  return names.filter(
    (name) =>
      !['.lock', 'lost+found', 'backups', basename(stagingIn(dataDir))].includes(name) &&
      !name.startsWith('before-restore-'),
  );
}

/** Throws away what an earlier attempt built, with the database server that it may have left running. */
export async function clearStaging(dataDir: string): Promise<void> {
  await stopLeftServer(builtIn(dataDir));
  await rm(stagingIn(dataDir), { recursive: true, force: true });
}

/** The folder to build in. The account of the database server has to get through to it. */
export async function openStaging(dataDir: string): Promise<string> {
  await clearStaging(dataDir);
  await mkdir(builtIn(dataDir), { recursive: true, mode: 0o711 });
  return builtIn(dataDir);
}

/** From here on the new one is the one that counts. */
export async function markReady(dataDir: string, archive: string, aside: string): Promise<void> {
  const old = await listContent(dataDir);
  const plan: Plan = { archive, old, aside: old.length > 0 ? await openAside(dataDir, aside) : undefined };
  await replaceFile(readyMark(dataDir), JSON.stringify(plan), { mode: 0o600 });
}

/** The plan of a restore that was cut short after it was ready. */
export async function findPlan(dataDir: string): Promise<Plan | undefined> {
  const text = await readFile(readyMark(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Plan);
}

/** Moves the old away and the new in; what was done already is not done twice. Answers where the old is. */
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

/** Beside the data folder; where that is another disk, or not ours to write to, inside it. */
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
