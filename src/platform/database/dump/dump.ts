import pg from 'pg';
import { clientConfig, type DatabaseAddress } from '../connection/connection.js';
import { type AppliedMigration, listApplied } from '../schema/migrate.js';

/**
 * COPY over the driver's connection. A submittable object receives the messages, so rows never become objects
 * and memory use stays bounded.
 */

interface Wire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
  stream: NodeJS.ReadableStream & {
    writableNeedDrain: boolean;
    once(event: 'drain', heard: () => void): void;
  };
}

abstract class CopyQuery {
  readonly done: Promise<number>;
  #settle!: (rows: number) => void;
  #fail!: (error: Error) => void;
  #rows = 0;
  #error: Error | undefined;

  constructor(readonly text: string) {
    this.done = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    // Awaiting `done` reports the error later. This only prevents an unhandled rejection.
    this.done.catch(() => {});
  }

  /** Called by the driver. */
  submit(connection: Wire): void {
    connection.query(this.text);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(/\d+$/.exec(text)?.[0] ?? 0);
  }

  handleError(error: Error): void {
    this.#error = error;
    this.#fail(error);
  }

  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#settle(this.#rows);
  }

  handleCopyInResponse(_connection: Wire): void {}
  handleCopyData(_message: { chunk: Buffer }, _connection: Wire): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}

class CopyOut extends CopyQuery {
  readonly #waiting: Buffer[] = [];
  #wire: Wire | undefined;
  #wake = () => {};
  #ended = false;

  constructor(text: string) {
    super(text);
    const end = () => {
      this.#ended = true;
      // The end may arrive with the last rows, and later responses need the stream to flow.
      this.#wire?.stream.resume();
      this.#wake();
    };
    this.done.then(end, end);
  }

  override handleCopyData({ chunk }: { chunk: Buffer }, connection: Wire): void {
    this.#wire = connection;
    // Copied, because the driver reuses its buffer.
    this.#waiting.push(Buffer.from(chunk));
    connection.stream.pause();
    this.#wake();
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#waiting.length > 0) yield Buffer.concat(this.#waiting.splice(0));
      else if (this.#ended) return void (await this.done);
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          this.#wire?.stream.resume();
        });
    }
  }
}

class CopyIn extends CopyQuery {
  constructor(
    text: string,
    private readonly chunks: AsyncIterable<Buffer>,
  ) {
    super(text);
  }

  override handleCopyInResponse(connection: Wire): void {
    void this.#send(connection).catch((error: Error) => connection.sendCopyFail(error.message));
  }

  async #send(connection: Wire): Promise<void> {
    for await (const chunk of this.chunks) {
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain)
        await new Promise<void>((resolve) => connection.stream.once('drain', resolve));
    }
    connection.endCopyFrom();
  }
}

const submit = (client: pg.Client, query: CopyQuery) => client.query(query as unknown as pg.Submittable);

export interface CopiedTable {
  table: [string, string];
  columns: string[];
}

const quote = ({ table, columns }: CopiedTable) => {
  const names = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  return `${table.map((part) => pg.escapeIdentifier(part)).join('.')} (${names})`;
};

/** Streams the rows in COPY text format at the reader's pace. `rows` resolves to their number. */
function copyOut(
  client: pg.Client,
  table: CopiedTable,
): { chunks: AsyncGenerator<Buffer>; rows: Promise<number> } {
  const query = new CopyOut(`copy ${quote(table)} to stdout`);
  submit(client, query);
  return { chunks: query.chunks(), rows: query.done };
}

/** Loads rows in COPY text format and returns their number. */
export async function copyIn(
  client: pg.Client,
  table: CopiedTable,
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  const query = new CopyIn(`copy ${quote(table)} from stdin`, chunks);
  submit(client, query);
  return query.done;
}

const SCHEMAS = ['public', 'graphile_worker'];

export interface DumpedSequence {
  sequence: [string, string];
  /** A string, because the value can exceed the range of safe integers. */
  value: string;
}

/** A consistent view of the database. */
export interface Snapshot {
  server: string;
  migrations: AppliedMigration[];
  tables: CopiedTable[];
  read(table: CopiedTable): ReturnType<typeof copyOut>;
  /** Read last, so that a restored sequence repeats no value that was used before the snapshot. */
  listSequences(): Promise<DumpedSequence[]>;
  close(): Promise<void>;
}

/** Returns undefined when the database has no Guildhall tables. */
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
    // Locks the tables before the first read, so that no migration changes their columns.
    await client.query(`lock table ${present.map(quoteTable).join(', ')} in access share mode`);
    const { rows } = await client.query<{ server: string }>(
      "select current_setting('server_version') as server",
    );
    return {
      server: rows[0]!.server,
      migrations: await listApplied(client),
      // Reads the list again, because a migration may have finished before the lock was acquired.
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

/** Lists all tables with their stored columns, except unlogged tables and tables of extensions. */
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
