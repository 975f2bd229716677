import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import pg from 'pg';
import { silentLog } from '../../src/kernel/log.js';
import { connectDatabase } from '../../src/platform/database/connection/connection.js';
import { migrate } from '../../src/platform/database/schema/migrate.js';
import type { TestDatabase } from '../support/database.js';

/** Real PostgreSQL and Redis over TCP: everything that runs on the embedded ones must run there too. */
export const POSTGRES_URL = process.env['TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/postgres';
export const REDIS_URL = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379';

export const postgresMissing = !(await answersQuery(POSTGRES_URL));
export const redisMissing = !(await acceptsConnection(new URL(REDIS_URL)));
if (postgresMissing)
  console.warn(`SKIPPED: no PostgreSQL answers at ${withoutPassword(POSTGRES_URL)} (TEST_DATABASE_URL)`);
if (redisMissing) console.warn(`SKIPPED: no Redis answers at ${withoutPassword(REDIS_URL)} (TEST_REDIS_URL)`);

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  return url.href;
}

async function answersQuery(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function acceptsConnection({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port || 6379), hostname);
    socket.setTimeout(3_000, () => socket.destroy());
    socket.once('connect', () => resolve(true));
    socket.once('close', () => resolve(false));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Creates a database on the real server, without a schema if `migrated` is false. */
export async function createEngineDatabase({ migrated = true } = {}) {
  const name = `guildhall_engines_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database ${name} template template0`);
  const address = new URL(POSTGRES_URL);
  address.pathname = `/${name}`;
  const url = address.href;
  const connection = {
    host: address.hostname,
    port: Number(address.port || 5432),
    user: decodeURIComponent(address.username),
    password: decodeURIComponent(address.password),
    database: name,
    ssl: false as const,
  };
  if (migrated) await migrate({ url, log: silentLog });
  const nodes: TestDatabase[] = [];

  return {
    url,
    openNode(): TestDatabase {
      const database = connectDatabase({
        url,
        poolSize: 5,
        applicationName: 'guildhall-engines',
        log: silentLog,
      });
      const node = { ...database, connection, drop: database.close };
      nodes.push(node);
      return node;
    },
    async drop() {
      for (const node of nodes) await node.close();
      await administer(`drop database if exists ${name} with (force)`);
    },
  };
}
