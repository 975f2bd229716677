import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from './support/app.js';

/** The answers that callers get while the database fails over to another machine. */

let world: World;
let home: Awaited<ReturnType<World['workspace']>>;

beforeAll(async () => {
  world = await startTestApp({ workers: true });
  home = await world.workspace();
});

afterAll(() => world.stop());

/** Makes the database behave like a member that is not promoted yet: it answers reads and refuses writes. */
async function setReadOnly(on: boolean): Promise<void> {
  const { database } = world.database.connection;
  const client = new pg.Client(world.database.connection);
  await client.connect();
  await client.query('set default_transaction_read_only = off');
  await client.query(
    `alter database ${pg.escapeIdentifier(database)} set default_transaction_read_only = ${on ? 'on' : 'off'}`,
  );
  if (on)
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [database],
    );
  await client.end();
}

const makeBoard = (name: string) =>
  world.inject({ method: 'POST', url: '/api/v1/board/boards', headers: home.bearer, payload: { name } });

const learn = () =>
  world.inject({
    method: 'POST',
    url: '/api/v1/memory/memories',
    headers: home.bearer,
    payload: { agent_id: 'failover', kind: 'fact', title: 'A title', body: 'A body' },
  });

describe('A database member that is not promoted yet', () => {
  it('answers reads, refuses writes with 503 (memory: 502) and Retry-After, and accepts writes after the promotion', async () => {
    expect((await makeBoard('Before')).statusCode).toBe(201);
    await setReadOnly(true);
    const reading = () => world.inject({ url: '/api/v1/board/boards', headers: home.bearer });
    await expect.poll(async () => (await reading()).statusCode).toBe(200);
    for (let n = 0; n < 12; n++) {
      const refused = await makeBoard('During');
      expect([refused.statusCode, refused.json(), refused.headers['retry-after']]).toEqual([
        503,
        { detail: 'The database is not reachable; try again shortly' },
        '2',
      ]);
    }
    const unlearned = await learn();
    expect([unlearned.statusCode, unlearned.headers['retry-after']]).toEqual([502, '2']);
    await expect(world.signIn(home.admin)).rejects.toThrow('503');

    await setReadOnly(false);
    await expect.poll(async () => (await makeBoard('After')).statusCode).toBe(201);
    expect((await learn()).statusCode).toBe(201);
    const { boards } = (await reading()).json() as { boards: { name: string }[] };
    expect(boards.map(({ name }) => name).filter((name) => name === 'During')).toEqual([]);
  });
});

describe('A database server that shuts down during a request', () => {
  it('results in 503 with Retry-After', async () => {
    const locker = new pg.Client(world.database.connection);
    await locker.connect();
    await locker.query('begin');
    await locker.query('lock table boards in access exclusive mode');
    const waiting = makeBoard('Cut off');
    const cut = async () => {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        world.db,
      );
      if (rows[0]) await sql`select pg_terminate_backend(${rows[0].pid})`.execute(world.db);
      return rows.length;
    };
    await expect.poll(cut).toBe(1);
    const answer = await waiting;
    await locker.end();
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
  });
});
