import { describe, expect, it } from 'vitest';
import { MovableClock } from '../../kernel/clock.js';
import { memoryCache } from './cache.js';

describe('In-process cache', () => {
  it('returns a value until it is deleted', async () => {
    const cache = memoryCache({ clock: new MovableClock() });
    await cache.set('a', { n: 1 }, 60);
    await cache.set('b', null, 60);
    expect(await cache.get('a')).toEqual({ n: 1 });
    expect(await cache.get('b')).toBeNull();
    await cache.delete('a', 'b');
    expect(await cache.get('a')).toBeUndefined();
    await cache.ping();
  });

  it('expires an entry after its time to live', async () => {
    const clock = new MovableClock();
    clock.freeze(true);
    const cache = memoryCache({ clock });
    await cache.set('a', 1, 60);
    clock.advance(59);
    expect(await cache.get('a')).toBe(1);
    clock.advance(1);
    expect(await cache.get('a')).toBeUndefined();
  });

  it("returns copies, so that callers cannot change each other's values", async () => {
    const cache = memoryCache({ clock: new MovableClock() });
    await cache.set('a', { list: [1] }, 60);
    (await cache.get<{ list: number[] }>('a'))?.list.push(2);
    expect(await cache.get('a')).toEqual({ list: [1] });
  });

  it('evicts the least recently used entries to stay within its size limit', async () => {
    const cache = memoryCache({ clock: new MovableClock(), maxBytes: 3_000 });
    await cache.set('old', 'x'.repeat(1_000), 60);
    await cache.set('used', 'x'.repeat(1_000), 60);
    await cache.get('old');
    await cache.set('new', 'x'.repeat(1_000), 60);
    expect(await cache.get('used')).toBeUndefined();
    expect(await cache.get('old')).toBeDefined();
    await cache.set('larger than all', 'x'.repeat(9_000), 60);
    expect(await cache.get('larger than all')).toBeUndefined();
  });
});
