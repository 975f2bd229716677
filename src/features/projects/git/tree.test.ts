import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../../../../tests/support/scratch-repository.js';
import { GitError } from './git-program.js';
import { createMirror, type Mirror } from './mirror.js';
import { changeTree, compareHistories, listHistory, listTree } from './tree.js';

const home = mkdtempSync(join(tmpdir(), 'guildhall-mirrors-'));
const made: ScratchRepository[] = [];
let repository: ScratchRepository;
let mirror: Mirror;

beforeEach(() => {
  repository = new ScratchRepository();
  mirror = createMirror(home, `mirror${made.push(repository)}`);
});
afterAll(() => {
  for (const each of made) each.dispose();
  rmSync(home, { recursive: true, force: true });
});

const commit = (text: string) => repository.write({ [`${text}.txt`]: text }).commit();

async function fetchAll(): Promise<void> {
  await mirror.open();
  const all = ['fetch', '--quiet', repository.folder, '+refs/heads/*:refs/heads/*'];
  await mirror.git(all, { protocols: 'file' });
}

describe('compareHistories', () => {
  it('counts the commits on the first-parent line', async () => {
    const first = commit('a');
    commit('b');
    const third = commit('c');
    await fetchAll();
    expect(await compareHistories(mirror, first, third)).toEqual({ isAncestor: true, steps: 2 });
    expect(await compareHistories(mirror, third, third)).toEqual({ isAncestor: true, steps: 0 });
  });

  it('continues from a merged branch with the steps of the line it was merged into', async () => {
    commit('a');
    repository.git('checkout', '--quiet', '-b', 'feature');
    commit('b');
    const merged = commit('c');
    repository.git('checkout', '--quiet', 'main');
    commit('d');
    repository.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'feature');
    const last = repository.git('rev-parse', 'HEAD');
    await fetchAll();
    expect(await compareHistories(mirror, merged, last)).toEqual({ isAncestor: true, steps: 2 });
  });

  it('does not continue from a rewritten commit or backwards', async () => {
    const first = commit('a');
    const rewritten = commit('b');
    repository.git('branch', 'old');
    repository.git('reset', '--quiet', '--hard', first);
    const last = commit('c');
    await fetchAll();
    expect(await compareHistories(mirror, rewritten, last)).toMatchObject({ isAncestor: false });
    expect(await compareHistories(mirror, last, first)).toMatchObject({ isAncestor: false });
  });

  it('returns undefined for a commit that is gone', async () => {
    const only = commit('a');
    await fetchAll();
    expect(await compareHistories(mirror, '1'.repeat(40), only)).toBeUndefined();
    await expect(compareHistories(mirror, only, '1'.repeat(40))).rejects.toThrow(GitError);
  });
});

describe('changeTree', () => {
  const text = (name: string) => `${name} says something that is long enough to be known again\n`.repeat(4);
  const link = (target: string, path: string) => symlinkSync(target, join(repository.folder, path));

  it('returns the same files as git after every kind of change', async () => {
    repository.write({ 'a.ts': text('a'), 'b.ts': text('b'), 'old/c.ts': text('c'), 'run.sh': text('run') });
    repository.write({ 'same.ts': text('same'), folder: text('folder'), 'becomes-link': text('link') });
    link('a.ts', 'becomes-file');
    const first = repository.commit();
    repository.move('a.ts', 'swap').move('b.ts', 'a.ts').move('swap', 'b.ts').commit();
    repository.move('old/c.ts', 'new/deeper/c.ts').commit();
    chmodSync(join(repository.folder, 'run.sh'), 0o755);
    repository.remove('folder', 'becomes-link', 'becomes-file');
    link('b.ts', 'becomes-link');
    repository.write({ 'folder/inside.ts': text('inside'), 'becomes-file': text('file') }).commit();
    repository.git('checkout', '--quiet', '-b', 'feature');
    repository.write({ 'copy.ts': text('same'), 'a.ts': `${text('b')}more` }).commit();
    repository.git('checkout', '--quiet', 'main');
    repository.remove('run.sh').write({ 'empty.ts': '' }).commit();
    repository.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'feature');
    const last = repository
      .move('copy.ts', 'z.ts')
      .write({ 'copy.ts': text('copy') })
      .commit();
    await fetchAll();
    const commits = await listHistory(mirror, first, last);
    expect(commits.map(({ isWhole }) => isWhole)).toEqual(commits.map(() => true));
    const changed = await changeTree(mirror, await listTree(mirror, first), commits);
    const listed = await listTree(mirror, last);
    expect([...changed.files].toSorted()).toEqual([...listed.files].toSorted());
    expect([...listed.files.keys()]).toEqual([
      'a.ts',
      'b.ts',
      'becomes-file',
      'copy.ts',
      'empty.ts',
      'folder/inside.ts',
      'new/deeper/c.ts',
      'same.ts',
      'z.ts',
    ]);
  });
});
