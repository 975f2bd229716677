import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  crossesLink,
  evictSetups,
  readAbout,
  readLockedTree,
  setupEntry,
  touchSetup,
} from './setup-cache.js';

const id = (n: number) => n.toString(16).padStart(40, '0');

/** The output of `git ls-tree -r -z`, in pieces of this many bytes. */
async function* tree(files: Record<string, number>, piece = 7, links: string[] = []) {
  const entries = Object.entries(files).map(([path, n]) => `100644 blob ${id(n)}\t${path}\0`);
  const text = Buffer.from([...entries, ...links.map((path) => `120000 blob ${id(1)}\t${path}\0`)].join(''));
  for (let at = 0; at < text.length; at += piece) yield text.subarray(at, at + piece);
}
const digestOf = async (files: Record<string, number>, piece?: number) =>
  (await readLockedTree(tree(files, piece))).digest;

describe('Digest of the lock files', () => {
  it.each([
    'package-lock.json',
    'web/pnpm-lock.yaml',
    'a/b/yarn.lock',
    'bun.lock',
    'Cargo.lock',
    'go.sum',
    'poetry.lock',
    'uv.lock',
    'requirements.txt',
    'requirements-dev.txt',
    'Gemfile.lock',
    'composer.lock',
    'mix.lock',
    'wohnung/öl/Cargo.lock',
  ])('includes %s in any folder, by content and path', async (path) => {
    const one = await digestOf({ 'README.md': 1, [path]: 2 });
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await digestOf({ 'README.md': 9, [path]: 2 }, 1000)).toBe(one);
    expect(await digestOf({ [path]: 3 })).not.toBe(one);
    expect(await digestOf({ [`deeper/${path}`]: 2 })).not.toBe(one);
  });

  it.each(['package.json', 'my-package-lock.json', 'Cargo.lock/x', 'requirements.md', 'x.lock'])(
    'ignores %s',
    async (path) => {
      expect(await digestOf({ [path]: 1 })).toBeUndefined();
    },
  );
});

describe('Links in the tree', () => {
  it.each([
    ['lib/', ['lib'], true],
    ['a/b/lib/', ['a/b'], true],
    ['a/b/lib/', ['a'], true],
    ['lib/', ['lib/x'], true],
    ['lib/', ['library', 'li', 'a/lib'], false],
    ['lib/', [], false],
  ])('crossing a link with %s when the tree has the links %j: %s', (path, links, crosses) => {
    expect(crossesLink(path, links)).toBe(crosses);
  });

  it('lists the links of a tree unless there are too many', async () => {
    const few = await readLockedTree(tree({ 'yarn.lock': 1 }, 9, ['a/b', 'c']));
    expect(few.links).toEqual(['a/b', 'c']);
    const many = Array.from({ length: 10_001 }, (_, n) => `l${n}`);
    expect((await readLockedTree(tree({}, 65_536, many))).links).toBeUndefined();
  });
});

describe('Kept setups', () => {
  let cache: string;
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'guildhall-setups-'));
  });
  afterEach(() => rmSync(cache, { recursive: true }));

  const keyOf = (n: number) => n.toString(16).padStart(64, '0');
  const put = (n: number, bytes: number, usedAt: number) => {
    const entry = setupEntry({ cache }, keyOf(n));
    mkdirSync(entry, { recursive: true });
    writeFileSync(join(entry, 'content'), 'x'.repeat(bytes));
    writeFileSync(join(entry, 'about.json'), JSON.stringify({ digest: 'd', bytes, roots: ['lib/'] }));
    utimesSync(entry, usedAt, usedAt);
    return entry;
  };
  const left = () => readdirSync(join(cache, 'setup')).map((name) => Number.parseInt(name, 16));

  it('evicts the least recently used setups above the maximum count', () => {
    const entries = [1, 2, 3].map((n) => put(n, 1, n));
    touchSetup(entries[0]!);
    evictSetups({ cache }, { entries: 2, bytes: 100 });
    expect(left()).toEqual([1, 3]);
  });

  it('evicts setups above the maximum size', () => {
    for (const n of [1, 2, 3]) put(n, 10, n);
    evictSetups({ cache }, { entries: 9, bytes: 20 });
    expect(left()).toEqual([2, 3]);
    evictSetups({ cache }, { entries: 9, bytes: 20 });
    expect(left()).toEqual([2, 3]);
  });

  it('removes unfinished setups after a day and keeps unknown folders', () => {
    put(1, 1, 1);
    for (const name of ['new-and.new', 'something']) mkdirSync(join(cache, 'setup', name));
    mkdirSync(join(cache, 'setup', 'old.new'));
    utimesSync(join(cache, 'setup', 'old.new'), 1, 1);
    evictSetups({ cache });
    expect(readdirSync(join(cache, 'setup'))).toEqual([keyOf(1), 'new-and.new', 'something']);
  });

  it.each([
    ['nothing', ''],
    ['invalid JSON', '{'],
    ['another size', JSON.stringify({ digest: 'd', bytes: 2, roots: [] })],
    ['no folders', JSON.stringify({ digest: 'd', bytes: 1 })],
  ])('ignores and removes a setup whose description says %s', (_what, about) => {
    const entry = put(1, 1, 1);
    expect(readAbout(entry)).toEqual({ digest: 'd', bytes: 1, roots: ['lib/'] });
    writeFileSync(join(entry, 'about.json'), about);
    expect(readAbout(entry)).toBeUndefined();
    expect(existsSync(entry)).toBe(false);
  });
});
