import { createHmac } from 'node:crypto';
import type { RedisConnection } from '../cache/redis.js';
import type { Windows } from './rate-limit-windows.js';

/**
 * One sorted set per key, scored by the time of each mark. The whole step is one script, so nodes cannot come between
 * read and write. Time comes in as an argument; the set's own expiry only cleans up and has room to spare. Marks further ahead
 * than a window is long come from a clock that was wrong, and has been set right since.
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

export interface SharedCounts {
  connection: RedisConnection;
  /** The same on all nodes. */
  secret: string;
}

/** Who is counted, by address or by account, is stored as a keyed digest: a reader of Redis learns no address. */
export function redisWindows({ connection: redis, secret }: SharedCounts, prefix: string): Windows {
  const digest = (text: string): string =>
    createHmac('sha256', secret).update(`rate-limit:${text}`).digest('base64url');
  /** Behind the name of the limit. */
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
