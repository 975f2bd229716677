import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ADMIN_KEY, startTestApp, type World } from '../../../tests/support/app.js';
import { itUsually as it, itDeeply } from '../../../tests/support/deep.js';

let world: World;

beforeAll(async () => {
  world = await startTestApp({ env: { EMBEDDER: 'none' } });
  await world.freeze();
});
afterAll(() => world.stop());

async function ask(path: string) {
  const headers = { 'x-admin-key': ADMIN_KEY };
  const answer = await world.inject({ url: `/api/v1/admin${path}`, headers });
  return { status: answer.statusCode, body: answer.json() };
}

/** Reads a list to its last page. */
async function walk(path: string, items: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await ask(`${path}${cursor && `&cursor=${cursor}`}`);
    found.push(...body[items]);
    cursor = body.next_cursor;
  }
  return found;
}

describe('GET /api/v1/admin/users', () => {
  it('lists all people by number, page by page, with their workspaces', async () => {
    const acme = await world.workspace();
    const birch = await world.workspace();
    const busy = await world.person({ full_name: 'Wanda Wanderer' });
    for (const { brand } of [acme, birch]) await world.member(brand, { person: busy });
    const { user_id: alone } = await world.person();
    const all = await walk('/users?limit=2', 'users');
    const ids = all.map(({ user_id }) => user_id as number);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect((await ask('/users')).body.total).toBe(ids.length);
    expect(all.find(({ user_id }) => user_id === busy.user_id)).toEqual({
      user_id: busy.user_id,
      email: busy.email,
      full_name: 'Wanda Wanderer',
      kind: 'person',
      workspaces: 2,
      created_at: expect.any(String),
    });
    expect(all.find(({ user_id }) => user_id === alone)!['workspaces']).toBe(0);
  });

  it('finds by part of the name or address with q', async () => {
    const { user_id, email } = await world.person({ full_name: 'Quirin 100% Quist' });
    for (const q of ['quirin', '100%', email.toUpperCase()]) {
      const { body } = await ask(`/users?q=${encodeURIComponent(q)}`);
      expect(body.users.map((user: { user_id: number }) => user.user_id)).toEqual([user_id]);
      expect(body.total).toBe(1);
    }
    expect((await ask('/users?q=nobody-is-called-so')).body).toEqual({
      users: [],
      total: 0,
      next_cursor: null,
    });
  });
});

describe('GET /api/v1/admin/brands', () => {
  it('returns all workspaces without paging; finds by part of the name with q', async () => {
    await world.workspace({ name: 'Cedar & Sons' });
    for (let i = 0; i < 3; i++) await world.workspace();
    const whole = (await ask('/brands')).body;
    expect([whole.brands.length, whole.next_cursor]).toEqual([whole.total, null]);
    expect(await walk('/brands?limit=2', 'brands')).toEqual(whole.brands);
    const { body } = await ask('/brands?q=cedar');
    expect([body.total, body.brands[0].name]).toEqual([1, 'Cedar & Sons']);
    expect((await ask('/brands?cursor=abc')).status).toBe(400);
  });

  itDeeply('continues with a cursor after 10,000 workspaces, even without a page parameter', async () => {
    await sql`
      insert into brands (name, plan, subscription_active, scope_ceiling, new_navigation, created_at)
      select 'Many ' || n, 'free', true, '{}', true, now() from generate_series(1, 10001) n`.execute(
      world.db,
    );
    const { body } = await ask('/brands?q=many');
    expect([body.brands.length, body.total]).toEqual([10_000, 10_001]);
    const rest = await ask(`/brands?q=many&cursor=${body.next_cursor}`);
    expect([rest.body.brands.length, rest.body.next_cursor]).toEqual([1, null]);
    await sql`delete from brands where name like 'Many %'`.execute(world.db);
  });
});

describe('GET /api/v1/admin/catalog', () => {
  it('lists all employees by name, including unpublished ones', async () => {
    for (const [name, published] of [
      ['Zoe', true],
      ['Ann', false],
    ] as const)
      await world.operator('POST', '/catalog', { name, published });
    const { body } = await ask('/catalog');
    expect(
      body.employees.map(({ name, published }: { name: string; published: boolean }) => [name, published]),
    ).toEqual([
      ['Ann', false],
      ['Zoe', true],
    ]);
    expect(body.total).toBe(2);
  });
});

interface Job {
  name: string;
  description: string;
  schedule: string | null;
  last_run_at: string | null;
  last_finished_at: string | null;
  last_error: string | null;
  waiting: number;
  failing: number;
}

describe('GET /api/v1/admin/jobs', () => {
  const find = async (name: string): Promise<Job> =>
    (await ask('/jobs')).body.jobs.find((job: Job) => job.name === name);

  it('lists every job with its description and schedule', async () => {
    const { body } = await ask('/jobs');
    expect(body.total).toBe(body.jobs.length);
    expect(body.total).toBeGreaterThan(15);
    for (const { name, description } of body.jobs as Job[]) expect(description, name).toMatch(/\S/);
    expect((await find('memory-export')).schedule).toBe('0 * * * *');
    expect((await find('memory-retry')).schedule).toBe('every 20 seconds');
    expect((await find('memory-consolidate')).schedule).toBeNull();
  });

  it('shows when a job last ran on any node, and its error', async () => {
    expect(await find('memory-consolidate')).toMatchObject({ last_run_at: null, last_finished_at: null });
    await world.runJob('memory-consolidate');
    const job = await find('memory-consolidate');
    expect(job.last_finished_at).toBe(world.clock.now().toISOString());
    expect(Date.parse(job.last_run_at!)).toBeLessThanOrEqual(Date.parse(job.last_finished_at!));
    expect(job.last_error).toBeNull();
    await sql`alter table memories rename column tags to labels`.execute(world.db);
    await world.runJob('memory-consolidate').catch(() => undefined);
    await sql`alter table memories rename column labels to tags`.execute(world.db);
    expect((await find('memory-consolidate')).last_error).toContain('tags');
    await world.runJob('memory-consolidate');
    expect((await find('memory-consolidate')).last_error).toBeNull();
  });
});

describe('GET /api/v1/admin/overview', () => {
  it('returns a summary of the server', async () => {
    const acme = await world.workspace();
    await world.inject({
      method: 'POST',
      url: '/api/v1/workstations',
      headers: { cookie: acme.cookie },
      payload: { name: 'Desk' },
    });
    await sql`update desks set status = 'active'`.execute(world.db);
    await world.advance(90);
    const { status, body } = await ask('/overview');
    expect(status).toBe(200);
    const { rows } = await sql<{ brands: number; people: number }>`
      select (select count(*) from brands) as brands, (select count(*) from users) as people`.execute(
      world.db,
    );
    expect(body).toMatchObject({
      role: 'all',
      workspaces: rows[0]!.brands,
      people: rows[0]!.people,
      open_builds: 0,
      desks: { ready: 1, unreachable: 0, total: 1 },
    });
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(body.uptime_seconds).toBeGreaterThanOrEqual(90);
    expect(body.queue.waiting).toBeGreaterThanOrEqual(0);
    expect(body.database.size_bytes).toBeGreaterThan(1_000_000);
    expect(body.database.connections).toBeGreaterThan(0);
    expect(body.memory_mb).toBeGreaterThan(10);
  });
});
