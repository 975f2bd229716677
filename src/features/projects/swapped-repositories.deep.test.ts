import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../../../tests/support/scratch-repository.js';
import { createMirror, type Mirror } from './git/mirror.js';
import { createRepositoryAccess, type RepositoryAccess } from './repository/repository-access.js';
import type { RepositoryCredentials } from './repository/repository-credentials.service.js';

const BRAND = 7;
const NOT_ALONE = 'The repository is not wholly inside the folder of this workspace';
let home: string;
let access: RepositoryAccess;
let mirror: Mirror;
let mine: ScratchRepository;
let theirs: ScratchRepository;
let own: string;
let secret: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'guildhall-swapped-'));
  mine = new ScratchRepository(join(home, 'repositories', String(BRAND), 'mine'));
  theirs = new ScratchRepository(join(home, 'repositories', '8', 'theirs'));
  own = mine.save({ 'a.ts': 'export const a = 1;' });
  secret = theirs.save({ 'secret.ts': 'export const secret = 1;' });
  mirror = createMirror(join(home, 'mirrors'), 'project');
  access = createRepositoryAccess({
    repositoriesDir: join(home, 'repositories'),
    mirrorsDir: join(home, 'mirrors'),
    resolveHost: () => Promise.reject(new Error('no host is asked')),
    credentials: {} as RepositoryCredentials,
  });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const inside = (repository: ScratchRepository, ...parts: string[]) =>
  join(repository.folder, '.git', ...parts);

/** Each swaps part of the checked repository and returns a function that restores it. */
const SWAPS: [string, () => () => void][] = [
  [
    'a link instead of .git',
    () => {
      renameSync(inside(mine), join(home, 'kept'));
      symlinkSync(inside(theirs), inside(mine));
      return () => {
        rmSync(inside(mine));
        renameSync(join(home, 'kept'), inside(mine));
      };
    },
  ],
  [
    'a file that points elsewhere instead of .git',
    () => {
      renameSync(inside(mine), join(home, 'kept'));
      writeFileSync(inside(mine), `gitdir: ${inside(theirs)}\n`);
      return () => {
        rmSync(inside(mine));
        renameSync(join(home, 'kept'), inside(mine));
      };
    },
  ],
  [
    'a link instead of the folder itself',
    () => {
      renameSync(mine.folder, join(home, 'kept'));
      symlinkSync(theirs.folder, mine.folder);
      return () => {
        rmSync(mine.folder);
        renameSync(join(home, 'kept'), mine.folder);
      };
    },
  ],
  [
    'alternates',
    () => {
      writeFileSync(inside(mine, 'objects/info/alternates'), `${inside(theirs, 'objects')}\n`);
      writeFileSync(inside(mine, 'refs/heads/main'), `${secret}\n`);
      return () => {
        rmSync(inside(mine, 'objects/info/alternates'));
        writeFileSync(inside(mine, 'refs/heads/main'), `${own}\n`);
      };
    },
  ],
  [
    'a commondir',
    () => {
      writeFileSync(inside(mine, 'commondir'), `${inside(theirs)}\n`);
      return () => rmSync(inside(mine, 'commondir'));
    },
  ],
  [
    'links instead of its objects and branches',
    () => {
      for (const part of ['objects', 'refs']) {
        renameSync(inside(mine, part), join(home, part));
        symlinkSync(inside(theirs, part), inside(mine, part));
      }
      return () => {
        for (const part of ['objects', 'refs']) {
          rmSync(inside(mine, part));
          renameSync(join(home, part), inside(mine, part));
        }
      };
    },
  ],
];

const project = () => ({ brand_id: BRAND, project_id: 'project', repository_url: mine.folder });

/** Reads the repository like an index run, with `before` called between the check and the read. */
const read = (before: () => void) =>
  access.reach(project(), async (remote) => {
    before();
    return mirror.fetch(remote, null);
  });

describe('Local repository that does not exist when it is checked', () => {
  it('is not read, so that a link created in its place is not followed', async () => {
    rmSync(mine.folder, { recursive: true });
    const link = () => symlinkSync(inside(theirs), mine.folder);
    await expect(read(link)).rejects.toMatchObject({ message: 'The repository could not be read' });
    expect(await mirror.hasCommit(secret)).toBe(false);
  });
});

describe('Local repository that is swapped after the check', () => {
  it.each(SWAPS)('%s: discards foreign data', async (_, swap) => {
    await expect(read(swap)).rejects.toMatchObject({ message: NOT_ALONE });
    expect(await mirror.hasCommit(secret)).toBe(false);
  });

  it.each(SWAPS)('%s, restored before the second check: discards foreign data too', async (_, swap) => {
    let asked = 0;
    let restore = () => {};
    const commit = await access.reach(project(), (remote) =>
      mirror.fetch(
        {
          ...remote,
          // Swapped only while its objects are read: after its branches were read and before the second
          // check.
          confirm: async () => {
            asked++;
            if (asked === 2) restore();
            await remote.confirm?.();
            if (asked === 1) restore = swap();
          },
        },
        null,
      ),
    );
    expect(commit).toBe(own);
    expect(await mirror.hasCommit(secret)).toBe(false);
  });

  it('a new commit of its own is read again', async () => {
    let next: string | undefined;
    const commit = await read(() => {
      next ??= mine.save({ 'b.ts': '' });
    });
    expect(commit).toBe(next);
  });
});
