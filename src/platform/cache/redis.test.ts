import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { MovableClock } from '../../kernel/clock.js';
import { type Log, silentLog } from '../../kernel/log.js';
import { createRateLimits } from '../limits/rate-limits.js';
import { redisCache } from './cache.js';
import { closeRedis, connectRedis, type RedisConnection } from './redis.js';

const REDIS_PORT = 6379;
/** Long enough that only a silent server causes a timeout, and not a busy machine. */
const PATIENT = { commandTimeoutMs: 120_000 };

const reachable = await new Promise<boolean>((resolve) => {
  const socket = connect(REDIS_PORT, '127.0.0.1');
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  socket.unref();
  socket.once('connect', () => socket.destroy());
});
if (!reachable) console.warn('SKIPPED: no Redis answers on 127.0.0.1:6379');

/** A TCP proxy between the client and Redis that can simulate an outage. */
class Cable {
  #sockets = new Set<Socket>();
  #server: Server | undefined;
  #silent = false;
  port = 0;

  async plugIn(): Promise<void> {
    this.#silent = false;
    const server = createServer((inner) => {
      const outer = connect(REDIS_PORT, '127.0.0.1');
      for (const socket of [inner, outer]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          inner.destroy();
          outer.destroy();
        });
      }
      inner.on('data', (chunk) => this.#silent || outer.write(chunk));
      outer.pipe(inner);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  hang(): void {
    this.#silent = true;
  }
}

interface Line {
  level: string;
  message: string;
}

function recordingLog(lines: Line[]): Log {
  const at = (level: string) => (fields: object | string, message?: string) => {
    lines.push({ level, message: message ?? String(fields) });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const isReady = (redis: RedisConnection) =>
  redis.status === 'ready'
    ? Promise.resolve()
    : new Promise<void>((resolve) => redis.once('ready', () => resolve()));

describe.skipIf(!reachable)('Redis', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function plugged(lines: Line[] = [], limits = PATIENT) {
    const cable = new Cable();
    await cable.plugIn();
    cleanups.push(() => cable.cut());
    const redis = connectRedis(`redis://127.0.0.1:${cable.port}`, recordingLog(lines), limits);
    cleanups.push(() => closeRedis(redis));
    await isReady(redis);
    return { cable, redis };
  }

  async function direct() {
    const redis = connectRedis(`redis://127.0.0.1:${REDIS_PORT}`, silentLog, PATIENT);
    cleanups.push(() => closeRedis(redis));
    await isReady(redis);
    return redis;
  }

  const ownPrefix = (): string => {
    const prefix = `guildhall-test:${randomUUID()}:`;
    cleanups.push(async () => {
      const redis = connectRedis(`redis://127.0.0.1:${REDIS_PORT}`, silentLog, PATIENT);
      await isReady(redis);
      const keys = await redis.keys(`${prefix}*`);
      if (keys.length > 0) await redis.del(...keys);
      await closeRedis(redis);
    });
    return prefix;
  };

  describe('Redis cache', () => {
    it('returns a value on every node until it is deleted', async () => {
      const [redis, otherRedis] = [await direct(), await direct()];
      const [clock, prefix] = [new MovableClock(), ownPrefix()];
      const cache = redisCache({ redis, clock, prefix });
      const other = redisCache({ redis: otherRedis, clock, prefix });
      await cache.set('a', { n: 1, list: ['x', null] }, 60);
      expect(await other.get('a')).toEqual({ n: 1, list: ['x', null] });
      await other.delete('a', 'never-set');
      expect(await cache.get('a')).toBeUndefined();
    });

    it('expires an entry after its time to live', async () => {
      const redis = await direct();
      const clock = new MovableClock();
      const cache = redisCache({ redis, clock, prefix: ownPrefix() });
      await cache.set('a', 1, 60);
      clock.advance(59);
      expect(await cache.get('a')).toBe(1);
      clock.advance(2);
      expect(await cache.get('a')).toBeUndefined();
    });
  });

  describe('Redis outage', () => {
    it('misses every read, skips every write, fails ping, is logged once, and recovers automatically', async () => {
      const lines: Line[] = [];
      const { cable, redis } = await plugged(lines);
      const cache = redisCache({ redis, clock: new MovableClock(), prefix: ownPrefix() });
      await cache.set('a', 1, 60);
      const noticed = new Promise((resolve) => redis.once('close', resolve));
      await cable.cut();
      await noticed;

      expect(await cache.get('a')).toBeUndefined();
      await cache.set('b', 1, 60);
      await expect(cache.ping()).rejects.toThrow();
      expect(lines.filter((line) => line.level === 'warn')).toHaveLength(1);

      const back = new Promise((resolve) => redis.once('ready', resolve));
      await cable.plugIn();
      await back;
      await cache.ping();
      expect(await cache.get('a')).toBe(1);
      expect(lines.map((line) => line.message)).toEqual([
        'Redis is not reachable; going on without it',
        'Redis is back',
      ]);
    });

    it('does not restore values that were deleted or changed during the outage', async () => {
      const { cable, redis } = await plugged();
      const [clock, prefix] = [new MovableClock(), ownPrefix()];
      const cache = redisCache({ redis, clock, prefix });
      await cache.set('deleted', 'old', 60);
      await cache.set('changed', 'old', 60);
      const noticed = new Promise((resolve) => redis.once('close', resolve));
      await cable.cut();
      await noticed;
      await cache.delete('deleted');
      await cache.set('changed', 'new', 60);
      const back = new Promise((resolve) => redis.once('ready', resolve));
      await cable.plugIn();
      await back;
      expect(await cache.get('deleted')).toBeUndefined();
      expect(await cache.get('changed')).toBeUndefined();
      const onAnotherNode = redisCache({ redis: await direct(), clock, prefix });
      expect(await onAnotherNode.get('deleted')).toBeUndefined();
      await cache.set('changed', 'newer', 60);
      expect(await cache.get('changed')).toBe('newer');
    });

    it('is detected by the command timeout when Redis is silent', async () => {
      const { cable, redis } = await plugged([], { commandTimeoutMs: 200 });
      const cache = redisCache({ redis, clock: new MovableClock(), prefix: ownPrefix() });
      cable.hang();
      await expect(cache.ping()).rejects.toThrow();
      expect(await cache.get('a')).toBeUndefined();
    });

    it('counts rate limits per node', async () => {
      const { cable, redis } = await plugged();
      const limits = createRateLimits({
        clock: new MovableClock(),
        redis: { connection: redis, secret: 'secret' },
        prefix: ownPrefix(),
      });
      const limiter = limits.limiter('sign-in', { points: 1, durationSeconds: 60 });
      const noticed = new Promise((resolve) => redis.once('close', resolve));
      await cable.cut();
      await noticed;
      expect(await limiter.tryTake('a')).toEqual({ ok: true, fresh: true });
      expect(await limiter.tryTake('a')).toMatchObject({ ok: false });
      await cable.plugIn();
      await isReady(redis);
    });
  });

  describe('Redis rate limits', () => {
    it('hold across nodes for 50 concurrent requests', async () => {
      const [redis, otherRedis] = [await direct(), await direct()];
      const [clock, prefix] = [new MovableClock(), ownPrefix()];
      const limiters = [redis, otherRedis].map((connection) =>
        createRateLimits({ clock, redis: { connection, secret: 'secret' }, prefix }).limiter('hire', {
          points: 5,
          durationSeconds: 3600,
        }),
      );
      const takes = await Promise.all(
        Array.from({ length: 50 }, (_, i) => limiters[i % 2]!.tryTake('brand:1')),
      );
      expect(takes.filter((take) => take.ok)).toHaveLength(5);
    });
  });
});
