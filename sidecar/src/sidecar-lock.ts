import { linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DeskFiles, readIfThere, remove } from './desk-files.js';
import { identify, isProcess, type ProcessIdentity } from './runner/process-tree.js';
import { parseObject } from './work/build-protocol.js';

const PATIENCE_MS = 15_000;
const LOOK_MS = 100;
/** Longer than another process needs between reading a lock and taking it. */
const SETTLING_MS = 250;

/**
 * Allows only one sidecar per desk, because two would both claim builds and ship logs. Waits in case
 * the running one is about to exit, then throws.
 */
export async function takeLock({ lock }: Pick<DeskFiles, 'lock'>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const holder = readHolder(lock);
    if (!holder && (await tryToTake(lock))) return;
    if (performance.now() > deadline)
      throw new Error(`Another sidecar of this desk runs${holder ? ` as process ${holder.pid}` : ''}`);
    await pause(LOOK_MS);
  }
}

function readHolder(lock: string): ProcessIdentity | undefined {
  const holder = parseObject(readIfThere(lock) ?? '') as ProcessIdentity | undefined;
  return holder && holder.pid !== process.pid && isProcess(holder) ? holder : undefined;
}

async function tryToTake(lock: string): Promise<boolean> {
  const own = JSON.stringify(identify(process.pid));
  const whole = `${lock}.${process.pid}.new`;
  mkdirSync(dirname(lock), { recursive: true });
  try {
    writeFileSync(whole, own, { mode: 0o600 });
    if (readIfThere(lock) === undefined) linkSync(whole, lock);
    else if (!readHolder(lock)) renameSync(whole, lock);
    else return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    remove(whole);
  }
  // If several processes replace the same stale lock, the last write wins.
  await pause(SETTLING_MS);
  return readIfThere(lock) === own;
}
