import type { Windows } from './rate-limits.js';
import type { RedisConnection } from './redis.js';

/**
 * One sorted set per key, scored by the time of each mark. The whole step is one script, so nodes cannot come between
 * read and write. Time comes in as an argument; the set's own expiry only cleans up and has room to spare.
 */
const ADD_OR_WAIT = `
local now, duration, points = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local n, force, mark = tonumber(ARGV[4]), ARGV[5] == '1', ARGV[6]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - duration)
local wait = 0
if points <= 0 then
  wait = duration
else
  local blocking = redis.call('ZRANGE', KEYS[1], -points, -points, 'WITHSCORES')
  if redis.call('ZCARD', KEYS[1]) >= points then wait = tonumber(blocking[2]) + duration - now end
end
if n > 0 and (wait <= 0 or force) then
  for i = 1, n do redis.call('ZADD', KEYS[1], now, mark .. ':' .. i) end
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -(math.max(points, 1) + 1))
  redis.call('PEXPIRE', KEYS[1], duration + 60000)
  return 0
end
return wait
`;

export function redisWindows(redis: RedisConnection, prefix: string): Windows {
  const evaluate = async (key: string, args: (string | number)[]): Promise<number> =>
    Number(await redis.eval(ADD_OR_WAIT, 1, prefix + key, ...args));
  return {
    add: (key, { now, durationMs, points, n, force, mark }) =>
      evaluate(key, [now, durationMs, points, n, force ? '1' : '0', mark]),
    wait: (key, { now, durationMs, points }) => evaluate(key, [now, durationMs, points, 0, '0', '']),
    async removeNewest(key) {
      await redis.zpopmax(prefix + key);
    },
    async clear(key) {
      await redis.del(prefix + key);
    },
  };
}
