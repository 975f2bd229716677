import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Config } from './config.js';
import { connectDatabase, type Database, type DatabaseAddress } from './database/connection.js';
import { isConnectionFailure } from './database/database-errors.js';
import { startEmbeddedPostgres } from './database/embedded.js';
import { migrate } from './database/migrate.js';
import type { Log } from './kernel/log.js';
import { randomSecret } from './kernel/secrets.js';

const POOL_SIZE = 10;
/** With the driver's grace this stays below the 30 seconds within which callers are promised an answer. */
const STATEMENT_TIMEOUT_MS = 24_000;
const DATABASE_PATIENCE_ATTEMPTS = 30;

export interface OpenedDatabase {
  database: Database;
  address: DatabaseAddress;
  close(): Promise<void>;
}

/** Opens the configured database, or starts the embedded one, and brings its schema up to date. */
export async function openDatabase(config: Config, log: Log): Promise<OpenedDatabase> {
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: config.dataDir, log });
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

/** A database in another container may come up after us. */
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

/** The key that signs cursors: made by the first node, read by the others. */
export async function readCursorSecret({ db }: Database): Promise<string> {
  const { rows } = await sql<{ value: string }>`
    insert into server_secrets (name, value) values ('cursor', ${randomSecret()})
    on conflict (name) do update set value = server_secrets.value
    returning value`.execute(db);
  return rows[0]!.value;
}

/** The operator's key: configured, or made on the first start and kept beside the data. */
export async function readAdminKey(config: Config): Promise<{ key: string; isNew: boolean }> {
  if (config.adminApiKey) return { key: config.adminApiKey, isNew: false };
  const file = join(config.dataDir, 'admin-api-key');
  await mkdir(config.dataDir, { recursive: true });
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.trim()) return { key: kept.trim(), isNew: false };
  const key = `guild_admin_${randomSecret(24)}`;
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return { key, isNew: true };
}

/** With PORT=0 the port is chosen before anything is built, because addresses in answers and mails contain it. */
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
