import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWhole } from '../desk-files.js';
import { buildFolder } from '../spool/build-folder.js';
import { asUser } from './isolation.js';

/**
 * The end of a build kills all processes of its user, so a wrong user id would kill someone else's processes.
 */
describe('User of a build', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'guildhall-user-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const folder = () => buildFolder({ work: root, checkouts: root }, 'one');

  it.each(['', '0', '1000', '60577', '61184', '-1', '6e4', 'x', '\0\0', '60600.5'])(
    'rejects %j from the file',
    (text) => {
      writeWhole(join(root, 'one', 'uid'), text);
      expect(folder().uid()).toBeNull();
    },
  );

  it.each([60_578, 61_183])('accepts the kept id %i', (uid) => {
    folder().keepUid(uid);
    expect(folder().uid()).toBe(uid);
    expect(asUser(uid)).toContain(`--reuid=${uid}`);
  });

  it.each([0, 1000, 60_577, 61_184, Number.NaN])('refuses to run or kill anything as user %d', (uid) => {
    expect(() => asUser(uid)).toThrow('no user of a build');
  });
});
