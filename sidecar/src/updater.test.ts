import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deskFiles } from './desk-files.js';
import { forgetReleases } from './updater.js';

describe('Release folders', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'guildhall-releases-'));
    const { releases } = deskFiles(root);
    mkdirSync(join(releases, 'somebody-elses'), { recursive: true });
    for (const name of ['0.1.0', '0.2.0', '0.3.0', '0.4.0'])
      mkdirSync(join(releases, `${name}-${'a'.repeat(12)}`));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const left = () =>
    readdirSync(deskFiles(root).releases, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name.replace(`-${'a'.repeat(12)}`, ''))
      .sort();

  it('keeps the running release, the previous one and unrelated files', () => {
    const files = deskFiles(root);
    writeFileSync(files.current, `0.4.0-${'a'.repeat(12)}\n`);
    writeFileSync(files.previous, `0.2.0-${'a'.repeat(12)}\n`);
    forgetReleases(files);
    expect(left()).toEqual(['0.2.0', '0.4.0', 'somebody-elses']);
  });

  it('keeps all releases when the running one is unknown', () => {
    forgetReleases(deskFiles(root));
    expect(left()).toHaveLength(5);
  });
});
