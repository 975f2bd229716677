import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/kernel/clock.js';
import { silentLog } from '../src/kernel/log.js';
import { connectDatabase, type Database } from '../src/platform/database/connection/connection.js';
import { ADMIN_KEY, startTestApp, type World } from './support/app.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { muteLine } from './support/mute-line.js';

/** The replica is the same database opened read-only, so both always hold the same data. */

let own: TestDatabase;
let database: Database;
let world: World;
let home: Awaited<ReturnType<World['workspace']>>;
let reader: Record<string, string>;
let board: string;

const PATIENCE = { poolSize: 4, connectTimeoutMs: 240_000, statementTimeoutMs: 240_000 };

beforeAll(async () => {
  own = await createTestDatabase();
  const { connection } = own;
  database = connectDatabase({
    connection,
    ...PATIENCE,
    applicationName: 'guildhall-test',
    log: silentLog,
    // Read-only, like a real replica.
    replicas: {
      ...PATIENCE,
      addresses: [{ connection: { ...connection, options: '-c default_transaction_read_only=on' } }],
    },
  });
  world = await startTestApp({ database: { ...database, connection, drop: database.close } });
  home = await world.workspace();
  reader = { authorization: `Bearer ${await world.token(home.brand, await world.member(home.brand))}` };
  const made = await call('POST', '/board/boards', home.bearer, { name: 'Board' });
  board = made.json().board_id;
});

afterAll(async () => {
  await world.stop();
  await database.close();
  await own.drop();
});

const call = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  headers: Record<string, string>,
  payload?: object,
) => world.inject({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });

async function readCounts(): Promise<Record<string, number>> {
  const { body } = await world.inject({ url: '/metrics', headers: { 'x-admin-key': ADMIN_KEY } });
  const found = body.matchAll(/^guildhall_replica_reads_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
}

/** Returns how much each counter of replica reads grew while the work ran. */
async function countsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  // After a pause of the machine the replica is used only once it is known to be fresh again.
  await expect.poll(() => database.replicas!.states()[0]!.status).toBe('fresh');
  const before = await readCounts();
  await work();
  const after = await readCounts();
  const grown = Object.entries(after).map(
    ([outcome, count]) => [outcome, count - (before[outcome] ?? 0)] as const,
  );
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}

const useTool = (headers: Record<string, string>, name: string, args: object) =>
  world.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });

describe('Replica reads', () => {
  it.each<[string, object?]>([
    ['/board/boards'],
    ['/board/boards/BOARD/tasks'],
    ['/board/boards/BOARD/export'],
    ['/board/master/tasks'],
    ['/search?q=board'],
    ['/factory/builds'],
    ['/brands/BRAND/figures'],
    ['/memory/memories?agent_id=somebody'],
    ['/memory/memories/stats'],
    ['/memory/conversations'],
    ['/memory/entries:similar', { text: 'A text' }],
    ['/memory/agents/somebody/context', { query: 'words' }],
  ])('serve %s for a user without recent writes', async (path, body) => {
    const url = path.replace('BOARD', board).replace('BRAND', String(home.brand.brand_id));
    const counts = await countsOf(async () => {
      const answer = await call(body ? 'POST' : 'GET', url, reader, body);
      expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, '']);
    });
    expect(counts).toEqual({ replica: 1 });
  });

  it("exclude single objects and the caller's own data", async () => {
    const counts = await countsOf(async () => {
      for (const path of [`/board/boards/${board}`, '/me', '/me/token', '/me/tokens', '/me/inbox'])
        await call('GET', path, reader);
    });
    expect(counts).toEqual({});
  });

  it('exclude users who wrote recently, with any of their credentials', async () => {
    await call('POST', `/board/boards/${board}/tasks`, home.bearer, { title: 'Mine' });
    const counts = await countsOf(async () => {
      await call('GET', '/board/boards', home.bearer);
      await call('GET', '/board/boards', { cookie: home.cookie });
    });
    expect(counts).toEqual({ recent: 2 });
  });

  it('exclude users whose recent write had an idempotency key or failed', async () => {
    const writer = async () => ({
      authorization: `Bearer ${await world.token(home.brand, await world.member(home.brand))}`,
    });
    const [keyed, refused] = [await writer(), await writer()];
    await call(
      'POST',
      `/board/boards/${board}/tasks`,
      { ...keyed, 'idempotency-key': 'one' },
      { title: 'Keyed' },
    );
    await call('POST', `/board/boards/${board}/tasks`, refused, {});
    const unread = { title: 'No such column', column: 'none' };
    expect((await call('POST', `/board/boards/${board}/tasks`, refused, unread)).statusCode).toBe(422);
    const counts = await countsOf(async () => {
      for (const headers of [keyed, refused]) await call('GET', '/board/boards', headers);
    });
    expect(counts).toEqual({ recent: 2 });
  });

  it('exclude guests', async () => {
    const guest = await world.person();
    await call('PUT', `/board/boards/${board}/guests/${guest.user_id}`, home.bearer, { role: 'viewer' });
    const cookie = await world.signIn(guest, home.brand);
    const counts = await countsOf(async () =>
      expect((await call('GET', '/board/boards', { cookie })).statusCode).toBe(200),
    );
    expect(counts).toEqual({});
  });

  it('serve MCP tools, and take writes by MCP into account', async () => {
    const agent = {
      authorization: `Bearer ${await world.token(home.brand, await world.member(home.brand))}`,
    };
    const read = () => useTool(agent, 'find_tasks', {});
    const first = await countsOf(async () => expect((await read()).statusCode).toBe(200));
    expect(Object.keys(first)).toEqual(['replica']);
    const written = await useTool(agent, 'create_task', { board_id: board, title: 'By an agent' });
    expect(written.body).toContain('By an agent');
    expect(Object.keys(await countsOf(read))).toEqual(['recent']);
    expect(await countsOf(() => call('GET', '/board/boards', agent))).toEqual({ recent: 1 });
  });

  it('repeat a lookup on the primary before they answer 404', async () => {
    const unknown = '/board/boards/00000000-0000-4000-8000-000000000000/tasks';
    const counts = await countsOf(async () =>
      expect((await call('GET', unknown, reader)).statusCode).toBe(404),
    );
    expect(counts).toEqual({ refused: 1 });
  });
});

describe('Replica connection', () => {
  it('repeats a write on the primary, without marking the replica as failed', async () => {
    const write = async () => {
      await sql`insert into job_runs (name, started_at, finished_at) values ('lagging', now(), now())`.execute(
        database.db,
      );
    };
    expect(await countsOf(() => database.replicas!.read(write))).toEqual({ refused: 1 });
    expect(database.replicas!.states()[0]!.status).toBe('fresh');
    await sql`delete from job_runs where name = 'lagging'`.execute(database.db);
  });

  it('is not used by work that outlives its read', async () => {
    let later: Promise<unknown> = Promise.resolve();
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const isClosed = async () =>
      (
        await sql<{ closed: string }>`select current_setting('transaction_read_only') as closed`.execute(
          database.db,
        )
      ).rows[0]!.closed;
    const during = await database.replicas!.read(async () => {
      later = gate.then(isClosed);
      return isClosed();
    });
    go();
    expect([during, await later]).toEqual(['on', 'off']);
  });
});

describe('Replica health', () => {
  it('marks a silent replica as away, repeats its reads on the primary, and uses it again once it answers', async () => {
    const line = await muteLine(own.connection);
    const other = connectDatabase({
      connection: own.connection,
      ...PATIENCE,
      applicationName: 'silent',
      log: silentLog,
      replicas: { ...PATIENCE, connectTimeoutMs: 5000, addresses: [{ connection: line.connection }] },
    });
    const replicas = other.replicas!;
    await replicas.start(systemClock);
    const status = () => replicas.states()[0]!.status;
    const ask = () => replicas.read(async () => (await sql`select 1 as one`.execute(other.db)).rows);
    await expect.poll(status).toBe('fresh');
    expect(await ask()).toEqual([{ one: 1 }]);
    line.fallSilent();
    expect(await ask()).toEqual([{ one: 1 }]);
    await expect.poll(status).toBe('away');
    expect(await ask()).toEqual([{ one: 1 }]);
    line.mend();
    await expect.poll(status).toBe('fresh');
    await replicas.stop();
    await other.close();
    await line.close();
  });

  it('never uses a replica of another database', async () => {
    const stranger = await createTestDatabase();
    const other = connectDatabase({
      connection: own.connection,
      ...PATIENCE,
      applicationName: 'stranger',
      log: silentLog,
      replicas: { ...PATIENCE, addresses: [{ connection: stranger.connection }] },
    });
    await other.replicas!.start(systemClock);
    await expect.poll(() => other.replicas!.states()[0]!.status).toBe('behind');
    await other.replicas!.stop();
    await other.close();
    await stranger.drop();
  });
});
