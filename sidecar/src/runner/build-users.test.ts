import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWhole } from '../desk-files.js';
import { buildFolder } from '../spool/build-folder.js';
import { asUser } from './isolation.js';

/** The end of a build kills everything of its user: of any other user that must never happen. */
describe('the user of a build', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'guildhall-user-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const folder = () => buildFolder({ work: root, checkouts: root }, 'one');

  it.each(['', '0', '1000', '60577', '61184', '-1', '6e4', 'x', '\0\0', '60600.5'])(
    'is not %j, whatever the file says',
    (text) => {
      writeWhole(join(root, 'one', 'uid'), text);
      expect(folder().uid()).toBeNull();
    },
  );

  it.each([60_578, 61_183])('is %i when that was kept', (uid) => {
    folder().keepUid(uid);
    expect(folder().uid()).toBe(uid);
    expect(asUser(uid)).toContain(`--reuid=${uid}`);
  });

  it.each([0, 1000, 60_577, 61_184, Number.NaN])('nothing is run or killed as %d', (uid) => {
    expect(() => asUser(uid)).toThrow('no user of a build');
  });
});
