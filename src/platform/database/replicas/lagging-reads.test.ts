import { describe, expect, it } from 'vitest';
import type { Db } from '../database.js';
import { createRecentWriters } from './lagging-reads.js';

type Needs = Parameters<typeof createRecentWriters>[0];

/** Two nodes with a simulated Redis and database notifications. */
function twoNodes({ withRedis }: { withRedis: boolean }) {
  const kept = new Map<string, number>();
  const state = { redisAnswers: true, heard: true, calls: [] as string[], published: [] as unknown[] };
  const handlers: ((who: never) => unknown)[] = [];
  const answer = async <T>(name: string, value: () => T): Promise<T> => {
    state.calls.push(name);
    if (!state.redisAnswers) throw new Error('away');
    return value();
  };
  const redis = {
    set: (key: string, _value: string, _unit: string, ms: number) =>
      answer('set', () => {
        kept.set(key, ms);
        return 'OK';
      }),
    exists: (key: string) => answer('exists', () => (kept.has(key) ? 1 : 0)),
  } as unknown as NonNullable<Needs['redis']>;
  const node = () =>
    createRecentWriters({
      db: {} as Db,
      redis: withRedis ? redis : undefined,
      notifications: {
        get healthy() {
          return state.heard;
        },
        subscribe: (_channel, handler) => {
          handlers.push(handler);
          return () => {};
        },
        publish: async (_db, _channel, who) => {
          state.published.push(who);
          for (const handler of handlers) handler(who as never);
        },
      },
    });
  return { one: node(), other: node(), state, kept };
}

describe('Recent writers', () => {
  it('are known on every node through Redis', async () => {
    const { one, other, state, kept } = twoNodes({ withRedis: true });
    await one.note('1:7');
    expect([await one.has('1:7'), await other.has('1:7')]).toEqual([true, true]);
    expect([await one.has('1:8'), await other.has('2:7')]).toEqual([false, false]);
    expect(state.published).toEqual([]);
    expect([...kept.values()]).toEqual([6000]);
  });

  it('are known on every node through the database without Redis', async () => {
    const { one, other, state } = twoNodes({ withRedis: false });
    await one.note('1:7');
    expect([await other.has('1:7'), await other.has('1:8')]).toEqual([true, false]);
    expect(state.published).toEqual(['1:7']);
  });

  it('are announced through the database while Redis is down, and every person counts as a recent writer', async () => {
    const { one, other, state } = twoNodes({ withRedis: true });
    state.redisAnswers = false;
    await one.note('1:7');
    expect(state.published).toEqual(['1:7']);
    expect(await other.has('1:8')).toBe(true);
    state.redisAnswers = true;
    expect([await other.has('1:7'), await other.has('1:8')]).toEqual([true, false]);
  });

  it('include every person on a node that receives no notifications', async () => {
    const { one, state } = twoNodes({ withRedis: false });
    state.heard = false;
    expect(await one.has('1:8')).toBe(true);
  });

  it('are announced less often than they write', async () => {
    const { one, state } = twoNodes({ withRedis: true });
    for (let n = 0; n < 50; n++) await one.note('1:7');
    expect(state.calls.filter((name) => name === 'set').length).toBeLessThan(50);
  });
});
