import pg from 'pg';
import { clientConfig, type DatabaseAddress } from '../connection/connection.js';
import {
  type AppliedMigration,
  applyMigrations,
  migrateJobQueue,
  takeMigrationLock,
} from '../schema/migrate.js';
import { type CopiedTable, copyIn, type DumpedSequence, listTables, quoteTable } from './dump.js';

export interface DumpedTable extends CopiedTable {
  rows: number;
}

export interface Dump {
  migrations: AppliedMigration[];
  tables: DumpedTable[];
  sequences: DumpedSequence[];
  read(table: DumpedTable): AsyncIterable<Buffer>;
  /** Stored with the rows, so that a completed restore can be recognized later. */
  origin: string;
}

/** A database that is locked for a restore. */
export interface LoadTarget {
  isEmpty: boolean;
  /** The service has open connections to the database. */
  isInUse: boolean;
  origin: string | undefined;
  /**
   * Loads the dump and commits after `beforeCommit`. Existing rows move to another schema, returned as
   * `aside`. `left` lists tables that no migration creates.
   */
  load(dump: Dump, options: LoadOptions): Promise<{ aside: string | undefined; left: string[] }>;
  close(): Promise<void>;
}

interface LoadOptions {
  aside: string;
  beforeCommit?: (client: pg.ClientBase) => Promise<void>;
  onTable?: (table: DumpedTable) => void;
}

const RESTORE = 'guildhall-restore';

/** Returns undefined while another restore or migration is running. */
export async function openLoadTarget(address: DatabaseAddress): Promise<LoadTarget | undefined> {
  const client = new pg.Client({ ...clientConfig(address), application_name: RESTORE });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('set idle_in_transaction_session_timeout = 0');
    if (!(await takeMigrationLock(client))) {
      await client.end();
      return undefined;
    }
    const isEmpty = (await listTables(client)).every(({ table }) => table[0] !== 'public');
    return {
      isEmpty,
      isInUse: await isInUse(client),
      origin: isEmpty ? undefined : await readOrigin(client),
      load: (dump, options) => load(client, address, dump, { ...options, isEmpty }),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Ignores other restores, because the lock already excludes them. */
async function isInUse(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name like 'guildhall%' and application_name <> $1 limit 1`,
    [RESTORE],
  );
  return rowCount !== 0;
}

async function readOrigin(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ origin: string | null }>(
    "select obj_description(to_regclass('public.schema_migrations'), 'pg_class') as origin",
  );
  return rows[0]?.origin ?? undefined;
}

async function load(
  client: pg.Client,
  address: DatabaseAddress,
  dump: Dump,
  options: LoadOptions & { isEmpty: boolean },
): Promise<{ aside: string | undefined; left: string[] }> {
  // Runs migrations in separate transactions, which is harmless before the restore.
  await migrateJobQueue(address);
  await client.query('begin');
  try {
    if (!options.isEmpty) await setAside(client, options.aside);
    await applyMigrations(client, dump.migrations);
    const left = await fillTables(client, dump, options.onTable);
    await client.query(`comment on table public.schema_migrations is ${pg.escapeLiteral(dump.origin)}`);
    await options.beforeCommit?.(client);
    await client.query('commit');
    await client.query('analyze');
    return { aside: options.isEmpty ? undefined : options.aside, left };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * Renames the schema. Extensions stay in `public`, where migrations expect them, and the tables of the job
 * queue are copied.
 */
async function setAside(client: pg.Client, aside: string): Promise<void> {
  const name = pg.escapeIdentifier(aside);
  const { rows } = await client.query<{ extension: string }>(
    "select extname as extension from pg_extension where extnamespace = 'public'::regnamespace",
  );
  await client.query(`alter schema public rename to ${name}`);
  await client.query('create schema public');
  await client.query('grant usage on schema public to public');
  for (const { extension } of rows)
    await client.query(`alter extension ${pg.escapeIdentifier(extension)} set schema public`);
  for (const queued of await listTables(client)) {
    if (queued.table[0] !== 'graphile_worker') continue;
    const copy = pg.escapeIdentifier(`queue${queued.table[1]}`);
    await client.query(`create table ${name}.${copy} as table ${quoteTable(queued)}`);
  }
}

/**
 * Disables triggers, because restored rows need no notifications, and checks foreign keys once at the end.
 */
async function fillTables(
  client: pg.Client,
  dump: Dump,
  onTable?: (table: DumpedTable) => void,
): Promise<string[]> {
  const present = await listTables(client);
  const names = new Set(present.map(quoteTable));
  const wanted = dump.tables.filter((table) => names.has(quoteTable(table)));
  const references = await dropReferences(client);
  for (const table of present) await client.query(`alter table ${quoteTable(table)} disable trigger user`);
  await client.query(`truncate ${present.map(quoteTable).join(', ')}`);
  for (const table of wanted) {
    onTable?.(table);
    const rows = await copyIn(client, table, dump.read(table));
    if (rows !== table.rows)
      throw new Error(`${quoteTable(table)} should have ${table.rows} rows and got ${rows}`);
  }
  await client.query('set constraints all immediate');
  for (const table of present) await client.query(`alter table ${quoteTable(table)} enable trigger user`);
  for (const { table, name, definition } of references)
    await client.query(`alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`);
  for (const { sequence, value } of dump.sequences)
    await client.query(
      'select setval(c.oid::regclass, $3) from pg_class c where c.relname = $2 and c.relnamespace = to_regnamespace($1)',
      [...sequence, value],
    );
  await releaseJobs(client);
  return dump.tables.filter((table) => !names.has(quoteTable(table))).map(({ table }) => table.join('.'));
}

async function dropReferences(client: pg.Client) {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)`,
  );
  for (const { table, name } of rows)
    await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`);
  return rows;
}

/** Releases jobs that were running when the backup was made. */
async function releaseJobs(client: pg.Client): Promise<void> {
  for (const table of ['_private_jobs', '_private_job_queues'])
    await client.query(
      `update graphile_worker.${table} set locked_at = null, locked_by = null where locked_at is not null`,
    );
}
