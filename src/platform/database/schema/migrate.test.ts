import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmptyDatabase, createTestDatabase, dropDatabase } from '../../../../tests/support/database.js';
import { silentLog } from '../../../kernel/log.js';
import type { EmbeddedConnection } from '../embedded/embedded.js';
import { migrate } from './migrate.js';

let connection: EmbeddedConnection;
let folder: string;

beforeEach(async () => {
  connection = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'guildhall-migrations-'));
});

afterEach(async () => {
  await dropDatabase(connection);
  await rm(folder, { recursive: true });
});

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);
const run = () => migrate({ connection, folder, log: silentLog });

async function ask(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('migrate', () => {
  it('applies the files once, in the order of their names', async () => {
    await write('0002_fill.sql', 'insert into things values (1);');
    await write('0001_things.sql', 'create table things (id int);');
    await run();
    await run();
    expect(await ask('select count(*)::int as count from things')).toEqual([{ count: 1 }]);
    expect(await ask('select name from schema_migrations order by name')).toEqual([
      { name: '0001_things.sql' },
      { name: '0002_fill.sql' },
    ]);
  });

  it('allows many nodes to start at once', async () => {
    await write('0001_things.sql', 'create table things (id int); insert into things values (1);');
    await Promise.all(Array.from({ length: 8 }, run));
    expect(await ask('select count(*)::int as count from things')).toEqual([{ count: 1 }]);
  });

  it('prepares the job queue', async () => {
    await run();
    expect(await ask("select to_regclass('graphile_worker.migrations') is not null as present")).toEqual([
      { present: true },
    ]);
  });

  it('names an applied migration that was changed', async () => {
    await write('0001_things.sql', 'create table things (id int);');
    await run();
    await write('0001_things.sql', 'create table things (id bigint);');
    await expect(run()).rejects.toThrow('Changed after it was applied to this database: 0001_things.sql');
  });

  it('names file and line of a failing migration and rolls it back', async () => {
    await write('0001_things.sql', 'create table things (id int);\n\nselect nonsense;\n');
    await expect(run()).rejects.toThrow(
      'Migration 0001_things.sql, line 3: column "nonsense" does not exist',
    );
    expect(await ask("select to_regclass('things') is null as absent")).toEqual([{ absent: true }]);
  });

  it('reports how to recover from a failing migration, and keeps earlier ones', async () => {
    await write('0001_things.sql', 'create table things (id int); insert into things values (1);');
    await run();
    await write('0002_more.sql', 'alter table things add column name text; update things set name = 1 / 0;');
    await expect(run()).rejects.toThrow(
      /Migration 0002_more\.sql: division by zero\. It was rolled back.* start again/,
    );
    expect(await ask('select * from things')).toEqual([{ id: 1 }]);
    await write('0002_more.sql', 'alter table things add column name text;');
    await run();
    expect(await ask('select * from things')).toEqual([{ id: 1, name: null }]);
  });

  it('refuses a database of a newer version with a clear message and changes nothing', async () => {
    await write('0001_things.sql', 'create table things (id int);');
    await write('0002_newer.sql', 'create table newer (id int);');
    await run();
    await rm(join(folder, '0002_newer.sql'));
    await write('0003_ours.sql', 'create table ours (id int);');
    await expect(run()).rejects.toThrow(/used by a newer Guildhall.*\(0002_newer\.sql\).*Start that version/);
    expect(await ask("select to_regclass('ours') is null as absent")).toEqual([{ absent: true }]);
  });
});

describe('Migrating a table in use', () => {
  let reader: pg.Client;

  beforeEach(async () => {
    await write('0001_things.sql', 'create table things (id int);');
    await run();
    await write('0002_more.sql', 'alter table things add column name text;');
    reader = new pg.Client(connection);
    await reader.connect();
    await reader.query('begin');
    await reader.query('select * from things');
  });

  afterEach(() => reader.end());

  it('waits with short locks so that other sessions keep reading, and finishes when they release the table', async () => {
    let isDone = false;
    const migrating = migrate({ connection, folder, log: silentLog, locks: { waitMs: 50, attempts: 5000 } });
    const finished = migrating.then(() => {
      isDone = true;
    });
    // Each query waits behind the migration at most as long as the migration waits for the lock.
    for (let n = 0; n < 20; n += 1) expect(await ask('select * from things')).toEqual([]);
    expect(isDone).toBe(false);
    await reader.query('commit');
    await finished;
    expect(await ask('select count(*)::int as count from schema_migrations')).toEqual([{ count: 2 }]);
  });

  it('gives up after its attempts, changes nothing and reports what holds the lock', async () => {
    const options = { connection, folder, log: silentLog, locks: { waitMs: 20, attempts: 2 } };
    await expect(migrate(options)).rejects.toThrow(
      /Migration 0002_more\.sql.*lock timeout.*Another session holds the table.*start again/,
    );
    expect(await ask('select name from schema_migrations')).toEqual([{ name: '0001_things.sql' }]);
  });
});

describe('Migrations of the service', () => {
  it('create the database that test files copy', async () => {
    const copy = await createTestDatabase();
    const { rows } = await copy.pool.query('select count(*)::int as count from schema_migrations');
    expect(rows[0].count).toBeGreaterThan(0);
    await copy.drop();
  });
});
