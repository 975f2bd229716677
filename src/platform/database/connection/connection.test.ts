import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { silentLog } from '../../../kernel/log.js';
import { startEmbeddedPostgres } from '../embedded/embedded.js';
import { connectDatabase, type Database, ping } from './connection.js';
import { isConnectionFailure } from './database-errors.js';

let test: TestDatabase;
let single: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  single = connectDatabase({
    connection: test.connection,
    poolSize: 1,
    applicationName: 'single',
    log: silentLog,
  });
});

afterAll(async () => {
  await single.close();
  await test.drop();
});

const backendPid = async (database: Database) => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db);
  return rows[0]!.pid;
};

async function preparedCount(like: string): Promise<number> {
  const { rows } = await single.pool.query(
    'select count(*) from pg_prepared_statements where statement like $1',
    [like],
  );
  return rows[0].count;
}

const terminate = (pid: number) => test.pool.query('select pg_terminate_backend($1)', [pid]);

describe('Values from the database', () => {
  it('are parsed to numbers, dates, JSON and arrays', async () => {
    const { rows } = await sql`
      select 9007199254740991::int8 as int8, 1.5::numeric as numeric, '2026-01-02T03:04:05Z'::timestamptz as instant,
             '{"a":[1]}'::jsonb as json, array[1,null]::int8[] as numbers, array['a','b'] as texts,
             '2026-01-02'::date as day, '\\x00ff'::bytea as bytes`.execute(single.db);
    expect(rows[0]).toEqual({
      int8: 9007199254740991,
      numeric: 1.5,
      instant: new Date('2026-01-02T03:04:05Z'),
      json: { a: [1] },
      numbers: [1, null],
      texts: ['a', 'b'],
      day: '2026-01-02',
      bytes: Buffer.from([0, 255]),
    });
  });

  it.each([
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2026-12-31 23:59:59.5+00', '2026-12-31T23:59:59.500Z'],
    ['2026-01-02 03:04:05.07+00', '2026-01-02T03:04:05.070Z'],
    ['2026-01-02 03:04:05.009+00', '2026-01-02T03:04:05.009Z'],
    ['2026-01-02 03:04:05.123987+00', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02 03:04:05+05:30', '2026-01-01T21:34:05.000Z'],
    ['1969-12-31 23:59:59.999+00', '1969-12-31T23:59:59.999Z'],
    ['0001-02-03 04:05:06+00', '0001-02-03T04:05:06.000Z'],
    ['9999-12-31 23:59:59.999999+00', '9999-12-31T23:59:59.999Z'],
    ['12345-01-02 00:00:00+00', '+012345-01-02T00:00:00.000Z'],
    ['0044-03-15 00:00:00+00 BC', '-000043-03-15T00:00:00.000Z'],
  ])('parse the timestamp %s', async (instant, expected) => {
    const { rows } = await sql<{ at: Date }>`select ${instant}::timestamptz as at`.execute(single.db);
    expect(rows[0]!.at.toISOString()).toBe(expected);
  });

  it('parse infinite timestamps', async () => {
    const { rows } =
      await sql`select 'infinity'::timestamptz as late, '-infinity'::timestamptz as early`.execute(single.db);
    expect(rows).toEqual([{ late: Number.POSITIVE_INFINITY, early: Number.NEGATIVE_INFINITY }]);
  });

  it('use UTC as the session time zone', async () => {
    const { rows } = await sql`select current_setting('TimeZone') as zone`.execute(single.db);
    expect(rows).toEqual([{ zone: 'UTC' }]);
  });
});

describe('Prepared statements', () => {
  it('are created on the second use of a text', async () => {
    const ask = (value: number) => sql`select ${value}::int as prepared_probe`.execute(single.db);
    await ask(1);
    expect(await preparedCount('%as prepared_probe')).toBe(0);
    await ask(2);
    expect((await ask(3)).rows).toEqual([{ prepared_probe: 3 }]);
    expect(await preparedCount('%as prepared_probe')).toBe(1);
  });

  it('are described once per connection, and later rows are parsed with the stored description', async () => {
    const database = connectDatabase({
      connection: test.connection,
      poolSize: 1,
      applicationName: 'shapes',
      log: silentLog,
    });
    const client = await database.pool.connect();
    const { connection } = client as unknown as { connection: { describe(...args: unknown[]): void } };
    client.release();
    let described = 0;
    const describeFor = connection.describe.bind(connection);
    connection.describe = (...args) => {
      described += 1;
      describeFor(...args);
    };
    const ask = async (most: number) =>
      (
        await sql`
          select n as shape_probe, n::int8 as big, '{"a":1}'::jsonb as json, null::text as nothing, now() > 'epoch' as later
          from generate_series(1, ${most}) n`.execute(database.db)
      ).rows;
    const rowsOf = (most: number) =>
      Array.from({ length: most }, (_, i) => ({
        shape_probe: i + 1,
        big: i + 1,
        json: { a: 1 },
        nothing: null,
        later: true,
      }));
    for (const most of [2, 3, 0, 4, 1]) expect(await ask(most)).toEqual(rowsOf(most));
    // Once for the unnamed statement and once for the named one.
    expect(described).toBe(2);
    await database.close();
  });

  it('include the caller in the stack of an error', async () => {
    const askInVain = () => sql`select 1 / ${0}::int as vain_probe`.execute(single.db);
    for (let n = 0; n < 3; n += 1) {
      const error = (await askInVain().catch((reason: unknown) => reason)) as Error;
      expect(error.message).toBe('division by zero');
      expect(error.stack).toContain('prepared-statements');
    }
  });

  it('are dropped when they are the least recently used', async () => {
    const ask = async (text: string) => {
      const { rows } = await sql`select ${sql.lit(text)} as full_probe`.execute(single.db);
      expect(rows).toEqual([{ full_probe: text }]);
    };
    const preparedAt = async (text: string) => {
      const { rows } = await single.pool.query(
        'select prepare_time from pg_prepared_statements where statement like $1',
        [`%'${text}' as full_probe`],
      );
      return rows[0]?.prepare_time as Date | undefined;
    };
    for (const text of ['left', 'kept', 'left', 'kept']) await ask(text);
    const [leftAt, keptAt] = [await preparedAt('left'), await preparedAt('kept')];
    expect(leftAt).toBeDefined();
    for (let index = 0; index < 420; index += 1) {
      await ask(`other ${index}`);
      await ask(`other ${index}`);
      await ask('kept');
    }
    expect(await preparedAt('left')).toBeUndefined();
    expect(await preparedAt('kept')).toEqual(keptAt);
    expect(await preparedAt('other 419')).toBeDefined();
    await ask('left');
    expect(await preparedAt('left')).toBeDefined();
  });

  it('survive a change of the table outside a transaction', async () => {
    const database = connectDatabase({
      connection: test.connection,
      poolSize: 1,
      applicationName: 'stale',
      log: silentLog,
    });
    await test.pool.query('create table changing as select 1 as a');
    const ask = () => sql`select * from changing`.execute(database.db);
    await ask();
    await ask();
    await test.pool.query('alter table changing add column b int default 2');
    expect((await ask()).rows).toEqual([{ a: 1, b: 2 }]);
    expect((await ask()).rows).toEqual([{ a: 1, b: 2 }]);
    await database.close();
  });

  it('are created again after the server dropped them', async () => {
    const ask = () => sql`select 1 as forgotten_probe`.execute(single.db);
    await ask();
    await ask();
    await single.pool.query('deallocate all');
    expect((await ask()).rows).toEqual([{ forgotten_probe: 1 }]);
  });

  it('can be used again after an error', async () => {
    const ask = (text: string) => sql`select ${text}::int as failing_probe`.execute(single.db);
    await expect(ask('x')).rejects.toThrow('invalid input syntax');
    await expect(ask('x')).rejects.toThrow('invalid input syntax');
    expect((await ask('5')).rows).toEqual([{ failing_probe: 5 }]);
  });
});

describe('A lost connection', () => {
  it('fails the running statement as a connection failure, and the next statement succeeds', async () => {
    const pid = await backendPid(single);
    const running = sql`select pg_sleep(20)`.execute(single.db).catch((error: unknown) => error);
    await expect
      .poll(
        async () =>
          (await test.pool.query('select wait_event from pg_stat_activity where pid = $1', [pid])).rows[0],
      )
      .toEqual({ wait_event: 'PgSleep' });
    await terminate(pid);
    expect(isConnectionFailure(await running)).toBe(true);
    expect(await backendPid(single)).not.toBe(pid);
  });

  it('does not crash the process when it is lost between two statements of a transaction', async () => {
    const outcome = single.db
      .transaction()
      .execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        await terminate(rows[0]!.pid);
        await expect
          .poll(
            async () =>
              (await test.pool.query('select from pg_stat_activity where pid = $1', [rows[0]!.pid])).rowCount,
          )
          .toBe(0);
        await sql`select 1`.execute(tx);
      })
      .catch((error: unknown) => error);
    expect(isConnectionFailure(await outcome)).toBe(true);
    await expect(backendPid(single)).resolves.toBeTypeOf('number');
  });

  it('differs from an error that the server returns', async () => {
    const nowhere = connectDatabase({
      connection: { ...test.connection, host: '/nowhere' },
      poolSize: 1,
      applicationName: 'nowhere',
      log: silentLog,
    });
    expect(isConnectionFailure(await backendPid(nowhere).catch((error: unknown) => error))).toBe(true);
    await nowhere.close();
    const closed = connectDatabase({
      url: 'postgres://x@127.0.0.1:1/x',
      poolSize: 1,
      applicationName: 'x',
      log: silentLog,
    });
    expect(isConnectionFailure(await backendPid(closed).catch((error: unknown) => error))).toBe(true);
    await closed.close();
    expect(
      isConnectionFailure(await sql`select 1/0`.execute(single.db).catch((error: unknown) => error)),
    ).toBe(false);
    expect(
      isConnectionFailure(Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' })),
    ).toBe(false);
    expect(isConnectionFailure(undefined)).toBe(false);
  });
});

describe('Statement timeout', () => {
  it('ends the statement and keeps the connection usable', async () => {
    const hurried = connectDatabase({
      connection: test.connection,
      poolSize: 1,
      applicationName: 'hurried',
      log: silentLog,
      statementTimeoutMs: 50,
    });
    await expect(sql`select pg_sleep(20)`.execute(hurried.db)).rejects.toThrow('statement timeout');
    expect((await sql`select 1 as one`.execute(hurried.db)).rows).toEqual([{ one: 1 }]);
    await hurried.close();
  });
});

describe('ping', () => {
  it('returns false when the database is unreachable', async () => {
    const pool = new pg.Pool({ ...test.connection, host: '/nowhere' });
    expect(await ping(pool, 2000)).toBe(false);
    await pool.end();
  });

  it('returns false in time while the server hangs, with and without an open connection, and true afterwards', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-hang-'));
    await chmod(dataDir, 0o711);
    const server = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false });
    const database = connectDatabase({
      connection: server.connection,
      poolSize: 2,
      applicationName: 'hang',
      log: silentLog,
    });
    const frozen = [server.findProcessId()!, await backendPid(database)];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    expect(await Promise.all([ping(database.pool, 200), ping(database.pool, 200)])).toEqual([false, false]);
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    await expect.poll(() => ping(database.pool, 2000), { timeout: 120_000 }).toBe(true);
    await database.close();
    await server.stop();
    await rm(dataDir, { recursive: true });
  });
});
