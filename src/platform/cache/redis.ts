import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';
import type { Log } from '../../kernel/log.js';

export type RedisConnection = Redis;

/** Loaded when a Redis is configured: most installations have none, and the client is large. */
const loadClient = () => createRequire(import.meta.url)('ioredis') as typeof import('ioredis');

const COMMAND_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_PAUSE_MS = 3_000;

/**
 * One connection for everything that is shared between nodes. It never holds a caller up: while Redis is away every
 * command fails at once, an outage is logged when it begins and when it ends, and the way back is found without help.
 */
export function connectRedis(
  url: string,
  log: Log,
  { commandTimeoutMs = COMMAND_TIMEOUT_MS } = {},
): RedisConnection {
  const { Redis: Client } = loadClient();
  const redis = new Client(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // A peer that accepts and then falls silent would otherwise cost every command its whole time limit.
    socketTimeout: commandTimeoutMs,
    retryStrategy: (attempt) => Math.min(100 * attempt, LONGEST_PAUSE_MS),
  });
  let away = false;
  const noteOutage = (reason: string) => {
    if (away) return;
    away = true;
    log.warn({ reason }, 'Redis is not reachable; going on without it');
  };
  redis.on('error', (error: Error & { code?: string }) => noteOutage(error.code ?? error.name));
  redis.on('close', () => {
    if (redis.status !== 'end') noteOutage('connection closed');
  });
  redis.on('end', () => {
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('Redis is back');
    away = false;
  });
  return redis;
}

/** Ends the connection without waiting for a peer that may not answer. */
export async function closeRedis(redis: RedisConnection): Promise<void> {
  // Between two attempts there is no socket whose end could be waited for.
  const hasSocket = ['connecting', 'connect', 'ready'].includes(redis.status);
  const ended = hasSocket ? new Promise<void>((resolve) => redis.once('end', () => resolve())) : undefined;
  redis.disconnect();
  await ended;
}
