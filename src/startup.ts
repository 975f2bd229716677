import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from './config/config.js';
import type { Log } from './kernel/log.js';
import { randomSecret } from './kernel/secrets.js';
import { refuseUnfinishedRestore } from './platform/backup/staging.js';
import {
  connectDatabase,
  type Database,
  type DatabaseAddress,
} from './platform/database/connection/connection.js';
import { isConnectionFailure } from './platform/database/connection/database-errors.js';
import { startEmbeddedPostgres } from './platform/database/embedded/embedded.js';
import { findReadyCluster } from './platform/database/embedded/ready-cluster.js';
import { migrate } from './platform/database/schema/migrate.js';
import { findSharedSecret, shareSecret } from './platform/database/server-secrets.js';
import { replaceFile } from './platform/files/atomic-file.js';

const POOL_SIZE = 10;
/** Together with the driver's grace time this stays below the 30 seconds promised to callers. */
const STATEMENT_TIMEOUT_MS = 24_000;
/** One connection listens for jobs. Jobs can wait for a free connection. */
const BACKGROUND = { poolSize: 10, statementTimeoutMs: 120_000, connectTimeoutMs: 60_000 };
/** Reserved for health checks and heartbeats of desks when the other pools are busy. */
const URGENT = { poolSize: 2, statementTimeoutMs: 5_000 };
/** Shorter than a request, so that the primary can still respond. */
const REPLICA = { poolSize: 10, statementTimeoutMs: 8_000, connectTimeoutMs: 1_000 };
const DATABASE_PATIENCE_ATTEMPTS = 30;

export interface OpenedDatabase {
  database: Database;
  address: DatabaseAddress;
  close(): Promise<void>;
}

export async function openDatabase(config: Config, log: Log): Promise<OpenedDatabase> {
  await refuseUnfinishedRestore(config.dataDir);
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: config.dataDir, log, ready: await findReadyCluster() });
  const address: DatabaseAddress = embedded
    ? { connection: embedded.connection }
    : { url: config.databaseUrl };
  try {
    await migrateWhenReachable(address, log);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
  const database = connectDatabase({
    ...address,
    poolSize: POOL_SIZE,
    applicationName: 'guildhall',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    background: BACKGROUND,
    urgent: URGENT,
    replicas: { ...REPLICA, addresses: config.replicaUrls.map((url) => ({ url })) },
    log,
  });
  return {
    database,
    address,
    async close() {
      await database.close();
      await embedded?.stop();
    },
  };
}

/** Retries, because a database in another container may start later. */
async function migrateWhenReachable(address: DatabaseAddress, log: Log): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrate({ ...address, log });
    } catch (error) {
      if (!isConnectionFailure(error) || attempt === DATABASE_PATIENCE_ATTEMPTS) throw error;
      if (attempt === 1) log.warn('The database is not reachable yet; trying again every second');
      await pause(1000);
    }
  }
}

export async function readCursorSecret({ db }: Database): Promise<string> {
  return shareSecret(db, 'cursor', randomSecret());
}

const SECRETS_KEY = 'secrets-key';

/**
 * Returns the configured keys of the secret box, or a key that is created on the first start, stored next to
 * the data and shared through the database. Earlier keys still open the secrets they sealed.
 */
export async function readSecretsKeys(
  config: Config,
  { db }: Pick<Database, 'db'>,
  log: Log,
): Promise<[string, ...string[]]> {
  const file = join(config.dataDir, SECRETS_KEY);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim() || undefined;
  const [first, ...others] = config.secretsKeys;
  const made = (keys: (string | undefined)[]) => keys.filter((key) => key !== undefined);
  if (first !== undefined)
    return [first, ...others, ...made([kept, await findSharedSecret(db, SECRETS_KEY)])];
  const own = kept ?? randomSecret();
  const key = config.databaseUrl === undefined ? own : await shareSecret(db, SECRETS_KEY, own);
  if (config.databaseUrl !== undefined)
    log.warn(
      'The key that seals secrets lies in the database it protects; set SECRETS_KEY to keep them apart',
    );
  if (key !== kept) {
    await mkdir(config.dataDir, { recursive: true });
    await replaceFile(file, `${key}\n`, { mode: 0o600 });
  }
  return [key, ...made([kept === key ? undefined : kept])];
}

/**
 * Returns the configured operator key, or a key that is created on the first start and stored next to the
 * data.
 */
export async function readAdminKeys(config: Config): Promise<{ keys: string[]; isNew: boolean }> {
  if (config.adminApiKeys.length > 0) return { keys: config.adminApiKeys, isNew: false };
  const file = join(config.dataDir, 'admin-api-key');
  await mkdir(config.dataDir, { recursive: true });
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.trim()) return { keys: [kept.trim()], isNew: false };
  const key = `guild_admin_${randomSecret(24)}`;
  await replaceFile(file, `${key}\n`, { mode: 0o600 });
  return { keys: [key], isNew: true };
}

/**
 * With PORT=0 the port is chosen before the app is created, because URLs in responses and mails contain it.
 */
export async function choosePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await new Promise<number>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, config.host, () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
  const withPort = (url: string) => (url.endsWith(':0') ? `${url.slice(0, -1)}${port}` : url);
  return { ...config, port, baseUrl: withPort(config.baseUrl), installUrl: withPort(config.installUrl) };
}
