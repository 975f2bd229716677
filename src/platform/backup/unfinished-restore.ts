import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from './refusal.js';

/** Where a restore builds what is to take the place of the old. As long as it is there, the restore is not through. */
export const stagingIn = (dataDir: string): string => join(dataDir, '.restore');
/** Written when all is built: from here on the old is moved away. */
export const readyMark = (dataDir: string): string => join(stagingIn(dataDir), 'ready.json');

export const isThere = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined;

/** Half of the old and half of the new would be served, or a new world made where an old one is about to come back. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if (!(await isThere(stagingIn(dataDir)))) return;
  const otherwise = (await isThere(readyMark(dataDir)))
    ? ''
    : `, or delete ${stagingIn(dataDir)} to go on with what was there before`;
  throw new Refusal(`A restore into ${dataDir} was not finished: run it again${otherwise}.`);
}
