import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { silentLog } from '../../src/kernel/log.js';
import { connectDatabase, type Database } from '../../src/platform/database/connection/connection.js';
import type { EmbeddedConnection } from '../../src/platform/database/embedded/embedded.js';
import { migrate } from '../../src/platform/database/schema/migrate.js';
import './global-setup.js';

export interface TestDatabase extends Database {
  connection: EmbeddedConnection;
  drop(): Promise<void>;
}

const TEMPLATE = 'guildhall_template';
const TEMPLATE_LOCK = 1;
const POOL_SIZE = 10;
/** Long enough for a busy machine: a test about timeouts sets its own. */
const PATIENCE_MS = 240_000;

/** Creates a database with the whole schema and no rows. */
export async function createTestDatabase({
  backgroundStatementTimeoutMs = PATIENCE_MS,
} = {}): Promise<TestDatabase> {
  const connection = await createDatabase(TEMPLATE);
  const database = connectDatabase({
    connection,
    poolSize: POOL_SIZE,
    statementTimeoutMs: PATIENCE_MS,
    connectTimeoutMs: PATIENCE_MS,
    applicationName: 'guildhall-test',
    log: silentLog,
    background: {
      poolSize: POOL_SIZE,
      statementTimeoutMs: backgroundStatementTimeoutMs,
      connectTimeoutMs: PATIENCE_MS,
    },
    urgent: { poolSize: 2, statementTimeoutMs: PATIENCE_MS, connectTimeoutMs: PATIENCE_MS },
  });
  const drop = async () => {
    await database.close();
    await dropDatabase(connection);
  };
  return { ...database, connection, drop };
}

/** Creates a database without a schema. */
export const createEmptyDatabase = () => createDatabase('template0');

export const dropDatabase = ({ database }: EmbeddedConnection) =>
  asAdministrator((client) =>
    client.query(`drop database if exists ${pg.escapeIdentifier(database)} with (force)`),
  );

async function createDatabase(template: string): Promise<EmbeddedConnection> {
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(async (client) => {
    if (template === TEMPLATE) await makeTemplateOnce(client);
    await client.query(
      `create database ${pg.escapeIdentifier(database)} template ${pg.escapeIdentifier(template)} strategy file_copy`,
    );
  });
  return { ...inject('postgres'), database };
}

/**
 * Test files start in parallel: the first one migrates, the others wait. `datistemplate` marks a finished
 * one.
 */
async function makeTemplateOnce(client: pg.Client): Promise<void> {
  if (await isTemplateReady(client)) return;
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await isTemplateReady(client)) return;
    await client.query(`drop database if exists ${TEMPLATE}`);
    await client.query(`create database ${TEMPLATE} template template0`);
    await migrate({ connection: { ...inject('postgres'), database: TEMPLATE }, log: silentLog });
    await client.query(`alter database ${TEMPLATE} with is_template true allow_connections false`);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function isTemplateReady(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [
    TEMPLATE,
  ]);
  return rowCount === 1;
}

async function asAdministrator<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...inject('postgres'), database: 'postgres' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
