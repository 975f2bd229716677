import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.js';
import { connectDatabase } from '../../src/platform/database/connection/connection.js';
import type { ReadOutcome } from '../../src/platform/database/replicas/replicas.js';
import { migrate } from '../../src/platform/database/schema/migrate.js';
import { ADMIN_KEY, startTestApp, type World } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { findPostgres, startPrimaryAndReplica } from '../support/real-postgres.js';

/** A real primary and a real replica, and two nodes that use both. */

const bin = findPostgres();
if (!bin) console.warn('Skipped: PostgreSQL is not installed on this machine, so nothing can follow it.');

const PATIENCE_MS = 240_000;

describe.skipIf(!bin)('DATABASE_READ_URL (skipped if PostgreSQL is not installed)', () => {
  let servers: Awaited<ReturnType<typeof startPrimaryAndReplica>>;
  const worlds: World[] = [];
  const databases: TestDatabase[] = [];
  let home: Awaited<ReturnType<World['workspace']>>;
  let colleague: Record<string, string>;
  let board: string;
  let over = new AbortController();

  function connect(): TestDatabase {
    const { primary, replica } = servers;
    const size = { poolSize: 10, statementTimeoutMs: PATIENCE_MS, connectTimeoutMs: PATIENCE_MS };
    const database = connectDatabase({
      connection: primary.connection,
      ...size,
      applicationName: 'guildhall',
      log: silentLog,
      replicas: { ...size, connectTimeoutMs: 5000, addresses: [{ connection: replica.connection }] },
    });
    const made = { ...database, connection: { ...primary.connection, password: '' }, drop: database.close };
    databases.push(made as unknown as TestDatabase);
    return databases.at(-1)!;
  }

  beforeAll(async () => {
    servers = await startPrimaryAndReplica(bin!);
    await migrate({ connection: servers.primary.connection, log: silentLog });
    for (const people of ['one', 'two']) worlds.push(await startTestApp({ database: connect(), people }));
    const [world] = worlds as [World];
    home = await world.workspace();
    const other = await world.member(home.brand);
    colleague = { authorization: `Bearer ${await world.token(home.brand, other)}` };
    const made = await world.inject({
      method: 'POST',
      url: '/api/v1/board/boards',
      headers: home.bearer,
      payload: { name: 'Board' },
    });
    board = made.json().board_id;
  });

  afterAll(async () => {
    over.abort();
    await servers.replica.query('select pg_wal_replay_resume()').catch(() => {});
    for (const world of worlds) await world.stop();
    for (const database of databases) await database.close();
    await servers.end();
  });

  const [first, second] = [() => worlds[0]!, () => worlds[1]!];

  const makeCard = async (world: World, title: string, headers: Record<string, string> = home.bearer) => {
    const payload = { title };
    const url = `/api/v1/board/boards/${board}/tasks`;
    const { statusCode } = await world.inject({ method: 'POST', url, headers, payload });
    expect(statusCode).toBe(201);
  };
  const listTitles = async (world: World, headers: Record<string, string>): Promise<string[]> => {
    const answer = await world.inject({ url: `/api/v1/board/boards/${board}/tasks?per_page=500`, headers });
    expect(answer.statusCode).toBe(200);
    return (answer.json().items as { title: string }[]).map(({ title }) => title);
  };
  const countReads = async (world: World, outcome: ReadOutcome | 'recent'): Promise<number> => {
    const { body } = await world.inject({ url: '/metrics', headers: { 'x-admin-key': ADMIN_KEY } });
    return Number(
      new RegExp(`guildhall_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)`).exec(body)?.[1] ?? 0,
    );
  };
  const replicaPart = async (world: World) => {
    const url = '/api/v1/admin/health';
    const { parts } = (await world.inject({ url, headers: { 'x-admin-key': ADMIN_KEY } })).json();
    return (parts as { name: string; status: string }[]).find(({ name }) => name === 'replicas')?.status;
  };
  const untilFollowed = (world: World) => expect.poll(() => replicaPart(world)).toBe('ok');
  /** Waits until the reads of a user without recent writes go to the replica. */
  const untilRead = async (world: World) => {
    const before = await countReads(world, 'replica');
    await expect
      .poll(async () => {
        await listTitles(world, colleague);
        return countReads(world, 'replica');
      })
      .toBeGreaterThan(before);
  };
  const pause = () => servers.replica.query('select pg_wal_replay_pause()');
  const resume = () => servers.replica.query('select pg_wal_replay_resume()');

  it('sends only reads that may be stale to the replica', async () => {
    await untilFollowed(first());
    await untilRead(first());
    const { replicas, db } = databases[0]!;
    const inRecovery = async () =>
      (await sql<{ yes: boolean }>`select pg_is_in_recovery() as yes`.execute(db)).rows[0]!.yes;
    expect(await replicas!.read(inRecovery)).toBe(true);
    expect(await inRecovery()).toBe(false);
    const before = await countReads(first(), 'replica');
    for (const url of [`/api/v1/board/boards/${board}`, '/api/v1/me', '/api/v1/me/token'])
      expect((await first().inject({ url, headers: colleague })).statusCode).toBe(200);
    expect(await countReads(first(), 'replica')).toBe(before);
  });

  it('shows users their own writes of the last 5 s on every node', async () => {
    for (const world of worlds) await untilFollowed(world);
    await pause();
    const titles: string[] = [];
    for (let round = 0; round < 10; round++) {
      titles.push(`Own ${round}`);
      await makeCard(first(), `Own ${round}`);
      expect(await listTitles(first(), home.bearer)).toEqual(expect.arrayContaining(titles));
      // Without Redis the other node learns of the write through the database, a moment later.
      await second().app.notifications.flush();
      expect(await listTitles(second(), home.bearer)).toEqual(expect.arrayContaining(titles));
    }
    expect(await countReads(first(), 'recent')).toBeGreaterThan(0);
    expect(await countReads(second(), 'recent')).toBeGreaterThan(0);
    await resume();
  });

  it("shows users an event's card as soon as the stream sends the event", async () => {
    await untilFollowed(first());
    const address = await first().server.listen({ port: 0, host: '127.0.0.1' });
    over = new AbortController();
    const stream = await fetch(`${address}/api/v1/board/activity/boards/${board}/stream`, {
      headers: colleague,
      signal: over.signal,
    });
    const reader = stream.body!.getReader();
    await reader.read();
    await pause();
    await makeCard(first(), 'Told');
    for (let text = ''; !text.includes('Told'); )
      text += Buffer.from((await reader.read()).value!).toString();
    expect(await listTitles(first(), colleague)).toContain('Told');
    expect(await listTitles(second(), colleague)).toContain('Told');
    over.abort();
    await resume();
  });

  it('checks credentials and guest access on the primary, even if the replica lags far behind', async () => {
    const world = first();
    const leaver = await world.member(home.brand);
    const token = await world.token(home.brand, leaver);
    const bearer = { authorization: `Bearer ${token}` };
    const guest = await world.person();
    const seat = { url: `/api/v1/board/boards/${board}/guests/${guest.user_id}`, headers: home.bearer };
    const invited = await world.inject({ method: 'PUT', ...seat, payload: { role: 'viewer' } });
    expect(invited.statusCode).toBeLessThan(300);
    const cookie = { cookie: await world.signIn(guest, home.brand) };
    await untilFollowed(world);
    await pause();
    expect(await listTitles(world, bearer)).toContain('Told');
    expect(await listTitles(world, cookie)).toContain('Told');
    await world.operator('DELETE', `/brands/${home.brand.brand_id}/members/${leaver.user_id}`);
    for (const each of worlds) {
      const refused = await each.inject({ url: `/api/v1/board/boards/${board}/tasks`, headers: bearer });
      expect(refused.statusCode).toBe(401);
    }
    expect((await world.inject({ method: 'DELETE', ...seat })).statusCode).toBeLessThan(300);
    const closed = await world.inject({ url: `/api/v1/board/boards/${board}/tasks`, headers: cookie });
    expect(closed.statusCode).toBeGreaterThanOrEqual(400);
    await resume();
  });

  it('stops using a replica that lags too far, and uses it again after it has caught up', async () => {
    const world = first();
    await untilFollowed(world);
    await pause();
    await makeCard(world, 'While it stands still');
    await expect.poll(() => replicaPart(world)).toBe('late');
    expect(await listTitles(world, colleague)).toContain('While it stands still');
    await resume();
    await untilFollowed(world);
    await untilRead(world);
  });

  it('stops using a replica that is down without failing a read, and uses it again after it is back', async () => {
    const world = first();
    await untilFollowed(world);
    await servers.replica.stop();
    for (let n = 0; n < 5; n++) await listTitles(world, colleague);
    await expect.poll(() => replicaPart(world)).toBe('failed');
    await listTitles(world, colleague);
    await servers.replica.start();
    await untilFollowed(world);
    await untilRead(world);
  });

  it('delays no read for long when the replica stops answering', async () => {
    const world = first();
    await untilRead(world);
    servers.replica.freeze();
    try {
      await Promise.all(Array.from({ length: 4 }, () => listTitles(world, colleague)));
      await expect.poll(() => replicaPart(world)).toBe('failed');
    } finally {
      servers.replica.thaw();
    }
    await untilFollowed(world);
    await untilRead(world);
  });

  it('repeats a read on the primary when it conflicts with replication', async () => {
    await untilFollowed(first());
    const { replicas, db } = databases[0]!;
    const outcomes: ReadOutcome[] = [];
    replicas!.observe((outcome) => void outcomes.push(outcome));
    let started = 0;
    const read = replicas!.read(async () => {
      started += 1;
      const seconds = started === 1 ? 600 : 0;
      const { rows } = await sql<{ there: boolean }>`
        select pg_is_in_recovery() as there, pg_sleep(${seconds}) from boards limit 1`.execute(db);
      return rows[0]!.there;
    });
    await expect
      .poll(() => servers.replica.query("select from pg_stat_activity where wait_event = 'PgSleep'"))
      .toHaveLength(1);
    await servers.primary.query('begin; lock table boards in access exclusive mode; commit');
    expect(await read).toBe(false);
    expect(started).toBe(2);
    expect(outcomes).toContain('conflict');
  });
});
