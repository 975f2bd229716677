import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.js';
import { tooManyRequests } from '../../kernel/errors.js';
import { addressOrNetwork } from '../../kernel/networks.js';
import type { Windows } from './rate-limit-windows.js';
import { memoryWindows } from './rate-limits-memory.js';
import { redisWindows, type SharedCounts } from './rate-limits-redis.js';

export interface LimiterOptions {
  points: number;
  durationSeconds: number;
  /** What the 429 says. */
  detail?: string;
  /** The keys are addresses of callers, and a network that is one person's counts as one. */
  ofAddresses?: boolean;
}

/** `fresh` is false when the same mark was in the window already, so that nothing was taken. */
export type Take = { ok: true; fresh: boolean } | { ok: false; retryAfterSeconds: number };

/** At most `points` in any stretch of `durationSeconds`, per key. */
export interface Limiter {
  /**
   * Takes one if there is one, in one step: of any number of callers at once, no more than `points` get one. With a mark, equal
   * marks take one between them.
   */
  tryTake(key: string, mark?: string): Promise<Take>;
  /** `tryTake` that throws the 429 with `Retry-After`. */
  take(key: string, mark?: string): Promise<{ fresh: boolean }>;
  /** Throws the 429 when there is none left to take; takes none. */
  check(key: string): Promise<void>;
  /** Puts back what was taken last, or what the mark took. */
  giveBack(key: string, mark?: string): Promise<void>;
}

export interface RateLimits {
  limiter(name: string, options: LimiterOptions): Limiter;
}

/** With Redis the count holds across nodes; while Redis is away each node counts for itself. */
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
