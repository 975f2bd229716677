import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../desk-files.js';
import { FIRST_UID, LAST_UID } from './build-users.js';

/** Of the machine and not of the desk: two desks may share one, and the end of a build kills everything of its user. */
const LEDGER = '/run/guildhall-build-users';
const SETTLING_MS = 60_000;

/** A user number that no other build on this machine has. It is free again when the build's folder no longer names it. */
export function reserveUid(spool: string): number {
  mkdirSync(LEDGER, { recursive: true, mode: 0o700 });
  for (let uid = FIRST_UID; uid <= LAST_UID; uid += 1) if (takeUid(uid, spool)) return uid;
  throw new Error('No user is left for another build');
}

/** The ledger is gone with the machine's last run; what was reserved in it may still have work to save. */
export function renewUid(uid: number, spool: string): void {
  mkdirSync(LEDGER, { recursive: true, mode: 0o700 });
  takeUid(uid, spool);
}

function takeUid(uid: number, spool: string): boolean {
  const entry = join(LEDGER, String(uid));
  if (!isHeld(uid, entry)) rmSync(entry, { force: true });
  try {
    writeFileSync(entry, spool, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A fresh entry counts by itself: its build is about to write the number down. */
function isHeld(uid: number, entry: string): boolean {
  const holder = readIfThere(entry);
  if (holder === undefined) return false;
  const writtenAt = statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - writtenAt < SETTLING_MS || readIfThere(join(holder, 'uid')) === String(uid);
}
