import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../desk-files.js';

/** Ids that distributions, systemd and containers with 65,536 users all leave free. */
const FIRST_UID = 60_578;
const LAST_UID = 61_183;

/** Ending a build kills every process of its user, so an id outside this range is never accepted. */
export const isBuildUser = (uid: number): boolean =>
  Number.isInteger(uid) && uid >= FIRST_UID && uid <= LAST_UID;

/**
 * Ledgers belong to the machine, because desks can share one. The first survives a reboot, for a desk that
 * starts late and has work to save; older releases use only the second.
 */
const LEDGERS = ['/var/lib/guildhall-build-users', '/run/guildhall-build-users'];
const SETTLING_MS = 60_000;

/**
 * Reserves a user id that no other build on this machine has. It is free again when the build's folder no
 * longer names it.
 */
export function reserveUid(spool: string, ledgers = LEDGERS): number {
  for (let uid = FIRST_UID; uid <= LAST_UID; uid += 1) if (takeUid(uid, spool, ledgers)) return uid;
  throw new Error('No user is left for another build');
}

/** Reserves from the other end of the range, so that checks do not get an id that a coder just had. */
export function reserveCheckUid(spool: string, ledgers = LEDGERS): number {
  for (let uid = LAST_UID; uid >= FIRST_UID; uid -= 1) if (takeUid(uid, spool, ledgers)) return uid;
  throw new Error('No user is left for another check');
}

/** Renews the reservation after a reboot; false when another build has the id by now. */
export const renewUid = (uid: number, spool: string, ledgers = LEDGERS): boolean =>
  takeUid(uid, spool, ledgers);

/** Reserves the id in every ledger or in none. */
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

/** False when another process has already reserved the id. */
function enter(ledger: string, entry: string, spool: string): boolean {
  for (;;) {
    mkdirSync(ledger, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(entry, spool, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // Another desk just removed the empty ledger; create it again.
      if (code !== 'ENOENT') throw error;
    }
  }
}

/** Removes a desk's reservations, and the ledger when it was the last desk. */
export function leaveLedger(work: string, ledgers = LEDGERS): void {
  for (const ledger of ledgers) {
    try {
      for (const name of readdirSync(ledger))
        if (readIfThere(join(ledger, name))?.startsWith(`${work}/`))
          rmSync(join(ledger, name), { force: true });
      rmdirSync(ledger);
    } catch {
      // The ledger is missing or another desk still uses it.
    }
  }
}

/** A new entry counts even though its build has not written the id to its folder yet. */
function isHeld(uid: number, entry: string): boolean {
  const holder = readIfThere(entry);
  if (holder === undefined) return false;
  const writtenAt = statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - writtenAt < SETTLING_MS || readIfThere(join(holder, 'uid')) === String(uid);
}
