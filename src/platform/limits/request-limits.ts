import type { Clock } from '../../kernel/clock.js';
import { ApiError, retryAfter } from '../../kernel/errors.js';
import { rememberRecent } from '../cache/cache.js';
import type { RedisConnection } from '../cache/redis.js';

export interface RequestLimits {
  /** Counts a request of the workspace and its credential, or throws a 429. */
  take(brandId: number, credential: string): void;
  /** Exchanges counts with the other nodes. Called by a timer and by tests. */
  exchange(): Promise<void>;
  stop(): void;
}

interface RequestLimitOptions {
  /** Limit per workspace. One credential gets at most half of it. */
  perMinute: number;
  clock: Clock;
  redis?: RedisConnection;
  prefix?: string;
  onLimited?(): void;
}

const WINDOW_MS = 60_000;
const WINDOW_SECONDS = WINDOW_MS / 1000;
const EXCHANGE_EVERY_MS = 1000;
const MOST_COUNTED = 50_000;
/** A count is still needed during the following minute. */
const KEPT_SECONDS = 3 * WINDOW_SECONDS;

interface Count {
  key: string;
  minute: number;
  /**
   * For this minute: requests counted here, how many of them are already shared, and requests counted by
   * other nodes.
   */
  own: number;
  published: number;
  others: number;
  before: number;
}

/**
 * Approximates a sliding minute from the counts of this and the last minute. Nodes share their counts through
 * Redis once a second, so that no request waits for Redis.
 */
export function createRequestLimits(options: RequestLimitOptions): RequestLimits {
  const { perMinute, clock, redis, prefix = 'guildhall:requests:', onLimited } = options;
  const counts = rememberRecent<Count>(MOST_COUNTED);

  const countOf = (key: string, now: number): Count => {
    const minute = Math.floor(now / WINDOW_MS);
    const known = counts.get(key);
    if (known?.minute === minute) return known;
    const before = known?.minute === minute - 1 ? known.own + known.others : 0;
    const count = { key, minute, own: 0, published: 0, others: 0, before };
    counts.set(key, count);
    return count;
  };

  const ofCredential = Math.ceil(perMinute / 2);

  const refuseBeyond = (count: Count, limit: number, now: number, policy: 'workspace' | 'credential') => {
    const waitMs = timeUntilRoom(count, limit, now);
    if (waitMs === 0) return;
    onLimited?.();
    const seconds = Math.ceil(waitMs / 1000);
    throw new ApiError(429, `Too many requests of this ${policy}: ${limit} a minute are allowed`, {
      ...retryAfter(seconds),
      'ratelimit-policy': `"${policy}";q=${limit};w=${WINDOW_SECONDS}`,
      ratelimit: `"${policy}";r=0;t=${seconds}`,
    });
  };

  const exchange = async () => {
    if (!redis) return;
    const changed = [...counts.values()].filter(({ own, published }) => own > published);
    if (changed.length === 0) return;
    const pipeline = redis.pipeline();
    const sent = changed.map((count) => {
      const { key, minute, own, published } = count;
      const place = `${prefix}${key}:${minute}`;
      pipeline.incrby(place, own - published).expire(place, KEPT_SECONDS);
      return { count, own };
    });
    // During an outage every node counts separately.
    const answers = await pipeline.exec().catch(() => null);
    sent.forEach(({ count, own }, index) => {
      const [fault, total] = answers?.[index * 2] ?? [true, 0];
      if (fault) return;
      count.published = own;
      count.others = Number(total) - own;
    });
  };

  const timer = redis && perMinute > 0 ? setInterval(() => void exchange(), EXCHANGE_EVERY_MS) : undefined;
  timer?.unref();

  return {
    take(brandId, credential) {
      if (perMinute === 0) return;
      const now = clock.now().getTime();
      const ofAll = countOf(`brand:${brandId}`, now);
      const ofOne = countOf(credential, now);
      refuseBeyond(ofAll, perMinute, now, 'workspace');
      refuseBeyond(ofOne, ofCredential, now, 'credential');
      ofAll.own += 1;
      ofOne.own += 1;
    },
    exchange,
    stop: () => clearInterval(timer),
  };
}

function timeUntilRoom({ own, others, before }: Count, limit: number, now: number): number {
  const current = own + others;
  const passed = now % WINDOW_MS;
  if (current >= limit) return WINDOW_MS - passed + 1;
  if (before * (1 - passed / WINDOW_MS) + current < limit) return 0;
  // How much of this minute must pass until the rest of the last minute fits the limit.
  return Math.max(1, (1 - (limit - current) / before) * WINDOW_MS - passed + 1);
}
