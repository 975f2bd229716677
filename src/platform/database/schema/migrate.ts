import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Logger, runMigrations as migrateJobs } from 'graphile-worker';
import pg from 'pg';
import { systemClock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { clientConfig, createClient, type DatabaseAddress } from '../connection/connection.js';
import { clientClass } from '../connection/database-hosts.js';

interface MigrateOptions extends DatabaseAddress {
  log: Log;
  folder?: string;
  /** How long a migration, and every query queued behind it, waits for a lock, and how often it tries. */
  locks?: { waitMs: number; attempts: number };
}

export interface AppliedMigration {
  name: string;
  checksum: string;
}

interface Migration extends AppliedMigration {
  sql: string;
}

/** An arbitrary number, the same on every node. */
const MIGRATION_LOCK = 7_341_902_118;
const OLDEST_SERVER = 150_000;
const JOB_SCHEMA = 'graphile_worker';
/** About two minutes in total, longer than any request and most jobs. */
const LOCKS = { waitMs: 2000, attempts: 30 };
const PAUSE_MS = 2000;
const LOCKED = new Set(['55P03', '40P01']);

/** Migrates the schema. Any number of nodes may call it at once: one migrates, and the others wait. */
export async function migrate(options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations(options.folder ?? findMigrationFolder());
  const client = createClient(options, { application_name: 'guildhall-migrate' });
  client.on('error', () => {});
  await client.connect();
  try {
    await refuseOldServer(client);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await applyMissing(client, migrations, options);
    await migrateJobQueue(options);
  } finally {
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

const CREATE_JOURNAL = `create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null
  )`;

async function applyMissing(
  client: pg.Client,
  migrations: Migration[],
  { log, locks = LOCKS }: Pick<MigrateOptions, 'log' | 'locks'>,
): Promise<void> {
  await client.query(CREATE_JOURNAL);
  const applied = await listApplied(client);
  refuseStranger(applied, migrations);
  const done = new Set(applied.map(({ name }) => name));
  const isEmpty = done.size === 0;
  for (const migration of migrations) {
    if (done.has(migration.name)) continue;
    await applyWithPatience(client, migration, { log, locks });
    if (!isEmpty) log.info({ migration: migration.name }, 'Migrated the database');
  }
  if (isEmpty) log.info({ migrations: migrations.length }, 'Made the tables of an empty database');
}

/** Returns the applied migrations in order, or none for a database without Guildhall tables. */
export async function listApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const journal = await client.query("select to_regclass('schema_migrations') is not null as present");
  if (!journal.rows[0].present) return [];
  const { rows } = await client.query<AppliedMigration>(
    'select name, checksum from schema_migrations order by name',
  );
  return rows;
}

/** This version could damage a schema with unknown migrations. */
function refuseStranger(applied: AppliedMigration[], migrations: Migration[]): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const foreign = applied.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (foreign.length > 0)
    throw new Error(
      `The database was used by a newer Guildhall, whose migrations this one does not know (${foreign.join(', ')}). ` +
        'Start that version or a later one, or restore a backup that was made before the upgrade.',
    );
  const changed = applied
    .filter(({ name, checksum }) => known.get(name) !== checksum)
    .map(({ name }) => name);
  if (changed.length > 0)
    throw new Error(
      `Changed after it was applied to this database: ${changed.join(', ')}. Add a new migration instead.`,
    );
}

/**
 * A statement that waits for a lock blocks all later ones, so a migration waits briefly, lets others proceed
 * and tries again.
 */
async function applyWithPatience(
  client: pg.Client,
  migration: Migration,
  { log, locks }: Required<Pick<MigrateOptions, 'log' | 'locks'>>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${locks.waitMs}`);
      await apply(client, migration);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (!LOCKED.has(code ?? '') || attempt >= locks.attempts) throw error;
      if (attempt === 1)
        log.warn({ migration: migration.name }, 'A migration waits for tables that are in use');
    }
    await pause(Math.min(PAUSE_MS, locks.waitMs) * (0.5 + Math.random()));
  }
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query(sql);
    await client.query('insert into schema_migrations (name, checksum, applied_at) values ($1, $2, $3)', [
      name,
      checksum,
      systemClock.now(),
    ]);
  } catch (error) {
    const { message, position, code } = error as { message: string; position?: string; code?: string };
    const line = position ? `, line ${sql.slice(0, Number(position)).split('\n').length}` : '';
    throw new Error(`Migration ${name}${line}: ${message}. ${nextStep(code)}`, { cause: error });
  }
}

const nextStep = (code: string | undefined): string =>
  LOCKED.has(code ?? '')
    ? 'It was rolled back. Another session holds the table (a backup, a forgotten transaction). End it and start again.'
    : 'It was rolled back, and running nodes continue. Fix the cause and start again. The previous version starts ' +
      'with the last backup.';

/** Applies exactly these migrations in the open transaction. Rejects unknown ones first. */
export async function applyMigrations(client: pg.Client, wanted: AppliedMigration[]): Promise<void> {
  const migrations = await readMigrations(findMigrationFolder());
  refuseStranger(wanted, migrations);
  const names = new Set(wanted.map(({ name }) => name));
  await client.query(CREATE_JOURNAL);
  for (const migration of migrations) if (names.has(migration.name)) await apply(client, migration);
}

/** Returns the migrations that this version does not have, or has with another checksum. */
export async function findUnknownMigrations(wanted: AppliedMigration[]): Promise<string[]> {
  const known = new Map((await describeMigrations()).map(({ name, checksum }) => [name, checksum]));
  return wanted.filter(({ name, checksum }) => known.get(name) !== checksum).map(({ name }) => name);
}

export async function describeMigrations(): Promise<AppliedMigration[]> {
  const migrations = await readMigrations(findMigrationFolder());
  return migrations.map(({ name, checksum }) => ({ name, checksum }));
}

/** Takes the migration lock for the session. Returns false when another session holds it. */
export async function takeMigrationLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
  return rows[0].taken;
}

export async function migrateJobQueue(options: DatabaseAddress): Promise<void> {
  const pool = new pg.Pool({
    ...clientConfig(options),
    Client: clientClass(options.url),
    max: 2,
    application_name: 'guildhall-migrate',
  });
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

/** The build contains no SQL, so migrations are always read from the package's sources. */
function findMigrationFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'src', 'platform', 'database', 'migrations');
    if (existsSync(join(folder, 'package.json')) && existsSync(candidate)) return candidate;
  }
  throw new Error(`The migrations (src/platform/database/migrations) are missing above ${here}`);
}
