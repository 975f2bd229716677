import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../desk-files.js';

/** Numbers that distributions, systemd and containers with 65,536 users all leave free. */
const FIRST_UID = 60_578;
const LAST_UID = 61_183;

/** Everything of a build's user is killed with its build, and what it left is run as that user: it is never anybody else. */
export const isBuildUser = (uid: number): boolean =>
  Number.isInteger(uid) && uid >= FIRST_UID && uid <= LAST_UID;

/**
 * Of the machine and not of the desk: two desks may share one, and the end of a build kills everything of its user. The
 * first is kept when the machine is started anew, for a desk that comes up later has work to save; older releases know
 * the second alone.
 */
const LEDGERS = ['/var/lib/guildhall-build-users', '/run/guildhall-build-users'];
const SETTLING_MS = 60_000;

/** A user number that no other build on this machine has. It is free again when the build's folder no longer names it. */
export function reserveUid(spool: string, ledgers = LEDGERS): number {
  for (let uid = FIRST_UID; uid <= LAST_UID; uid += 1) if (takeUid(uid, spool, ledgers)) return uid;
  throw new Error('No user is left for another build');
}

/** For checks, from the other end: a number that a coder had a moment ago is not the next to be given to what checks its work. */
export function reserveCheckUid(spool: string, ledgers = LEDGERS): number {
  for (let uid = LAST_UID; uid >= FIRST_UID; uid -= 1) if (takeUid(uid, spool, ledgers)) return uid;
  throw new Error('No user is left for another check');
}

/** For work that was there before the machine was started anew; false when the number is another build's by now. */
export const renewUid = (uid: number, spool: string, ledgers = LEDGERS): boolean =>
  takeUid(uid, spool, ledgers);

/** In every ledger or in none. */
function takeUid(uid: number, spool: string, ledgers: string[]): boolean {
  const taken: string[] = [];
  for (const ledger of ledgers) {
    const entry = join(ledger, String(uid));
    if (readIfThere(entry) === spool) continue;
    if (!isHeld(uid, entry)) rmSync(entry, { force: true });
    if (enter(ledger, entry, spool)) {
      taken.push(entry);
      continue;
    }
    for (const mine of taken) rmSync(mine, { force: true });
    return false;
  }
  return true;
}

/** False when somebody else was faster. */
function enter(ledger: string, entry: string, spool: string): boolean {
  for (;;) {
    mkdirSync(ledger, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(entry, spool, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // Another desk of this machine has just left, and took the empty ledger with it.
      if (code !== 'ENOENT') throw error;
    }
  }
}

/** Takes out what a desk that goes has reserved, and the ledger with the last of them. */
export function leaveLedger(work: string, ledgers = LEDGERS): void {
  for (const ledger of ledgers) {
    try {
      for (const name of readdirSync(ledger))
        if (readIfThere(join(ledger, name))?.startsWith(`${work}/`))
          rmSync(join(ledger, name), { force: true });
      rmdirSync(ledger);
    } catch {
      // Not there, or another desk's too.
    }
  }
}

/** A fresh entry counts by itself: its build is about to write the number down. */
function isHeld(uid: number, entry: string): boolean {
  const holder = readIfThere(entry);
  if (holder === undefined) return false;
  const writtenAt = statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - writtenAt < SETTLING_MS || readIfThere(join(holder, 'uid')) === String(uid);
}
