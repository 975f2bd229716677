import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logger, runMigrations as migrateJobs } from 'graphile-worker';
import pg from 'pg';
import { systemClock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { clientConfig, type DatabaseAddress } from '../connection/connection.js';

export interface MigrateOptions extends DatabaseAddress {
  log: Log;
  /** Where the migrations lie; the program's own when it is left out. */
  folder?: string;
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** Any fixed number: the same for every node that may migrate this database. */
const MIGRATION_LOCK = 7_341_902_118;
const OLDEST_SERVER = 150_000;
const JOB_SCHEMA = 'graphile_worker';

/** Brings the schema up to date. Any number of nodes may call it at once: one works, the others wait and find it done. */
export async function migrate(options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations(options.folder ?? findMigrationFolder());
  const client = new pg.Client({ ...clientConfig(options), application_name: 'guildhall-migrate' });
  client.on('error', () => {});
  await client.connect();
  try {
    await refuseOldServer(client);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await applyMissing(client, migrations, options.log);
    await migrateJobQueue(options);
  } finally {
    // Ending the session gives the lock back.
    await client.end();
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  if (rows[0].number < OLDEST_SERVER) {
    throw new Error(`Guildhall needs PostgreSQL 15 or newer; this server is PostgreSQL ${rows[0].name}`);
  }
}

async function applyMissing(client: pg.Client, migrations: Migration[], log: Log): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null
  )`);
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  );
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const changed = migrations.filter(
    ({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum,
  );
  if (changed.length > 0) {
    const names = changed.map(({ name }) => name).join(', ');
    throw new Error(`Changed after it was applied to this database: ${names}. Add a new migration instead.`);
  }
  const known = new Set(migrations.map(({ name }) => name));
  const foreign = [...applied.keys()].filter((name) => !known.has(name));
  if (foreign.length > 0) log.warn({ migrations: foreign }, 'The database is newer than this program');
  const isEmpty = applied.size === 0;
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    await apply(client, migration);
    if (!isEmpty) log.info({ migration: migration.name }, 'Migrated the database');
  }
  if (isEmpty) log.info({ migrations: migrations.length }, 'Made the tables of an empty database');
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query('insert into schema_migrations (name, checksum, applied_at) values ($1, $2, $3)', [
      name,
      checksum,
      systemClock.now(),
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    const { message, position } = error as { message: string; position?: string };
    const line = position ? `, line ${sql.slice(0, Number(position)).split('\n').length}` : '';
    throw new Error(`Migration ${name}${line}: ${message}`, { cause: error });
  }
}

async function migrateJobQueue(options: MigrateOptions): Promise<void> {
  const pool = new pg.Pool({ ...clientConfig(options), max: 2, application_name: 'guildhall-migrate' });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await migrateJobs({ pgPool: pool, schema: JOB_SCHEMA, logger: new Logger(() => () => {}) });
  } finally {
    await pool.end();
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The build carries no SQL: wherever this file runs from, the migrations are those of the package's sources. */
function findMigrationFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'src', 'database', 'migrations');
    if (existsSync(join(folder, 'package.json')) && existsSync(candidate)) return candidate;
  }
  throw new Error(`The migrations (src/database/migrations) are missing above ${here}`);
}
