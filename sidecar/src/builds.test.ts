import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isBuilding, runBuild } from './builds.js';

describe('Running builds', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildhall-builds-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const mark = (content: string) => writeFileSync(join(folder, 'one'), content);

  it('counts a build while its process runs', async () => {
    const copy = join(mkdtempSync(join(tmpdir(), 'guildhall-builds-')), 'copy');
    await runBuild(folder, ['sh', '-c', 'cat "$0"/* > "$1"', folder, copy]);
    expect(isBuilding(folder)).toBe(false);
    mark(readFileSync(copy, 'utf8'));
    expect(isBuilding(folder)).toBe(true);
  });

  it('does not count a build whose process id was reused by another process', () => {
    mark(`${process.pid} 6f0c1d1e-0000-4000-8000-000000000000-12345`);
    expect(isBuilding(folder)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('compares only the process id for marks of older releases', () => {
    mark(String(process.pid));
    expect(isBuilding(folder)).toBe(true);
  });

  it.each(['', 'x', '-1', '0', '\0\0\0'])('does not count a damaged file (%j)', (content) => {
    mark(content);
    expect(isBuilding(folder)).toBe(false);
  });
});
