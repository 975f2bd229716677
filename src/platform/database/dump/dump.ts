import pg from 'pg';
import { clientConfig, type DatabaseAddress } from '../connection/connection.js';
import { type AppliedMigration, listApplied } from '../schema/migrate.js';
import { type CopiedTable, copyOut } from './copy-rows.js';

/** Ours, and the one of the queue. */
const SCHEMAS = ['public', 'graphile_worker'];

export interface DumpedSequence {
  sequence: [string, string];
  /** As text: it may be larger than a number holds. */
  value: string;
}

/** The database as it was at one moment, however long it takes to read. */
export interface Snapshot {
  server: string;
  migrations: AppliedMigration[];
  tables: CopiedTable[];
  read(table: CopiedTable): ReturnType<typeof copyOut>;
  /** Asked at the end: sequences only go up, and what they gave before the snapshot must not be given again. */
  listSequences(): Promise<DumpedSequence[]>;
  close(): Promise<void>;
}

/** Opens a snapshot; undefined when Guildhall never made its tables there. */
export async function openSnapshot(address: DatabaseAddress): Promise<Snapshot | undefined> {
  const client = new pg.Client({ ...clientConfig(address), application_name: 'guildhall-backup' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('set idle_in_transaction_session_timeout = 0');
    const migrations = await listApplied(client);
    if (migrations.length === 0) {
      await client.end();
      return undefined;
    }
    const present = await listTables(client);
    await client.query('begin isolation level repeatable read read only');
    // Before the first reading: nothing changes the shape of a table between here and the end.
    await client.query(`lock table ${present.map(quoteTable).join(', ')} in access share mode`);
    const { rows } = await client.query<{ server: string }>(
      "select current_setting('server_version') as server",
    );
    return {
      server: rows[0]!.server,
      migrations: await listApplied(client),
      // Once more: a migration may have ended before the lock was ours.
      tables: await listTables(client),
      read: (table) => copyOut(client, table),
      listSequences: () => listSequences(client),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

export const quoteTable = ({ table }: Pick<CopiedTable, 'table'>): string =>
  table.map((part) => pg.escapeIdentifier(part)).join('.');

/** Every table with the columns that are kept and not computed, but for those that do not outlast a crash; what extensions bring along is theirs. */
export async function listTables(client: pg.Client): Promise<CopiedTable[]> {
  const { rows } = await client.query<{ schema: string; name: string; columns: string[] }>(
    `select n.nspname as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r' and c.relpersistence = 'p'
       and (n.nspname, c.relname) <> ('graphile_worker', 'migrations')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by 1, 2`,
    [SCHEMAS],
  );
  return rows.map(({ schema, name, columns }) => ({ table: [schema, name], columns }));
}

async function listSequences(client: pg.Client): Promise<DumpedSequence[]> {
  const { rows } = await client.query<{ schema: string; name: string; value: string }>(
    `select schemaname as schema, sequencename as name, last_value::text as value from pg_sequences
     where schemaname = any($1) and last_value is not null order by 1, 2`,
    [SCHEMAS],
  );
  return rows.map(({ schema, name, value }) => ({ sequence: [schema, name], value }));
}
