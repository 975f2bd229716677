import { createHmac, randomUUID } from 'node:crypto';
import { addressOrNetwork } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { tooManyRequests } from '../../kernel/errors.js';
import { rememberRecent } from '../cache/cache.js';
import type { RedisConnection } from '../cache/redis.js';

/** Stores the marks of a sliding window. `now` is a parameter, because windows follow the kernel's clock. */
interface Windows {
  /**
   * Adds a mark and returns 0 if fewer than `points` are in the window, otherwise returns the milliseconds to
   * wait. Moves a mark that is already in the window to now and returns -1.
   */
  add(key: string, request: WindowRequest): Promise<number>;
  /** Returns the milliseconds that `add` would return, without adding a mark. */
  wait(key: string, window: Window): Promise<number>;
  removeNewest(key: string): Promise<void>;
  remove(key: string, mark: string): Promise<void>;
}

export interface Window {
  now: number;
  durationMs: number;
  points: number;
}

interface WindowRequest extends Window {
  mark: string;
}

/** Enough for every account and address that fails within a window. */
const MOST_KEYS = 50_000;

interface Mark {
  at: number;
  name: string;
}

/** The marks of each key, oldest first. All steps are synchronous and therefore atomic. */
function memoryWindows(): Windows {
  const marksByKey = rememberRecent<Mark[]>(MOST_KEYS);
  const look = (key: string, { now, durationMs, points }: Window) => {
    // Ignores marks more than one window ahead, which come from a clock that was wrong.
    const marks = (marksByKey.get(key) ?? []).filter(
      ({ at }) => at > now - durationMs && at <= now + durationMs,
    );
    if (points <= 0) return { marks, waitMs: durationMs };
    const blocking = marks[marks.length - points];
    return { marks, waitMs: blocking === undefined ? 0 : blocking.at + durationMs - now };
  };
  return {
    async add(key, request) {
      const { now, durationMs, points, mark } = request;
      if (points <= 0) return durationMs;
      const { marks, waitMs } = look(key, request);
      const known = marks.findIndex(({ name }) => name === mark);
      if (known >= 0) marks.splice(known, 1);
      else if (waitMs > 0) return waitMs;
      marks.push({ at: now, name: mark });
      marksByKey.set(key, marks);
      return known >= 0 ? -1 : 0;
    },
    wait: async (key, window) => look(key, window).waitMs,
    async removeNewest(key) {
      marksByKey.get(key)?.pop();
    },
    async remove(key, mark) {
      const marks = marksByKey.get(key);
      if (marks)
        marksByKey.set(
          key,
          marks.filter(({ name }) => name !== mark),
        );
    },
  };
}

/**
 * A sorted set per key, scored by time, changed atomically by one script. The time is an argument, and the
 * expiry of the set only cleans up. Marks more than one window ahead come from a clock that was wrong.
 */
const ADD_OR_WAIT = `
local now, duration, points, mark = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if points <= 0 then return duration end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - duration)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now + duration, '+inf')
if redis.call('ZSCORE', KEYS[1], mark) then
  redis.call('ZADD', KEYS[1], now, mark)
  redis.call('PEXPIRE', KEYS[1], duration + 60000)
  return -1
end
local blocking = redis.call('ZRANGE', KEYS[1], -points, -points, 'WITHSCORES')
if redis.call('ZCARD', KEYS[1]) >= points then return tonumber(blocking[2]) + duration - now end
redis.call('ZADD', KEYS[1], now, mark)
redis.call('PEXPIRE', KEYS[1], duration + 60000)
return 0
`;

interface SharedCounts {
  connection: RedisConnection;
  secret: string;
}

/** Keys are stored as keyed digests, so that Redis holds no addresses. */
function redisWindows({ connection: redis, secret }: SharedCounts, prefix: string): Windows {
  const digest = (text: string): string =>
    createHmac('sha256', secret).update(`rate-limit:${text}`).digest('base64url');
  /** The name of the limit stays readable. */
  const placeOf = (key: string): string => `${prefix}${key.slice(0, key.indexOf(':') + 1)}${digest(key)}`;
  return {
    add: async (key, { now, durationMs, points, mark }) =>
      Number(await redis.eval(ADD_OR_WAIT, 1, placeOf(key), now, durationMs, points, digest(mark))),
    async wait(key, { now, durationMs, points }) {
      if (points <= 0) return durationMs;
      const window = [`(${now - durationMs}`, now + durationMs] as const;
      const marks = await redis.zrangebyscore(placeOf(key), ...window, 'WITHSCORES');
      const times = marks.filter((_, index) => index % 2 === 1).map(Number);
      const blocking = times[times.length - points];
      return blocking === undefined ? 0 : blocking + durationMs - now;
    },
    async removeNewest(key) {
      await redis.zpopmax(placeOf(key));
    },
    async remove(key, mark) {
      await redis.zrem(placeOf(key), digest(mark));
    },
  };
}

export interface LimiterOptions {
  points: number;
  durationSeconds: number;
  detail?: string;
  /** Keys are client addresses. An IPv6 network of one subscriber counts as one key. */
  ofAddresses?: boolean;
}

/** `fresh` is false when the mark was already in the window. */
export type Take = { ok: true; fresh: boolean } | { ok: false; retryAfterSeconds: number };

/** Allows at most `points` in any period of `durationSeconds`, per key. */
export interface Limiter {
  /** Takes a point atomically. Equal marks share one point. */
  tryTake(key: string, mark?: string): Promise<Take>;
  /** Like `tryTake`, but throws a 429 with `Retry-After`. */
  take(key: string, mark?: string): Promise<{ fresh: boolean }>;
  /** Throws a 429 when no point is left. Takes none. */
  check(key: string): Promise<void>;
  /** Returns the last point taken, or that of the mark. */
  giveBack(key: string, mark?: string): Promise<void>;
}

export interface RateLimits {
  limiter(name: string, options: LimiterOptions): Limiter;
}

/** With Redis all nodes share the count. During an outage each node counts separately. */
export function createRateLimits(options: {
  clock: Clock;
  redis?: SharedCounts;
  prefix?: string;
}): RateLimits {
  const { clock, redis, prefix = 'guildhall:limit:' } = options;
  const local = memoryWindows();
  const windows = redis ? withInsurance(redisWindows(redis, prefix), local) : local;
  return {
    limiter: (name, limiterOptions) => createLimiter(windows, clock, name, limiterOptions),
  };
}

function createLimiter(windows: Windows, clock: Clock, name: string, options: LimiterOptions): Limiter {
  const { points, durationSeconds, detail = 'Too many attempts, try again later' } = options;
  const place = (key: string) => `${name}:${options.ofAddresses ? addressOrNetwork(key) : key}`;
  const window = () => ({ now: clock.now().getTime(), durationMs: durationSeconds * 1000, points });
  const judge = (waitMs: number): Take =>
    waitMs > 0
      ? { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) }
      : { ok: true, fresh: waitMs === 0 };
  const orThrow = (taken: Take) => {
    if (!taken.ok) throw tooManyRequests(detail, taken.retryAfterSeconds);
    return taken;
  };
  const tryTake = async (key: string, mark: string = randomUUID()): Promise<Take> =>
    judge(await windows.add(place(key), { ...window(), mark }));
  return {
    tryTake,
    take: async (key, mark) => orThrow(await tryTake(key, mark)),
    check: async (key) => void orThrow(judge(await windows.wait(place(key), window()))),
    giveBack: (key, mark) =>
      mark === undefined ? windows.removeNewest(place(key)) : windows.remove(place(key), mark),
  };
}

const withInsurance = (shared: Windows, local: Windows): Windows => ({
  add: (key, request) => shared.add(key, request).catch(() => local.add(key, request)),
  wait: (key, window) => shared.wait(key, window).catch(() => local.wait(key, window)),
  removeNewest: (key) => shared.removeNewest(key).catch(() => local.removeNewest(key)),
  remove: (key, mark) => shared.remove(key, mark).catch(() => local.remove(key, mark)),
});
