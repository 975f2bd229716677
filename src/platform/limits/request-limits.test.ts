import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { MovableClock } from '../../kernel/clock.js';
import { silentLog } from '../../kernel/log.js';
import { closeRedis, connectRedis } from '../cache/redis.js';
import { createRequestLimits, type RequestLimits } from './request-limits.js';

const redisReachable = await new Promise<boolean>((resolve) => {
  const socket = connect(6379, '127.0.0.1', () => {
    socket.destroy();
    resolve(true);
  });
  socket.once('error', () => resolve(false));
});
if (!redisReachable) console.warn('SKIPPED: no Redis answers on 127.0.0.1:6379');

/** Frozen at the start of a minute. */
function frozenClock(): MovableClock {
  const clock = new MovableClock();
  clock.freeze(true);
  clock.advance(60 - ((clock.now().getTime() / 1000) % 60));
  return clock;
}

let credentials = 0;
/** A request of workspace 1 with a new credential. */
const takeOne = (limits: RequestLimits) => {
  credentials += 1;
  limits.take(1, `pat:${credentials}`);
};

function allowed(count: number, take: () => void): number {
  let well = 0;
  for (let n = 0; n < count; n += 1) {
    try {
      take();
      well += 1;
    } catch {
      // A rejected request is not counted.
    }
  }
  return well;
}

describe('Requests of a workspace', () => {
  it('return 429 with Retry-After and RateLimit headers above the limit per minute', () => {
    const clock = frozenClock();
    const limits = createRequestLimits({ perMinute: 10, clock });
    for (let n = 0; n < 10; n += 1) takeOne(limits);
    clock.advance(20);
    expect(() => takeOne(limits)).toThrow(
      expect.objectContaining({
        status: 429,
        detail: 'Too many requests of this workspace: 10 a minute are allowed',
        headers: {
          'retry-after': '41',
          'ratelimit-policy': '"workspace";q=10;w=60',
          ratelimit: '"workspace";r=0;t=41',
        },
      }),
    );
    limits.take(2, 'pat:b');
  });

  it('are allowed again after Retry-After, and never exceed the limit in any minute', () => {
    const clock = frozenClock();
    const limits = createRequestLimits({ perMinute: 100, clock });
    const take = () => takeOne(limits);
    clock.advance(59);
    expect(allowed(200, take)).toBe(100);
    let wait = 0;
    try {
      take();
    } catch (error) {
      wait = Number((error as { headers: Record<string, string> }).headers['retry-after']);
    }
    clock.advance(wait);
    expect(allowed(200, take)).toBeLessThan(5);
    clock.advance(30);
    expect(allowed(200, take)).toBeGreaterThan(40);
    clock.advance(180);
    expect(allowed(200, take)).toBe(100);
  });

  it('are limited to half of the limit per credential', () => {
    const clock = frozenClock();
    const limits = createRequestLimits({ perMinute: 11, clock });
    const greedy = () => limits.take(1, 'pat:greedy');
    expect(allowed(20, greedy)).toBe(6);
    expect(greedy).toThrow(
      expect.objectContaining({
        status: 429,
        detail: 'Too many requests of this credential: 6 a minute are allowed',
        headers: {
          'retry-after': '61',
          'ratelimit-policy': '"credential";q=6;w=60',
          ratelimit: '"credential";r=0;t=61',
        },
      }),
    );
    expect(allowed(20, () => takeOne(limits))).toBe(5);
  });

  it('are unlimited when the limit is 0', () => {
    const limits = createRequestLimits({ perMinute: 0, clock: frozenClock() });
    expect(allowed(1000, () => takeOne(limits))).toBe(1000);
  });

  it.skipIf(!redisReachable)('are counted across nodes, and per node while Redis is down', async () => {
    const redis = connectRedis('redis://127.0.0.1:6379', silentLog);
    await new Promise((resolve) => redis.once('ready', resolve));
    const clock = frozenClock();
    const prefix = `guildhall-test:${randomUUID()}:`;
    const node = () => createRequestLimits({ perMinute: 10, clock, redis, prefix });
    const [here, there] = [node(), node()];
    expect(allowed(4, () => takeOne(here))).toBe(4);
    await here.exchange();
    takeOne(there);
    await there.exchange();
    expect(allowed(10, () => takeOne(there))).toBe(5);
    here.stop();
    there.stop();
    await redis.del(...(await redis.keys(`${prefix}*`)));
    await closeRedis(redis);
    await expect(here.exchange()).resolves.toBeUndefined();
    expect(allowed(10, () => takeOne(here))).toBe(6);
  });
});
