import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { muteLine } from '../../../../tests/support/mute-line.js';
import { readDatabaseUrl } from '../../../kernel/addresses.js';
import { silentLog } from '../../../kernel/log.js';
import { Notifications } from '../../events/notifications.js';
import { connectDatabase } from './connection.js';
import { isConnectionFailure } from './database-errors.js';

describe('Database URL', () => {
  it('may name several hosts, one of which accepts writes', () => {
    expect(
      readDatabaseUrl('postgres://u:p@one:5432,two:5433/db?sslmode=require&target_session_attrs=read-write'),
    ).toEqual({
      urls: ['postgres://u:p@one:5432/db?sslmode=require', 'postgres://u:p@two:5433/db?sslmode=require'],
      mustWrite: true,
    });
    expect(readDatabaseUrl('postgresql://one,two/db')).toMatchObject({ mustWrite: true });
    expect(readDatabaseUrl('postgres://one/db?target_session_attrs=primary')).toEqual({
      urls: ['postgres://one/db'],
      mustWrite: true,
    });
    expect(readDatabaseUrl('postgres://[::1]:5432/db')).toEqual({
      urls: ['postgres://[::1]:5432/db'],
      mustWrite: false,
    });
  });

  it.each([
    ['mysql://one/db', 'must be a URL that begins with postgres:// or postgresql://'],
    ['postgres://one,/db', 'must name hosts as host:port, separated by commas'],
    ['postgres://one:x,two/db', 'must name hosts as host:port, separated by commas'],
    [
      'postgres://one/db?target_session_attrs=standby',
      'must have target_session_attrs any, read-write or primary',
    ],
  ])('is rejected with a clear message when invalid: %s', (url, words) => {
    expect(readDatabaseUrl(url)).toEqual({ fault: expect.stringContaining(words) });
  });
});

describe('Database with several hosts', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const addressOf = (...lines: { connection: { port?: number } }[]) => {
    const { user, database } = test.connection;
    const hosts = ['127.0.0.1:1', ...lines.map(({ connection }) => `127.0.0.1:${connection.port}`)];
    return `postgres://${user}@${hosts.join(',')}/${database}?target_session_attrs=read-write`;
  };
  const connect = (url: string) =>
    connectDatabase({ url, poolSize: 2, applicationName: 'hosts', log: silentLog });

  it('tries each host and leaves a host that stops responding, for queries and for notifications', async () => {
    const [first, second] = [await muteLine(test.connection), await muteLine(test.connection)];
    const database = connect(addressOf(first, second));
    const listener = new Notifications({ url: addressOf(first, second), log: silentLog });
    await listener.start();
    const heard: unknown[] = [];
    listener.subscribe('hosts', (payload) => void heard.push(payload));
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(database.db);
    expect((await ask()).rows).toEqual([{ one: 1 }]);

    // Whichever host was chosen, the other one takes over.
    for (const line of [first, second]) {
      line.fallSilent();
      await expect
        .poll(
          () =>
            ask().then(
              ({ rows }) => rows,
              () => undefined,
            ),
          { interval: 200 },
        )
        .toEqual([{ one: 1 }]);
      await expect
        .poll(async () => {
          if (!listener.healthy) return false;
          await listener.publish(test.db, 'hosts', 'heard').catch(() => {});
          return (await listener.flush()) && heard.length > 0;
        })
        .toBe(true);
      heard.length = 0;
      line.mend();
    }
    await listener.stop();
    await database.close();
    await Promise.all([first.close(), second.close()]);
  });

  it('reports a connection failure while no host accepts writes, and recovers', async () => {
    const line = await muteLine(test.connection);
    const { database: name } = test.connection;
    await test.pool.query(`alter database ${name} set default_transaction_read_only = on`);
    const database = connect(addressOf(line));
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(database.db);
    const fault = await ask().catch((error: unknown) => error);
    expect([isConnectionFailure(fault), (fault as Error).message]).toEqual([
      true,
      'No host of the database takes writes',
    ]);
    await test.pool.query('set default_transaction_read_only = off').catch(() => {});
    await test.pool.query(`alter database ${name} set default_transaction_read_only = off`);
    await expect
      .poll(() =>
        ask().then(
          ({ rows }) => rows,
          () => undefined,
        ),
      )
      .toEqual([{ one: 1 }]);

    // Reads also stop on a host that is no longer the primary.
    await test.pool.query(`alter database ${name} set default_transaction_read_only = on`);
    await expect
      .poll(
        () =>
          ask().then(
            () => 'reads',
            (error: unknown) => isConnectionFailure(error),
          ),
        { interval: 200 },
      )
      .toBe(true);
    await test.pool.query(`alter database ${name} set default_transaction_read_only = off`);
    await expect
      .poll(() =>
        ask().then(
          ({ rows }) => rows,
          () => undefined,
        ),
      )
      .toEqual([{ one: 1 }]);
    await database.close();
    await line.close();
  });
});
