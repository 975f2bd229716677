import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.js';
import type { RedisConnection } from './redis.js';

/**
 * An LRU cache with up to `most` entries. `max` would allocate all of them in advance, and `maxSize` does
 * not.
 */
export const rememberRecent = <V extends object | string | true>(most: number): LRUCache<string, V> =>
  new LRUCache<string, V>({ maxSize: most, sizeCalculation: () => 1 });

/** Losing an entry is never an error, so only `ping` may fail. */
export interface Cache {
  get<T>(key: string): Promise<T | undefined>;
  set(key: string, value: unknown, ttlSeconds: number): Promise<void>;
  delete(...keys: string[]): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The expiry is stored with the value, because it follows the kernel's clock and not that of Redis. */
interface Entry {
  value: unknown;
  expiresAt: number;
}

function pack(value: unknown, ttlSeconds: number, clock: Clock): string | undefined {
  if (value === undefined || !(ttlSeconds > 0)) return undefined;
  const entry: Entry = { value, expiresAt: clock.now().getTime() + ttlSeconds * 1000 };
  return JSON.stringify(entry);
}

function unpack<T>(packed: string | null | undefined, clock: Clock): T | undefined {
  if (packed === null || packed === undefined) return undefined;
  const entry = JSON.parse(packed) as Entry;
  return entry.expiresAt > clock.now().getTime() ? (entry.value as T) : undefined;
}

const DEFAULT_MEMORY_BYTES = 32 * 1024 * 1024;

/** In-process cache with a size limit. Values are kept as JSON, so that they behave as with Redis. */
export function memoryCache(options: { clock: Clock; maxBytes?: number }): Cache {
  const { clock, maxBytes = DEFAULT_MEMORY_BYTES } = options;
  const entries = new LRUCache<string, string>({
    maxSize: maxBytes,
    sizeCalculation: (packed, key) => packed.length + key.length + 64,
  });
  return {
    async get<T>(key: string) {
      const value = unpack<T>(entries.get(key), clock);
      if (value === undefined) entries.delete(key);
      return value;
    },
    async set(key, value, ttlSeconds) {
      const packed = pack(value, ttlSeconds, clock);
      if (packed === undefined) entries.delete(key);
      else entries.set(key, packed);
    },
    async delete(...keys) {
      for (const key of keys) entries.delete(key);
    },
    async ping() {},
    async close() {
      entries.clear();
    },
  };
}

export function redisCache(options: { redis: RedisConnection; clock: Clock; prefix?: string }): Cache {
  const { redis, clock, prefix = 'guildhall:cache:' } = options;
  const outdated = outdatedKeys(redis);
  return {
    async get<T>(key: string) {
      if (outdated.has(prefix + key)) return undefined;
      try {
        return unpack<T>(await redis.get(prefix + key), clock);
      } catch {
        return undefined;
      }
    },
    async set(key, value, ttlSeconds) {
      const packed = pack(value, ttlSeconds, clock);
      try {
        if (packed === undefined) await redis.del(prefix + key);
        else await redis.set(prefix + key, packed, 'PX', Math.ceil(ttlSeconds * 1000));
        outdated.delete(prefix + key);
      } catch {
        outdated.add(prefix + key);
      }
    },
    async delete(...keys) {
      if (keys.length === 0) return;
      const places = keys.map((key) => prefix + key);
      try {
        await redis.del(...places);
      } catch {
        for (const place of places) outdated.add(place);
      }
    },
    async ping() {
      await redis.ping();
    },
    async close() {
      outdated.close();
    },
  };
}

const MOST_OUTDATED = 10_000;

/** Keys that could not be changed during an outage are ignored and then removed when Redis is back. */
function outdatedKeys(redis: RedisConnection) {
  const places = rememberRecent<true>(MOST_OUTDATED);
  const remove = async () => {
    const waiting = [...places.keys()];
    if (waiting.length === 0) return;
    try {
      await redis.del(...waiting);
      for (const place of waiting) places.delete(place);
    } catch {
      // Retried on the next connection.
    }
  };
  redis.on('ready', remove);
  return {
    has: (place: string) => places.has(place),
    add: (place: string) => void places.set(place, true),
    delete: (place: string) => void places.delete(place),
    close: () => void redis.off('ready', remove),
  };
}
