import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtIn, findPlan, markReady, openStaging, putInPlace, refuseUnfinishedRestore } from './staging.js';

let home: string;
let dataDir: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'guildhall-staging-'));
  dataDir = join(home, 'data');
  for (const name of ['images', 'mail']) {
    await mkdir(join(dataDir, name), { recursive: true });
    await writeFile(join(dataDir, name, 'which'), 'old');
  }
  const built = await openStaging(dataDir);
  for (const name of ['images', 'outbox']) {
    await mkdir(join(built, name));
    await writeFile(join(built, name, 'which'), 'new');
  }
});

afterEach(() => rm(home, { recursive: true }));

const whichIn = async (folder: string) =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).map(async (name) => [
        name,
        await readFile(join(folder, name, 'which'), 'utf8'),
      ]),
    ),
  );

describe('Replacing the data folder', () => {
  it('blocks the start until the restore is ready, and keeps the old data if requested', async () => {
    await expect(refuseUnfinishedRestore(dataDir)).rejects.toThrow(
      /was not finished: run it again, or delete/,
    );
    await markReady(dataDir, 'digest', 'before-restore-x');
    await expect(refuseUnfinishedRestore(dataDir)).rejects.toThrow(/was not finished: run it again\.$/);
    await putInPlace(dataDir);
    await expect(refuseUnfinishedRestore(dataDir)).resolves.toBeUndefined();
  });

  // Simulates an interruption between any two renames.
  it.each([0, 1, 2, 3, 4])('completes after an interruption at step %i', async (steps) => {
    await markReady(dataDir, 'digest', 'before-restore-x');
    const { aside } = (await findPlan(dataDir))!;
    const moves = [
      [join(dataDir, 'images'), join(aside!, 'images')],
      [join(dataDir, 'mail'), join(aside!, 'mail')],
      [join(builtIn(dataDir), 'images'), join(dataDir, 'images')],
      [join(builtIn(dataDir), 'outbox'), join(dataDir, 'outbox')],
    ] as const;
    for (const [from, to] of moves.slice(0, steps)) await rename(from, to);
    expect(await putInPlace(dataDir)).toBe(`${dataDir}.before-restore-x`);
    expect(await whichIn(dataDir)).toEqual({ images: 'new', outbox: 'new' });
    expect(await whichIn(aside!)).toEqual({ images: 'old', mail: 'old' });
  });
});
