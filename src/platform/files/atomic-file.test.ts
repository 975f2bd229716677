import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from './atomic-file.js';

let folder: string;
const inside = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-atomic-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('replaceFile', () => {
  it('writes the whole content with the given mode and leaves no temporary file', async () => {
    await writeFile(inside('a'), 'old');
    expect(await replaceFile(inside('a'), 'new', { mode: 0o600 })).toBe(true);
    expect(await readFile(inside('a'), 'utf8')).toBe('new');
    expect((await stat(inside('a'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('shows readers either the old or the new content during concurrent writes', async () => {
    const contents = ['x', 'y', 'z'].map((letter) => letter.repeat(300_000));
    await writeFile(inside('a'), contents[0]!);
    const writes = Promise.all(contents.map((content) => replaceFile(inside('a'), content, { mode: 0o600 })));
    for (let n = 0; n < 20; n++) expect(contents).toContain(await readFile(inside('a'), 'utf8'));
    await writes;
    expect(contents).toContain(await readFile(inside('a'), 'utf8'));
  });

  it('keeps the old file when the new one is no longer wanted or cannot be moved', async () => {
    await writeFile(inside('a'), 'old');
    const unwanted = { mode: 0o600, stillWanted: async () => false };
    expect(await replaceFile(inside('a'), 'new', unwanted)).toBe(false);
    expect(await readFile(inside('a'), 'utf8')).toBe('old');
    await expect(replaceFile(join(inside('missing'), 'b'), 'new', { mode: 0o600 })).rejects.toThrow('ENOENT');
    await expect(replaceFile(folder, 'new', { mode: 0o600 })).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['a']);
  });
});
