import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovableClock } from '../../kernel/clock.js';
import { silentLog } from '../../kernel/log.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { closeRedis, connectRedis, type RedisConnection } from '../cache/redis.js';
import { createRateLimits, type LimiterOptions } from './rate-limits.js';

const redisReachable = await new Promise<boolean>((resolve) => {
  const socket = connect(6379, '127.0.0.1', () => {
    socket.destroy();
    resolve(true);
  });
  socket.once('error', () => resolve(false));
});
if (!redisReachable) console.warn('SKIPPED: no Redis answers on 127.0.0.1:6379');

describe.each([
  { place: 'in process', skip: false },
  { place: 'in Redis', skip: !redisReachable },
])('Rate limits $place', ({ place, skip }) => {
  const prefix = `guildhall-test:${randomUUID()}:`;
  let redis: RedisConnection | undefined;

  beforeAll(async () => {
    if (skip || place === 'in process') return;
    redis = connectRedis('redis://127.0.0.1:6379', silentLog);
    await new Promise((resolve) => redis?.once('ready', resolve));
  });
  afterAll(async () => {
    if (!redis) return;
    const keys = await redis.keys(`${prefix}*`);
    if (keys.length > 0) await redis.del(...keys);
    await closeRedis(redis);
  });

  function limiterOf(options: LimiterOptions) {
    const clock = new MovableClock();
    clock.freeze(true);
    const limits = createRateLimits({
      clock,
      redis: redis && { connection: redis, secret: 'secret' },
      prefix,
    });
    return { clock, limiter: limits.limiter(randomUUID(), options) };
  }

  it.skipIf(skip)('returns 429 with Retry-After when no point is left, per key', async () => {
    const { clock, limiter } = limiterOf({ points: 2, durationSeconds: 900, detail: 'Slow down' });
    await limiter.take('a');
    clock.advance(10);
    await limiter.take('a');
    await expect(limiter.take('a')).rejects.toMatchObject({
      status: 429,
      detail: 'Slow down',
      headers: { 'retry-after': '890' },
    });
    await limiter.take('b');
  });

  it.skipIf(skip)(
    'ignores marks from a clock that was a year ahead once the clock is corrected',
    async () => {
      const { clock, limiter } = limiterOf({ points: 1, durationSeconds: 900 });
      const year = 365 * 86_400;
      clock.advance(year);
      await limiter.take('a');
      expect((await limiter.tryTake('a')).ok).toBe(false);
      clock.advance(-year);
      expect((await limiter.tryTake('a')).ok).toBe(true);
      expect((await limiter.tryTake('a')).ok).toBe(false);
    },
  );

  it.skipIf(skip)('counts an IPv6 network as one caller and each IPv4 address separately', async () => {
    const { limiter } = limiterOf({ points: 1, durationSeconds: 900, ofAddresses: true });
    const isTaken = async (address: string) => (await limiter.tryTake(address)).ok;
    expect(await isTaken('2001:db8:7:8::1')).toBe(true);
    expect(await isTaken('2001:db8:7:8:ffff:ffff:ffff:ffff')).toBe(false);
    expect(await isTaken('2001:db8:7:9::1')).toBe(true);
    expect(await isTaken('2001:db8::1')).toBe(true);
    expect(await isTaken('2001:db8::2:0:0:1')).toBe(false);
    expect(await isTaken('::1')).toBe(true);
    expect(await isTaken('192.0.2.1')).toBe(true);
    expect(await isTaken('192.0.2.2')).toBe(true);
    expect(await isTaken('::ffff:192.0.2.2')).toBe(false);
    expect(await isTaken('unknown')).toBe(true);
  });

  it.skipIf(skip)(
    'shares one point between equal marks, renews it on each take, and returns it by mark',
    async () => {
      const { clock, limiter } = limiterOf({ points: 2, durationSeconds: 900 });
      expect(await limiter.take('a', 'one')).toMatchObject({ fresh: true });
      clock.advance(100);
      expect(await limiter.take('a', 'one')).toMatchObject({ fresh: false });
      await limiter.take('a', 'two');
      expect(await limiter.tryTake('a', 'one')).toEqual({ ok: true, fresh: false });
      expect(await limiter.tryTake('a', 'three')).toEqual({ ok: false, retryAfterSeconds: 900 });
      await limiter.giveBack('a', 'one');
      expect(await limiter.tryTake('a', 'three')).toEqual({ ok: true, fresh: true });
      clock.advance(900);
      expect(await limiter.tryTake('a', 'two')).toEqual({ ok: true, fresh: true });
    },
  );

  it.skipIf(skip)(
    'uses a sliding window where each mark expires separately and a rejected take leaves none',
    async () => {
      const { clock, limiter } = limiterOf({ points: 2, durationSeconds: 100 });
      await limiter.take('a');
      clock.advance(60);
      await limiter.take('a');
      clock.advance(39);
      await expect(limiter.take('a')).rejects.toMatchObject({ headers: { 'retry-after': '1' } });
      clock.advance(1);
      await limiter.take('a');
      await expect(limiter.take('a')).rejects.toMatchObject({ headers: { 'retry-after': '60' } });
    },
  );

  it.skipIf(skip)('allows exactly the limit for fifty concurrent takes', async () => {
    const { limiter } = limiterOf({ points: 7, durationSeconds: 3600 });
    const takes = await Promise.all(Array.from({ length: 50 }, () => limiter.tryTake('a')));
    expect(takes.filter((take) => take.ok)).toHaveLength(7);
    expect(takes.find((take) => !take.ok)).toEqual({ ok: false, retryAfterSeconds: 3600 });
    await expect(limiter.take('a')).rejects.toMatchObject({ status: 429 });
  });

  it.skipIf(skip)('allows a point to be taken again after it was given back', async () => {
    const { limiter } = limiterOf({ points: 1, durationSeconds: 3600 });
    await limiter.take('a');
    await limiter.giveBack('a');
    await limiter.take('a');
    expect(await limiter.tryTake('a')).toMatchObject({ ok: false });
    await limiter.giveBack('never-taken');
  });

  it.skipIf(skip)('check throws when no point is left and takes none', async () => {
    const { clock, limiter } = limiterOf({ points: 2, durationSeconds: 60, detail: 'Slow down' });
    for (let n = 0; n < 5; n++) await limiter.check('a');
    await limiter.take('a');
    clock.advance(10);
    await limiter.take('a');
    await expect(limiter.check('a')).rejects.toMatchObject({
      status: 429,
      detail: 'Slow down',
      headers: { 'retry-after': '50' },
    });
    await limiter.check('b');
    clock.advance(50);
    await limiter.check('a');
    await limiter.take('a');
    await expect(limiter.check('a')).rejects.toMatchObject({ headers: { 'retry-after': '10' } });
  });

  it.skipIf(skip || place === 'in process')(
    'extends the expiry in Redis when a mark is renewed',
    async () => {
      const before = await redis!.keys(`${prefix}*`);
      const { limiter } = limiterOf({ points: 2, durationSeconds: 900 });
      await limiter.take('moves', 'one');
      const [key] = (await redis!.keys(`${prefix}*`)).filter((each) => !before.includes(each));
      await redis!.pexpire(key!, 5_000);
      await limiter.take('moves', 'one');
      expect(await redis!.pttl(key!)).toBeGreaterThan(900_000);
    },
  );

  it.skipIf(skip || place === 'in process')('sends no address and no account to Redis', async () => {
    const told: string[] = [];
    const watched = new Proxy(redis!, {
      get: (client, verb: keyof RedisConnection) => {
        const method = client[verb];
        if (typeof method !== 'function') return method;
        return (...parts: unknown[]) => {
          told.push(JSON.stringify(parts));
          return (method as (...given: unknown[]) => unknown).apply(client, parts);
        };
      },
    });
    const limits = createRateLimits({
      clock: new MovableClock(),
      redis: { connection: watched, secret: 'secret' },
      prefix,
    });
    const options = { points: 2, durationSeconds: 900 };
    for (const limiter of [
      limits.limiter('accounts', options),
      limits.limiter('addresses', { ...options, ofAddresses: true }),
    ])
      for (const key of ['ada@example.test', '198.51.100.7', '2001:db8:7:8::1']) {
        await limiter.take(key, 'bea@example.test');
        await limiter.check(key);
        await limiter.giveBack(key, 'bea@example.test');
        await limiter.take(key);
        await limiter.giveBack(key);
      }
    const commands = told.join('\n');
    expect(commands).toContain(`${prefix}accounts:`);
    for (const plain of ['example.test', 'ada', '198.51.100.7', '2001:db8', sha256Hex('ada@example.test')])
      expect(commands).not.toContain(plain);
  });

  it.skipIf(skip)('rejects every take when the limit is 0', async () => {
    const { limiter } = limiterOf({ points: 0, durationSeconds: 60 });
    expect(await limiter.tryTake('a')).toEqual({ ok: false, retryAfterSeconds: 60 });
  });
});
