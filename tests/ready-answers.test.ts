import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, startTestApp, type World } from './support/app.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { muteLine } from './support/mute-line.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

const FEATURES = 'features';
const MEMBERS = 'members';
const PROFILES = 'profiles';
const SETTINGS = 'build settings';
const INFO = 'info';

const addresses = (brandId: number): Record<string, string> => ({
  [FEATURES]: `/api/v1/brands/${brandId}/features`,
  [MEMBERS]: `/api/v1/brands/${brandId}/members`,
  [PROFILES]: '/api/v1/factory/coder-profiles',
  [SETTINGS]: '/api/v1/factory/builds/settings?profile=claude.coding&coder=claude',
  [INFO]: '/api/v1/system/info',
});

const read = (node: World, { brand, bearer }: Workspace, what: string, headers: object = {}) =>
  node.inject({ url: addresses(brand.brand_id)[what]!, headers: { ...bearer, ...headers } });

const write = async (
  node: World,
  { bearer, cookie }: Workspace,
  method: 'PUT' | 'PATCH' | 'POST',
  url: string,
  payload: object,
) => {
  const bySession = url.startsWith('/api/v1/workstations') || url === '/api/v1/me';
  const answer = await node.inject({ method, url, headers: bySession ? { cookie } : bearer, payload });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
};

/** Accepts as a new person without a credential. */
async function acceptInvitation(node: World, space: Workspace) {
  const { brand_id: brandId } = space.brand;
  const email = `invited-${brandId}@example.test`;
  await write(node, space, 'POST', `/api/v1/brands/${brandId}/invitations`, { email, role: 'member' });
  const outbox = join(node.config.dataDir, 'outbox');
  const letters = await Promise.all(
    (await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')),
  );
  const letter = letters.find((text) => text.includes(email))!.replaceAll('=\r\n', '');
  const token = /\/invitations\/([\w-]+)/.exec(letter)![1]!;
  const answer = await node.inject({
    method: 'POST',
    url: `/api/v1/invitations/${token}/accept`,
    payload: { full_name: 'New Person', password: PASSWORD },
  });
  expect(answer.statusCode, answer.body).toBe(200);
}

/** Every kind of change that a cached answer depends on. */
const changes: [name: string, shown: string, change: (node: World, space: Workspace) => Promise<unknown>][] =
  [
    [
      'the plan',
      PROFILES,
      (node, { brand }) => node.operator('PATCH', `/brands/${brand.brand_id}`, { plan: 'free' }),
    ],
    [
      'a switch',
      FEATURES,
      (node, space) =>
        write(node, space, 'PUT', `/api/v1/brands/${space.brand.brand_id}/features/skills`, { on: false }),
    ],
    [
      'an installed package',
      FEATURES,
      (node, { brand }) =>
        node.operator('POST', `/brands/${brand.brand_id}/packages`, { name: 'review', version: '1.0.0' }),
    ],
    [
      'a feed',
      FEATURES,
      (node, { brand }) =>
        node.operator('POST', `/brands/${brand.brand_id}/feed-sources`, {
          name: 'News',
          url: 'https://example.com/feed.xml',
        }),
    ],
    [
      'a desk',
      FEATURES,
      (node, space) => write(node, space, 'POST', '/api/v1/workstations', { name: 'Desk' }),
    ],
    [
      'a board for customers',
      FEATURES,
      (node, space) =>
        write(node, space, 'POST', '/api/v1/board/boards', { name: 'Customers', board_type: 'crm' }),
    ],
    [
      'a setting of a profile',
      SETTINGS,
      (node, space) =>
        write(node, space, 'PUT', '/api/v1/factory/coder-profiles/claude.coding/override', {
          limit_value: 77,
        }),
    ],
    [
      'a position',
      MEMBERS,
      (node, space) =>
        write(node, space, 'PATCH', `/api/v1/brands/${space.brand.brand_id}/members/${space.admin.user_id}`, {
          position: 'Captain',
        }),
    ],
    ['a new member', MEMBERS, (node, { brand }) => node.member(brand)],
    ['an accepted invitation', MEMBERS, acceptInvitation],
    [
      'a name',
      MEMBERS,
      (node, space) => write(node, space, 'PATCH', '/api/v1/me', { full_name: 'Somebody Else' }),
    ],
  ];

describe('A cached answer', () => {
  let database: TestDatabase;
  let node: World;
  let other: World;

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startTestApp({ database });
    other = await startTestApp({ database, people: 'other' });
  });
  afterAll(async () => {
    await Promise.all([node.stop(), other.stop()]);
    await database.drop();
  });

  it.each([FEATURES, MEMBERS, PROFILES, SETTINGS, INFO])(
    'has an ETag, and gives 304 to a caller who sends it: %s',
    async (what) => {
      const space = await node.workspace();
      const first = await read(node, space, what);
      const { etag } = first.headers;
      expect(first.statusCode).toBe(200);
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
      const second = await read(node, space, what);
      expect([second.body, second.headers['etag']]).toEqual([first.body, etag]);
      const known = await read(node, space, what, { 'if-none-match': `"other", ${etag}` });
      expect([known.statusCode, known.body, known.headers['etag']]).toEqual([304, '', etag]);
      expect(known.headers['cache-control']).toBe('no-store');
      const outdated = await read(node, space, what, { 'if-none-match': '"other"' });
      expect([outdated.statusCode, outdated.body]).toEqual([200, first.body]);
    },
  );

  it('is not read from the database again', async () => {
    const other = await node.workspace();
    const space = await node.workspace();
    const first = await read(node, space, MEMBERS);
    await database.db.transaction().execute(async (tx) => {
      // Changes a row without triggers, so no node is notified and only a query would show it.
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`update memberships set position = 'Unheard' where brand_id = ${space.brand.brand_id}`.execute(
        tx,
      );
    });
    expect((await read(node, space, MEMBERS)).body).toBe(first.body);
    // Neither a failed nor a successful sign-in may clear the cache.
    await node.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      payload: { email: space.admin.email, password: 'wrong password' },
    });
    await node.signIn(other.admin);
    expect((await read(node, space, MEMBERS)).body).toBe(first.body);
    await node.operator('PATCH', `/brands/${space.brand.brand_id}`, { name: 'Renamed' });
    expect((await read(node, space, MEMBERS)).body).toContain('Unheard');
  });

  it.each(changes)('is replaced at once after a change: %s', async (_name, shown, change) => {
    const space = await node.workspace({ plan: 'team' });
    const before = await read(node, space, shown);
    await change(node, space);
    const after = await read(node, space, shown);
    expect(after.statusCode).toBe(200);
    expect(after.body).not.toBe(before.body);
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
  });

  it.each(changes)('is replaced soon after a change on another node: %s', async (_name, shown, change) => {
    const space = await node.workspace({ plan: 'team' });
    const before = await read(node, space, shown);
    await change(other, space);
    await expect
      .poll(async () => (await read(node, space, shown)).body, { timeout: 120_000 })
      .not.toBe(before.body);
  });

  it('is replaced when an agent is renamed, in the workspace or on the platform', async () => {
    const space = await node.workspace({ plan: 'team' });
    const { brand, admin } = space;
    for (const brandId of [brand.brand_id, null]) {
      const agentId = `agent-${brand.brand_id}-${brandId}`;
      await sql`insert into agents (agent_id, name, brand_id, created_at)
        values (${agentId}, 'Before', ${brandId}, ${node.clock.now()})`.execute(database.db);
      await sql`insert into feature_choices (brand_id, feature, is_on, changed_by, changed_by_agent, changed_at)
        values (${brand.brand_id}, 'feed', true, ${admin.user_id}, ${agentId}, ${node.clock.now()})
        on conflict (brand_id, feature) do update set changed_by_agent = excluded.changed_by_agent`.execute(
        database.db,
      );
      const body = async () => (await read(node, space, FEATURES)).body;
      await expect.poll(body, { timeout: 120_000 }).toContain('Before');
      await sql`update agents set name = 'After' where agent_id = ${agentId}`.execute(database.db);
      await expect.poll(body, { timeout: 120_000 }).toContain('After');
    }
  });

  it('keeps its place among pipelined requests, and a client that disconnects delays no one', async () => {
    const space = await node.workspace();
    const { port } = new URL(await node.server.listen({ port: 0, host: '127.0.0.1' }));
    const boards = '/api/v1/board/boards';
    const order = [INFO, boards, MEMBERS, INFO, boards, FEATURES, INFO].map(
      (what) => addresses(space.brand.brand_id)[what] ?? what,
    );
    const expected: string[] = [];
    for (const url of order) expected.push((await node.inject({ url, headers: space.bearer })).body);
    const requests = (last: string) =>
      order
        .map(
          (url, n) =>
            `GET ${url} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${space.bearer.authorization}\r\n${n === order.length - 1 ? last : ''}\r\n`,
        )
        .join('');
    const leaver = connect(Number(port), '127.0.0.1');
    leaver.write(requests(''), () => leaver.destroy());
    const stayer = connect(Number(port), '127.0.0.1');
    stayer.write(requests('connection: close\r\n'));
    const said = (await stayer.setEncoding('utf8').toArray()).join('');
    expect(said.match(/^\{.*\}(?=HTTP\/1\.1|$)/gm)).toEqual(expected);
  });
});

describe('The cached list of desks', () => {
  let database: TestDatabase;
  let node: World;

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startTestApp({ database });
  });
  afterAll(async () => {
    await node.stop();
    await database.drop();
  });

  async function orderDesk() {
    const space = await node.workspace({ plan: 'team' });
    const headers = { cookie: space.cookie };
    const ordered = await node.inject({
      method: 'POST',
      url: '/api/v1/workstations',
      headers,
      payload: { name: 'Desk' },
    });
    const deskId = ordered.json<{ workstation_id: string }>().workstation_id;
    const url = `/api/v1/workstations/${deskId}`;
    return {
      deskId,
      one: async () => (await node.inject({ url, headers })).body,
      list: async (query = '') =>
        (await node.inject({ url: `/api/v1/workstations${query}`, headers })).json<{
          workstations: { environment?: { last_contact_at: string | null } }[];
          dormant: unknown[];
        }>(),
    };
  }

  it.each([
    "name = 'Another'",
    "runtime = 'codex'",
    "repository = jsonb_build_object('url', 'https://example.com/a.git')",
    'hello_at = now()',
    'hello_at = now(), installer_exit_code = 3',
    "installer_exit_code = 3, installer_message = 'No room'",
    'misrouted = true',
    'hello_at = now(), mesh_registered_at = now()',
    "hello_at = now(), mesh_registered_at = now(), sidecar_url = 'http://10.0.0.2:1'",
    'first_answered_at = now()',
    "status = 'suspended'",
  ])('is replaced after %s', async (change) => {
    const { deskId, one, list } = await orderDesk();
    const before = [await one(), JSON.stringify(await list())];
    await sql`update desks set ${sql.raw(change)} where desk_id = ${deskId}`.execute(database.db);
    await expect.poll(one).not.toBe(before[0]);
    await expect.poll(async () => JSON.stringify(await list())).not.toBe(before[1]);
  });

  it('is replaced when a paused desk misses contacts, as far as the answer shows it', async () => {
    const { deskId, one } = await orderDesk();
    const set = (change: string) =>
      sql`update desks set ${sql.raw(change)} where desk_id = ${deskId}`.execute(database.db);
    await set("status = 'suspended', first_answered_at = now(), misses = 2");
    await expect.poll(one).toContain('suspended');
    const before = await one();
    await set('misses = 3');
    await expect.poll(one).not.toBe(before);
  });

  it('lists a desk as dormant after two weeks, until its next contact', async () => {
    const { deskId, list } = await orderDesk();
    const counts = async () => {
      const { workstations, dormant } = await list();
      return [workstations.length, dormant.length];
    };
    expect(await counts()).toEqual([1, 0]);
    node.clock.advance(14 * 24 * 60 * 60 + 1);
    expect(await counts()).toEqual([0, 1]);
    expect(await counts()).toEqual([0, 1]);
    await sql`update desks set last_contact_at = ${node.clock.now()} where desk_id = ${deskId}`.execute(
      database.db,
    );
    await expect.poll(counts).toEqual([1, 0]);
  });

  it('shows each contact when it includes environments', async () => {
    const { deskId, list } = await orderDesk();
    const contact = async () =>
      (await list('?with=environment')).workstations[0]!.environment!.last_contact_at;
    expect(await contact()).toBeNull();
    for (const seconds of [1, 2]) {
      const at = new Date(node.clock.now().getTime() + seconds * 1000);
      await sql`update desks set last_contact_at = ${at} where desk_id = ${deskId}`.execute(database.db);
      expect(await contact()).toBe(at.toISOString());
    }
  });
});

describe('A node whose notification connection is silent but still open', () => {
  it('still answers with the changes of another node', async () => {
    const database = await createTestDatabase();
    const line = await muteLine(database.connection);
    const deaf = await startTestApp({ database, listener: line.connection });
    const other = await startTestApp({ database, people: 'other' });
    const space = await deaf.workspace();
    const before = (await read(deaf, space, MEMBERS)).body;
    line.fallSilent();
    await other.member(space.brand);
    await expect
      .poll(async () => (await read(deaf, space, MEMBERS)).body, { timeout: 120_000 })
      .not.toBe(before);
    await Promise.all([deaf.stop(), other.stop()]);
    await line.close();
    await database.drop();
  });
});
