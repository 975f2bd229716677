import type { RedisConnection } from '../redis/redis.js';
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

export function redisWindows(redis: RedisConnection, prefix: string): Windows {
  return {
    add: async (key, { now, durationMs, points, mark }) =>
      Number(await redis.eval(ADD_OR_WAIT, 1, prefix + key, now, durationMs, points, mark)),
    async wait(key, { now, durationMs, points }) {
      if (points <= 0) return durationMs;
      const window = [`(${now - durationMs}`, now + durationMs] as const;
      const marks = await redis.zrangebyscore(prefix + key, ...window, 'WITHSCORES');
      const times = marks.filter((_, index) => index % 2 === 1).map(Number);
      const blocking = times[times.length - points];
      return blocking === undefined ? 0 : blocking + durationMs - now;
    },
    async removeNewest(key) {
      await redis.zpopmax(prefix + key);
    },
    async remove(key, mark) {
      await redis.zrem(prefix + key, mark);
    },
  };
}
