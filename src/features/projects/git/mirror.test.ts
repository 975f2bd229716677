import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../../../../tests/support/scratch-repository.js';
import { GitError } from './git-program.js';
import { createMirror, type Mirror, type OpenRemote } from './mirror.js';

const home = mkdtempSync(join(tmpdir(), 'guildhall-mirrors-'));
const made: ScratchRepository[] = [];
let mirrors = 0;
let repository: ScratchRepository;
let mirror: Mirror;

beforeEach(() => {
  repository = new ScratchRepository();
  made.push(repository);
  mirror = createMirror(home, `mirror${++mirrors}`);
});
afterAll(() => {
  for (const each of made) each.dispose();
  rmSync(home, { recursive: true, force: true });
});

const judged = (confirm = async () => {}): OpenRemote => ({
  url: repository.folder,
  protocols: 'file',
  confirm,
});

/** Verifies all objects and counts the loose and the packed ones. */
async function countObjects(): Promise<{ apart: number; packed: number }> {
  await mirror.git(['fsck', '--full', '--strict', '--no-dangling']);
  const told = (await mirror.git(['count-objects', '-v'])).toString();
  const read = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(told)![1]);
  return { apart: read('count'), packed: read('in-pack') };
}

describe('Fetch from a remote that must be confirmed', () => {
  it('is complete for few and many objects, and the ref points to the newest commit', async () => {
    const files = Array.from({ length: 150 }, (_, n) => [`file${n}.txt`, `text ${n}`]);
    const first = repository.write(Object.fromEntries(files)).commit();
    expect(await mirror.fetch(judged(), null)).toBe(first);
    expect(await countObjects()).toEqual({ apart: 0, packed: 152 });
    const second = repository.write({ 'file0.txt': 'another text' }).commit();
    expect(await mirror.fetch(judged(), null)).toBe(second);
    expect(await countObjects()).toEqual({ apart: 3, packed: 152 });
    expect((await mirror.git(['show', `${second}:file0.txt`])).toString()).toBe('another text');
    expect((await mirror.git(['show', `${second}:file7.txt`])).toString()).toBe('text 7');
  });

  it('creates no ref for a resolved name and can run concurrently', async () => {
    repository.write({ 'a.txt': 'a' }).commit();
    await mirror.fetch(judged(), null);
    repository.git('checkout', '--quiet', '-b', 'beside');
    const beside = repository.write({ 'b.txt': 'b' }).commit();
    const asked = () => mirror.resolve(['beside'], judged());
    expect(await Promise.all([asked(), asked(), asked()])).toEqual([[beside], [beside], [beside]]);
    expect((await mirror.git(['for-each-ref', '--format=%(refname)'])).toString()).toBe(
      'refs/guildhall/target\n',
    );
    await countObjects();
  });

  it('removes leftovers of a process that died', async () => {
    const [old, recent] = ['run-old', 'run-recent'].map((name) => join(home, 'apart', name)) as [
      string,
      string,
    ];
    for (const folder of [old, recent]) mkdirSync(join(folder, 'repository.git'), { recursive: true });
    const longAgo = statSync(old).mtimeMs / 1000 - 2 * 3600;
    utimesSync(old, longAgo, longAgo);
    repository.write({ 'a.txt': 'a' }).commit();
    await mirror.fetch(judged(), null);
    expect(readdirSync(join(home, 'apart'))).toEqual(['run-recent']);
    rmSync(recent, { recursive: true });
  });

  it('keeps no objects when it was not confirmed', async () => {
    const first = repository.write({ 'a.txt': 'a' }).commit();
    await mirror.fetch(judged(), null);
    const second = repository.write({ 'a.txt': 'b' }).commit();
    let looks = 0;
    const refused = judged(async () => {
      if (++looks === 2) throw new GitError('It is another one', null);
    });
    await expect(mirror.fetch(refused, null)).rejects.toThrow('It is another one');
    expect(await mirror.hasCommit(second)).toBe(false);
    expect(await mirror.hasCommit(first)).toBe(true);
    expect(readdirSync(join(home, 'apart'))).toEqual([]);
  });
});
