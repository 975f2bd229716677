import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaveLedger, renewUid, reserveUid } from './user-ledger.js';

/**
 * Two desks can share a machine. Ending a build kills all processes of its user, so no two builds may share
 * one.
 */
describe('Build users on one machine', () => {
  let root: string;
  let ledgers: string[];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'guildhall-ledger-'));
    ledgers = [join(root, 'kept'), join(root, 'run')];
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** Reserves a user id and writes it to the build's folder. */
  function takeUid(name: string): number {
    const spool = join(root, name);
    mkdirSync(spool, { recursive: true });
    const uid = reserveUid(spool, ledgers);
    writeFileSync(join(spool, 'uid'), String(uid));
    return uid;
  }

  it('stay distinct when a desk starts late after a reboot', () => {
    const old = takeUid('one-desk/work/b1');
    expect(takeUid('other-desk/work/b2')).not.toBe(old);
    // A reboot empties /run, and the reservation is old.
    rmSync(ledgers[1]!, { recursive: true });
    utimesSync(join(ledgers[0]!, String(old)), 0, 0);
    expect(takeUid('other-desk/work/b3')).not.toBe(old);
    expect(renewUid(old, join(root, 'one-desk/work/b1'), ledgers)).toBe(true);
  });

  it('excludes ids of builds that an older release reserved in the other ledger', () => {
    const spool = join(root, 'old-desk/work/b1');
    mkdirSync(spool, { recursive: true });
    const first = takeUid('x/work/b');
    leaveLedger(join(root, 'x/work'), ledgers);
    mkdirSync(ledgers[1]!, { recursive: true });
    writeFileSync(join(ledgers[1]!, String(first)), spool);
    expect(takeUid('y/work/b')).not.toBe(first);
    expect(existsSync(join(ledgers[0]!, String(first)))).toBe(false);
    expect(renewUid(first, join(root, 'z/work/b'), ledgers)).toBe(false);
  });

  it('frees an id that its build no longer names, and removes the ledger with the last desk', () => {
    const uid = takeUid('one-desk/work/b1');
    rmSync(join(root, 'one-desk/work/b1/uid'));
    for (const ledger of ledgers) utimesSync(join(ledger, String(uid)), 0, 0);
    expect(takeUid('other-desk/work/b2')).toBe(uid);
    leaveLedger(join(root, 'one-desk/work'), ledgers);
    expect(existsSync(ledgers[0]!)).toBe(true);
    leaveLedger(join(root, 'other-desk/work'), ledgers);
    expect(existsSync(ledgers[0]!)).toBe(false);
  });
});
