import { linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DeskFiles, readIfThere, remove } from './desk-files.js';
import { identify, isProcess, type ProcessIdentity } from './runner/process-tree.js';
import { parseObject } from './work/build-protocol.js';

const PATIENCE_MS = 15_000;
const LOOK_MS = 100;
/** Longer than anybody needs between looking at a lock and taking it. */
const SETTLING_MS = 250;

/**
 * Two sidecars of one desk would both ask for builds and both ship their logs. Waits a while for the one that runs,
 * which may be about to end, and throws when it does not.
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

/** Undefined when nobody has it: one whose process has ended is nobody. */
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
  // Of several that found the same dead one, the last to write has it.
  await pause(SETTLING_MS);
  return readIfThere(lock) === own;
}
