import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.js';
import { tooManyRequests } from '../kernel/errors.js';
import { memoryWindows } from './rate-limits-memory.js';
import { redisWindows } from './rate-limits-redis.js';
import type { RedisConnection } from './redis.js';

export interface LimiterOptions {
  points: number;
  durationSeconds: number;
  /** What the 429 says. */
  detail?: string;
}

export type Take = { ok: true } | { ok: false; retryAfterSeconds: number };

/** At most `points` in any stretch of `durationSeconds`, per key. */
export interface Limiter {
  /** Throws the 429 with `Retry-After` when nothing is left; takes nothing itself. */
  check(key: string): Promise<void>;
  /** Counts `n` without asking; never throws. */
  consume(key: string, n?: number): Promise<void>;
  /** Takes one if there is one, in one step: of any number of callers at once, no more than `points` get one. */
  tryTake(key: string): Promise<Take>;
  /** `tryTake` that throws the 429. */
  take(key: string): Promise<void>;
  /** Puts back what was taken last. */
  giveBack(key: string): Promise<void>;
  reset(key: string): Promise<void>;
}

export interface RateLimits {
  limiter(name: string, options: LimiterOptions): Limiter;
}

/** Where the marks of a sliding window are kept. `now` is explicit: windows end when the kernel's clock says so. */
export interface Windows {
  /** Adds `n` marks when fewer than `points` are in the window (or always, with `force`); answers how long to wait. */
  add(key: string, request: WindowRequest & { n: number; force: boolean; mark: string }): Promise<number>;
  /** Milliseconds until one is free again, 0 when one is free now. */
  wait(key: string, request: WindowRequest): Promise<number>;
  removeNewest(key: string): Promise<void>;
  clear(key: string): Promise<void>;
}

export interface WindowRequest {
  now: number;
  durationMs: number;
  points: number;
}

/** With Redis the count holds across nodes; while Redis is away each node counts for itself. */
export function createRateLimits(options: {
  clock: Clock;
  redis?: RedisConnection;
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
  const place = (key: string) => `${name}:${key}`;
  const request = (): WindowRequest => ({
    now: clock.now().getTime(),
    durationMs: durationSeconds * 1000,
    points,
  });
  const limiter: Limiter = {
    async check(key) {
      const waitMs = await windows.wait(place(key), request());
      if (waitMs > 0) throw tooManyRequests(detail, seconds(waitMs));
    },
    async consume(key, n = 1) {
      // More marks than points change nothing but the memory they take.
      const marks = Math.min(Math.max(0, Math.floor(n)), points);
      if (marks > 0) {
        await windows.add(place(key), { ...request(), n: marks, force: true, mark: randomUUID() });
      }
    },
    async tryTake(key) {
      const waitMs = await windows.add(place(key), { ...request(), n: 1, force: false, mark: randomUUID() });
      return waitMs > 0 ? { ok: false, retryAfterSeconds: seconds(waitMs) } : { ok: true };
    },
    async take(key) {
      const taken = await limiter.tryTake(key);
      if (!taken.ok) throw tooManyRequests(detail, taken.retryAfterSeconds);
    },
    giveBack: (key) => windows.removeNewest(place(key)),
    reset: (key) => windows.clear(place(key)),
  };
  return limiter;
}

const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

function withInsurance(shared: Windows, local: Windows): Windows {
  const either = async <T>(attempt: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
    try {
      return await attempt();
    } catch {
      return instead();
    }
  };
  return {
    add: (key, request) =>
      either(
        () => shared.add(key, request),
        () => local.add(key, request),
      ),
    wait: (key, request) =>
      either(
        () => shared.wait(key, request),
        () => local.wait(key, request),
      ),
    removeNewest: (key) =>
      either(
        () => shared.removeNewest(key),
        () => local.removeNewest(key),
      ),
    async clear(key) {
      await local.clear(key);
      await either(
        () => shared.clear(key),
        async () => undefined,
      );
    },
  };
}
