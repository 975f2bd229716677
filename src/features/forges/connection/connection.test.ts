import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ForgeWorkspace,
  type ForgeWorld,
  startForgeWorld,
} from '../../../../tests/support/forge-world.js';
import { ForgeFailed, type Standing } from '../adapter/forge.js';

const TOKEN = 'ghp_this-is-seen-nowhere';
const HOOK = /^[A-Za-z0-9_-]{43}$/;

let world: ForgeWorld;
let room: ForgeWorkspace;

beforeAll(async () => {
  world = await startForgeWorld({ LOG_LEVEL: 'trace' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.host.asked = [];
  world.host.forge = {};
  room = await world.furnish();
});

const standing =
  (more: Partial<Standing>): (() => Promise<Standing>) =>
  async () => ({
    repository: 'acme/app',
    defaultBranch: 'main',
    mayPush: true,
    mayOpenPullRequests: true,
    ...more,
  });

const audited = async (projectId: string) => {
  const { rows } = await sql<{ action: string; details: unknown; actor_user_id: number }>`
    select action, details, actor_user_id from audit_log
    where subject = ${`project:${projectId}`} and action like 'forge.%' order by audit_id`.execute(world.db);
  return rows;
};

describe('PUT /api/v1/projects/{project_id}/forge', () => {
  it('connects the project and returns the same body as GET', async () => {
    world.host.forge.tryOut = standing({ repository: 'Acme/App', defaultBranch: 'trunk' });
    const put = await room.put({ token: TOKEN });
    expect([put.status, put.body]).toEqual([
      200,
      {
        kind: 'github',
        api_url: 'https://api.github.com',
        repository: 'Acme/App',
        default_branch: 'trunk',
        issues: null,
        hook: {
          url: `http://guildhall.test/api/v1/hooks/${room.projectId}`,
          secret_set: false,
          last_at: null,
        },
        checked_at: expect.any(String),
        error: null,
        connected_by: {
          user_id: room.space.admin.user_id,
          name: room.space.admin.full_name,
          agent_id: null,
        },
        connected_at: expect.any(String),
      },
    ]);
    expect((await room.get()).body).toEqual(put.body);
    expect(world.host.asked).toEqual([
      { kind: 'github', apiUrl: 'https://api.github.com', repository: 'acme/app', token: TOKEN },
    ]);
  });

  it('encrypts the token and never shows it in answers, logs, the audit or the database', async () => {
    await room.put({ token: TOKEN });
    world.host.forge.tryOut = () => Promise.reject(new ForgeFailed('refused', 'No'));
    await room.put({ token: TOKEN });
    const { rows } = await sql<{ whole: string }>`
      select f::text as whole from project_forges f
      union all select a::text from audit_log a`.execute(world.db);
    const shown = [...rows.map(({ whole }) => whole), ...world.logLines, JSON.stringify(await room.get())];
    expect(shown.filter((text) => text.includes(TOKEN))).toEqual([]);
    expect(rows[0]!.whole).toContain('v1.');
  });

  it('returns 422 and names missing values that cannot be derived from the repository address', async () => {
    const id = await room.project(null);
    const tail = "not follow from the address of the project's repository";
    for (const [body, detail] of [
      [{}, `api_url and repository must be given: they do ${tail}`],
      [{ repository: 'acme/app' }, `api_url must be given: it does ${tail}`],
      [{ api_url: 'https://api.github.com' }, `repository must be given: it does ${tail}`],
    ] as const)
      expect(await room.put(body, id)).toEqual({ status: 422, body: { detail } });
    expect(world.host.asked).toEqual([]);
    const both = { api_url: 'https://git.example/api/v3/', repository: 'acme/app' };
    expect((await room.put(both, id)).body).toMatchObject({ ...both, api_url: 'https://git.example/api/v3' });
  });

  it.each([
    ['ftp://git.example', 'api_url must be an https address'],
    ['git.example/api', 'api_url must be an https address'],
    ['https:git.example', 'api_url must be an https address'],
    ['http://git.example/api/v3', 'api_url must start with https; http is allowed on loopback only'],
    ['http://127.0.0.1.example/api', 'api_url must start with https; http is allowed on loopback only'],
    ['http://10.0.0.1/api', 'api_url must start with https; http is allowed on loopback only'],
    ['https://me@git.example', 'api_url must have no user name, password, query or fragment'],
    ['https://me:pw@git.example', 'api_url must have no user name, password, query or fragment'],
    ['https://@git.example', 'api_url must have no user name, password, query or fragment'],
    ['https://git.example/?a=b', 'api_url must have no user name, password, query or fragment'],
    ['https://git.example/#a', 'api_url must have no user name, password, query or fragment'],
  ])('api_url %s: returns 422', async (api_url, detail) => {
    expect(await room.put({ api_url })).toEqual({ status: 422, body: { detail } });
    expect(world.host.asked).toEqual([]);
  });

  it.each(['http://127.0.0.1:3000/api/v3', 'http://127.8.0.1', 'http://[::1]:3000', 'http://localhost:1'])(
    'api_url %s: allows plain http on loopback',
    async (api_url) => expect((await room.put({ api_url })).body).toMatchObject({ api_url }),
  );

  it.each([
    ['github', 'app'],
    ['github', 'a/b/c'],
    ['forgejo', 'a/b/c'],
    ['github', '../app'],
    ['github', 'acme/..'],
    ['github', 'acme/'],
    ['github', '/acme'],
    ['github', 'acme/a p'],
    ['github', 'acme/app?x'],
    ['github', 'acme/%2e%2e'],
    ['gitlab', 'a//b'],
    ['gitlab', 'a'],
  ])('%s repository %s: returns 422', async (kind, repository) => {
    const { status, body } = await room.put({ kind, repository });
    expect([status, body.detail]).toEqual([
      422,
      `repository must be written ${kind === 'gitlab' ? 'group/name' : 'owner/name'}`,
    ]);
  });

  it('accepts nested groups of GitLab', async () =>
    expect((await room.put({ kind: 'gitlab', repository: 'a/b/c/d' })).status).toBe(200));

  it.each([
    ['missing', 'The repository does not exist on this host, or the token cannot see it'],
    ['refused', 'The repository host rejected this token'],
    ['unreachable', 'The repository host cannot be reached at this api_url'],
    ['limited', 'The repository host limits requests right now. Try again later'],
    ['invalid', 'The host does not respond like the given kind of host'],
  ] as const)('%s: returns 422 with one sentence and saves nothing', async (fault, detail) => {
    world.host.forge.tryOut = () => Promise.reject(new ForgeFailed(fault, 'What the host said'));
    expect(await room.put()).toEqual({ status: 422, body: { detail } });
    expect((await room.get()).status).toBe(404);
    expect(await audited(room.projectId)).toEqual([]);
  });

  it('returns 422 for a token that cannot push or cannot open pull requests', async () => {
    world.host.forge.tryOut = standing({ mayPush: false, mayOpenPullRequests: false });
    expect((await room.put()).body.detail).toBe('The token is not allowed to push to this repository');
    world.host.forge.tryOut = standing({ mayOpenPullRequests: false });
    const { status, body } = await room.put();
    expect([status, body.detail]).toEqual([
      422,
      'The token is not allowed to open pull requests in this repository',
    ]);
  });

  it('returns 422 for a token that no header can contain, without calling the host', async () => {
    for (const token of ['two words', 'a\nb', 'ключ', ' '])
      expect((await room.put({ token })).status).toBe(422);
    expect(world.host.asked).toEqual([]);
  });

  it('requires issues.board_id to be a board of this workspace', async () => {
    const other = await world.furnish();
    const board = async ({ call }: ForgeWorkspace) =>
      (await call('POST', '/api/v1/board/boards', { name: 'Inbox' })).body['board_id'] as unknown as string;
    const [own, foreign] = [await board(room), await board(other)];
    for (const board_id of [foreign, crypto.randomUUID()])
      expect(await room.put({ issues: { label: 'ready', board_id } })).toEqual({
        status: 422,
        body: { detail: 'issues.board_id must be a board of this workspace' },
      });
    const kept = await room.put({ issues: { label: ' ready ', board_id: own.toUpperCase() } });
    expect(kept.body['issues']).toEqual({ label: 'ready', board_id: own });
    expect((await room.put({ issues: { label: 'ready' } })).body['issues']).toEqual({
      label: 'ready',
      board_id: null,
    });
    expect((await room.put({ issues: { label: ' ' } })).status).toBe(422);
    expect((await room.put()).body['issues']).toBeNull();
  });

  it('keeps the webhook secret when the project is connected again', async () => {
    await room.put();
    await room.renew();
    const kept = async () =>
      (
        await sql`select hook_secret, past_hook_secrets, hook_last_at from project_forges
        where project_id = ${room.projectId}`.execute(world.db)
      ).rows;
    const before = await kept();
    const again = await room.put({ token: 'another' });
    expect(again.body['hook']).toMatchObject({ secret_set: true });
    expect(await kept()).toEqual(before);
  });

  it('records connecting, changes, secret renewal and disconnecting in the audit', async () => {
    await room.put({ issues: { label: 'ready' } });
    await room.put();
    await room.renew();
    await room.remove();
    const by = room.space.admin.user_id;
    const where = { kind: 'github', api_url: 'https://api.github.com', repository: 'acme/app' };
    expect(await audited(room.projectId)).toEqual([
      {
        action: 'forge.connected',
        details: { ...where, issues: { label: 'ready', board_id: null } },
        actor_user_id: by,
      },
      { action: 'forge.changed', details: { ...where, issues: null }, actor_user_id: by },
      { action: 'forge.hook_secret_renewed', details: {}, actor_user_id: by },
      { action: 'forge.disconnected', details: where, actor_user_id: by },
    ]);
  });
});

describe('Forge permissions', () => {
  it('members can read it, only admins can change it, and other workspaces get 404', async () => {
    await room.put();
    const member = await world.signIn(await world.member(room.space.brand), room.space.brand);
    const path = room.pathOf(room.projectId);
    const as = async (cookie: string) => [
      (await room.call('GET', path, undefined, { cookie })).status,
      (await room.call('PUT', path, { kind: 'github', token: 't' }, { cookie })).status,
      (await room.call('POST', `${path}/hook-secret`, undefined, { cookie })).status,
      (await room.call('DELETE', path, undefined, { cookie })).status,
    ];
    expect(await as(member)).toEqual([200, 403, 403, 403]);
    const board = (await room.call('POST', '/api/v1/board/boards', { name: 'Open' })).body['board_id'];
    const guest = await world.person();
    const url = `/api/v1/board/boards/${board}/guests/${guest.user_id}`;
    await room.call('PUT', url, { role: 'editor' });
    expect(await as(await world.signIn(guest, room.space.brand))).toEqual([403, 403, 403, 403]);
    const other = await world.furnish();
    expect(await as(other.space.cookie)).toEqual([404, 404, 404, 404]);
    expect((await room.get()).status).toBe(200);
  });

  it('all operations except PUT return 404 without a connected host', async () => {
    expect(await room.get()).toEqual({
      status: 404,
      body: { detail: 'This project has no repository host' },
    });
    expect((await room.remove()).status).toBe(404);
    const path = room.pathOf(room.projectId);
    expect((await room.call('POST', `${path}/hook-secret`)).status).toBe(404);
  });
});

describe('POST .../forge/hook-secret', () => {
  it('returns a new secret on every call and never shows it again', async () => {
    await room.put();
    const key = { ...room.space.bearer, 'idempotency-key': 'once' };
    const ask = () => room.call('POST', `${room.pathOf(room.projectId)}/hook-secret`, undefined, key);
    const [one, two] = [await ask(), await ask()];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(Object.keys(one.body)).toEqual(['secret']);
    expect(one.body['secret']).toMatch(HOOK);
    expect(two.body['secret']).toMatch(HOOK);
    expect(two.body['secret']).not.toBe(one.body['secret']);
    expect((await room.get()).body['hook']).toMatchObject({ secret_set: true });
    const { rows } = await sql<{ whole: string }>`
      select f::text as whole from project_forges f union all select a::text from audit_log a`.execute(
      world.db,
    );
    const shown = [...rows.map(({ whole }) => whole), ...world.logLines].join('\n');
    expect(shown).not.toContain(one.body['secret']);
    expect(shown).not.toContain(two.body['secret']);
  });
});

describe('DELETE .../forge', () => {
  it('returns 204 and then 404, leaves pull requests open and stops syncing them', async () => {
    await room.put();
    const { card } = await followed(room, 7, 'https://github.com/acme/app/pull/7');
    expect((await room.remove()).status).toBe(204);
    expect((await room.remove()).status).toBe(404);
    expect(await rowsOf(room)).toEqual([{ number: 7, state: 'open', look_at: null }]);
    const { rows } = await sql`select from pull_request_wishes where card_id = ${card}`.execute(world.db);
    expect(rows).toEqual([]);
  });

  it('syncs open pull requests again after reconnecting, and deletes them for another repository', async () => {
    await room.put();
    await followed(room, 7, 'https://github.com/Acme/app/pull/7');
    await room.remove();
    await room.put();
    expect(await rowsOf(room)).toEqual([{ number: 7, state: 'open', look_at: expect.any(Date) }]);
    await room.put({ token: 'renewed' });
    expect(await rowsOf(room)).toHaveLength(1);
    await room.put({ repository: 'acme/application' });
    expect(await rowsOf(room)).toEqual([]);
  });
});

async function followed(at: ForgeWorkspace, number: number, url: string): Promise<{ card: string }> {
  const board = (await at.call('POST', '/api/v1/board/boards', { name: 'Work' })).body['board_id'];
  const card = (await at.call('POST', `/api/v1/board/boards/${board}/tasks`, { title: 'One' })).body['id']!;
  const { brand_id } = at.space.brand;
  const now = world.clock.now();
  await sql`
    insert into pull_requests (project_id, number, brand_id, card_id, url, state, head_branch, head_sha, base_branch, look_at, created_at)
    values (${at.projectId}, ${number}, ${brand_id}, ${card}, ${url}, 'open', 'b', 'c', 'main', ${now}, ${now})`.execute(
    world.db,
  );
  const build = crypto.randomUUID();
  await sql`
    insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, wall_minutes, branch, base_branch,
      base_sha, queued_at, finished_at, outcome)
    values (${build}, ${brand_id}, ${card}, 'A-1', ${at.projectId}, 1, 'claude', 30, 'b', 'main', 'c', ${now}, ${now}, 'failed')`.execute(
    world.db,
  );
  await sql`
    insert into pull_request_wishes (build_id, brand_id, project_id, card_id, branch, commit_sha, next_at, created_at)
    values (${build}, ${brand_id}, ${at.projectId}, ${card}, 'b', 'c', ${now}, ${now})`.execute(world.db);
  return { card };
}

const rowsOf = async ({ projectId }: ForgeWorkspace) =>
  (
    await sql<{ number: number; state: string; look_at: Date | null }>`
      select number, state, look_at from pull_requests where project_id = ${projectId}`.execute(world.db)
  ).rows;
