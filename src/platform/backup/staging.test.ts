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

describe('a data folder that is replaced', () => {
  it('is not started from before it is ready, and may be kept as it was', async () => {
    await expect(refuseUnfinishedRestore(dataDir)).rejects.toThrow(
      /was not finished: run it again, or delete/,
    );
    await markReady(dataDir, 'digest', 'before-restore-x');
    await expect(refuseUnfinishedRestore(dataDir)).rejects.toThrow(/was not finished: run it again\.$/);
    await putInPlace(dataDir);
    await expect(refuseUnfinishedRestore(dataDir)).resolves.toBeUndefined();
  });

  // A cut between any two of the steps that change a name.
  it.each([0, 1, 2, 3, 4])(
    'is whole in the end when it was cut short after %i of its steps',
    async (steps) => {
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
    },
  );
});
