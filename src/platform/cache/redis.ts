import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';
import type { Log } from '../../kernel/log.js';

export type RedisConnection = Redis;

/** Loaded on demand, because most installations have no Redis and the client is large. */
const loadClient = () => createRequire(import.meta.url)('ioredis') as typeof import('ioredis');

const COMMAND_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_PAUSE_MS = 3_000;

/**
 * One connection for everything shared between nodes. Commands fail at once while Redis is away, and the
 * start and end of an outage are logged once.
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
    // Otherwise every command to a silent server would wait for its whole timeout.
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

export async function closeRedis(redis: RedisConnection): Promise<void> {
  const hasSocket = ['connecting', 'connect', 'ready'].includes(redis.status);
  const ended = hasSocket ? new Promise<void>((resolve) => redis.once('end', () => resolve())) : undefined;
  redis.disconnect();
  await ended;
}
