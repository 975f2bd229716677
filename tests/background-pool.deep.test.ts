import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from './support/app.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

/** Background work has its own connections and its own time limit, so requests never wait for it. */

const LOCK = 4711;
let database: TestDatabase;
let world: World;
let home: Awaited<ReturnType<World['workspace']>>;

beforeAll(async () => {
  database = await createTestDatabase({ backgroundStatementTimeoutMs: 20_000 });
  world = await startTestApp({ workers: true, database });
  home = await world.workspace();
});

afterAll(async () => {
  await world.stop();
  await database.drop();
});

const waitingForLock = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%pg_advisory%'`.execute(
    world.db,
  );
  return Number(rows[0]!.count);
};

const ask = (name: string) =>
  Promise.all([
    world.inject({ url: '/api/v1/board/boards', headers: home.bearer }),
    world.inject({ method: 'POST', url: '/api/v1/board/boards', headers: home.bearer, payload: { name } }),
    world.inject({ url: '/api/v1/system/health' }),
  ]);

describe('Twenty background jobs that wait for a database lock', () => {
  it('take no connection from requests, and finish after the lock is released', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `long-${n}`);
    world.app.jobs.register(
      names.map((name) => ({
        name,
        run: async () => {
          await sql`select pg_advisory_lock_shared(${LOCK}), pg_advisory_unlock_shared(${LOCK})`.execute(
            world.db,
          );
          return { processed: 1, failed: 0 };
        },
      })),
    );
    const held = await database.pool.connect();
    await held.query('select pg_advisory_lock($1)', [LOCK]);
    const passes = Promise.all(names.map((name) => world.app.jobs.runNow(name)));
    await expect.poll(waitingForLock).toBeGreaterThan(3);

    // The test itself holds one connection. All others are free.
    expect(database.pool.totalCount - database.pool.idleCount).toBe(1);
    for (let n = 0; n < 5; n++) {
      const answers = await ask(`Board ${n}`);
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 201, 200]);
    }
    expect(database.pool.waitingCount).toBe(0);

    await held.query('select pg_advisory_unlock($1)', [LOCK]);
    held.release();
    expect((await passes).map((result) => result?.processed)).toEqual(names.map(() => 1));
  });
});

describe('A background job with a statement over the time limit', () => {
  it('fails without affecting other jobs or requests', async () => {
    const hurried = await createTestDatabase({ backgroundStatementTimeoutMs: 300 });
    const node = await startTestApp({ database: hurried });
    const { bearer } = await node.workspace();
    const pass = (seconds: number) => async () => {
      await sql`select pg_sleep(${seconds})`.execute(node.db);
      return { processed: 1, failed: 0 };
    };
    node.app.jobs.register([
      { name: 'slow', run: pass(30) },
      { name: 'quick', run: pass(0) },
    ]);
    const slow = node.app.jobs.runNow('slow');
    const quick = node.app.jobs.runNow('quick');
    // The time limit does not apply to statements of requests.
    const patient = sql`select pg_sleep(4)`.execute(node.db);
    await expect(Promise.race([slow, patient])).rejects.toMatchObject({ code: '57014' });
    expect(await quick).toEqual({ processed: 1, failed: 0 });
    await patient;
    expect((await node.inject({ url: '/api/v1/board/boards', headers: bearer })).statusCode).toBe(200);
    expect(await node.app.jobs.runNow('quick')).toEqual({ processed: 1, failed: 0 });
    await node.stop();
    await hurried.drop();
  });
});
