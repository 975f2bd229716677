import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { CATALOG } from './coder-profiles.rules.js';
import type { Change, Profile } from './coder-profiles.schemas.js';

const BASE = '/api/v1/factory/coder-profiles';
let world: World;
type Workspace = Awaited<ReturnType<World['workspace']>>;

/** Workspaces that no test changes, for reads and refusals. */
let untouched: Workspace;
let untouchedFree: Workspace;

beforeAll(async () => {
  world = await startTestApp();
  untouched = await world.workspace();
  untouchedFree = await world.workspace({ plan: 'free' });
});
afterAll(() => world.stop());

const get = (workspace: Workspace, path = '') =>
  world.inject({ url: `${BASE}${path}`, headers: workspace.bearer });
const profileOf = async (workspace: Workspace, key: string) =>
  (await get(workspace, `/${key}`)).json<Profile>();
const historyOf = async (workspace: Workspace, key: string) =>
  (await get(workspace, `/${key}/history`)).json<Change[]>();
const put = (workspace: Workspace, key: string, payload: object, headers: object = workspace.bearer) =>
  world.inject({ method: 'PUT', url: `${BASE}/${key}/override`, headers: { ...headers }, payload });
const reset = (workspace: Workspace, key: string, field: string) =>
  world.inject({ method: 'DELETE', url: `${BASE}/${key}/override/${field}`, headers: workspace.bearer });

async function memberBearer({ brand }: Workspace) {
  const token = await world.token(brand, await world.member(brand), []);
  return { authorization: `Bearer ${token}` };
}

describe('GET /factory/coder-profiles', () => {
  it('lists all 30 profiles for any active member, with any scope', async () => {
    const workspace = untouched;
    const response = await world.inject({ url: BASE, headers: await memberBearer(workspace) });
    expect(response.json<Profile[]>().map(({ key }) => key)).toEqual(CATALOG.map(({ key }) => key));
  });

  it('lists only profiles that the plan includes', async () => {
    const workspace = untouchedFree;
    const coders = (await get(workspace)).json<Profile[]>().map(({ coder }) => coder);
    expect(new Set(coders)).toEqual(new Set(['claude_code', 'codex']));
    expect((await get(workspace, '?coder=pi')).json()).toEqual([]);
  });

  it('reflects a changed plan at once', async () => {
    const workspace = await world.workspace({ plan: 'free' });
    expect((await get(workspace)).json()).toHaveLength(12);
    await world.operator('PATCH', `/brands/${workspace.brand.brand_id}`, { plan: 'team' });
    expect((await get(workspace)).json()).toHaveLength(30);
  });

  it.each([
    ['coder=codex', 6],
    ['coder=claude', 6],
    ['coder=claude_code', 6],
    ['coder=nobody', 0],
    ['task_type=docs', 5],
    ['task_type=docs&coder=pi', 1],
    ['task_type=nothing', 0],
    ['task_type=hard', 0],
    ['unknown=1', 30],
  ])('%s returns %i profiles', async (query, count) => {
    const workspace = untouched;
    expect((await get(workspace, `?${query}`)).json()).toHaveLength(count);
  });

  it('shows the changes of the workspace and of no other', async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    await put(one, 'claude.docs', { effort: 'high' });
    const find = (list: Profile[]) => list.find(({ key }) => key === 'claude.docs');
    expect(find((await get(one)).json())).toMatchObject({ effort: 'high', sources: { effort: 'brand' } });
    expect(find((await get(other)).json())).toMatchObject({ effort: 'low', sources: { effort: 'platform' } });
  });
});

describe('GET /factory/coder-profiles/{key}', () => {
  it('returns the full profile', async () => {
    const workspace = untouched;
    expect(await profileOf(workspace, 'claude.hard')).toEqual({
      key: 'claude.hard',
      version: expect.stringMatching(/^sha256:[0-9a-f]{12}$/),
      coder: 'claude_code',
      recommended_for: [expect.any(String)],
      model: 'claude-opus-5-5',
      effort: 'max',
      fallback_model: null,
      limits: { max_turns: 400, max_steps: null, wall_minutes: 180 },
      env: null,
      reason: expect.any(String),
      sources: { model: 'platform', effort: 'platform', limit_value: 'platform' },
      platform_defaults: { model: 'claude-opus-5-5', effort: 'max', limit_value: 400 },
    });
  });

  it.each(['claude', 'claude.none', 'CLAUDE.coding', 'claude_code.coding', '__proto__', 'a%00b'])(
    'returns 404 Not found for %s',
    async (key) => {
      const workspace = untouched;
      for (const path of [`/${key}`, `/${key}/history`]) {
        const response = await get(workspace, path);
        expect([response.statusCode, response.json()]).toEqual([404, { detail: 'Not found' }]);
      }
    },
  );
});

describe('PUT /factory/coder-profiles/{key}/override', () => {
  it('returns the profile as builds now receive it, and keeps omitted settings', async () => {
    const workspace = await world.workspace();
    const before = await profileOf(workspace, 'claude.coding');
    await put(workspace, 'claude.coding', { model: 'claude-opus-5-5' });
    const response = await put(workspace, 'claude.coding', { limit_value: 120 });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      model: 'claude-opus-5-5',
      effort: 'medium',
      limits: { max_turns: 120, max_steps: null, wall_minutes: null },
      sources: { model: 'brand', effort: 'platform', limit_value: 'brand' },
      platform_defaults: { model: 'claude-sonnet-5', effort: 'medium', limit_value: 200 },
    });
    expect(response.json<Profile>().version).not.toBe(before.version);
    expect(await profileOf(workspace, 'claude.coding')).toEqual(response.json());
  });

  it('returns 404 for an unknown key before validating the body', async () => {
    const response = await put(untouched, 'claude.none', { tools: [] });
    expect([response.statusCode, response.json()]).toEqual([404, { detail: 'Not found' }]);
  });

  it.each([
    ['claude.coding', {}, 'Set at least one override field'],
    ['claude.coding', { tools: [], model: 'x' }, 'tools is platform-only and cannot be overridden'],
    ['openhands.coding', { venv: 'x' }, 'venv is platform-only and cannot be overridden'],
    ['claude.coding', { wall_minutes: 9 }, 'wall_minutes is not an editable coder profile field'],
    ['codex.coding', { model: 'x' }, "Codex doesn't take a model choice in a profile"],
    ['openhands.docs', { model: 'x' }, 'OpenHands profiles take their model from the build, not the profile'],
    ['pi.docs', { model: 'MiniMax-M3' }, 'model must be one of: claude-opus-5-5, claude-sonnet-5'],
    ['openhands.docs', { effort: 'low' }, "OpenHands doesn't take an effort choice in a profile"],
    ['claude.hard', { effort: 'max' }, 'effort must be one of: low, medium, high'],
    ['pi.docs', { limit_value: 1 }, "This profile doesn't take a limit choice"],
    ['claude.docs', { limit_value: 0 }, 'limit_value must be from 1 up to the platform default of 80'],
    ['claude.docs', { limit_value: '80' }, 'limit_value must be from 1 up to the platform default of 80'],
    [
      'claude.docs',
      { limit_value: 81 },
      '81 is above the platform limit of 80 for this profile. Lower it, or leave it at the platform default.',
    ],
  ])('refuses for %s the body %j', async (key, body, detail) => {
    const response = await put(untouched, key, body);
    expect([response.statusCode, response.json()]).toEqual([422, { detail }]);
  });

  it('stores nothing when one of the settings is invalid', async () => {
    const workspace = await world.workspace();
    const before = await profileOf(workspace, 'claude.docs');
    const response = await put(workspace, 'claude.docs', {
      model: 'claude-opus-5-5',
      effort: 'high',
      limit_value: 81,
    });
    expect(response.statusCode).toBe(422);
    expect(await profileOf(workspace, 'claude.docs')).toEqual(before);
    expect(await historyOf(workspace, 'claude.docs')).toEqual([]);
  });

  it('gives an override equal to the default the source brand and the same version', async () => {
    const workspace = await world.workspace();
    const before = await profileOf(workspace, 'claude.docs');
    const after = (await put(workspace, 'claude.docs', { effort: 'low' })).json<Profile>();
    expect(after).toEqual({ ...before, sources: { ...before.sources, effort: 'brand' } });
  });
});

describe('DELETE /factory/coder-profiles/{key}/override/{field}', () => {
  it('restores the platform default and the version', async () => {
    const workspace = await world.workspace();
    const before = await profileOf(workspace, 'opencode.test');
    await put(workspace, 'opencode.test', { model: 'claude-sonnet-5', limit_value: 7 });
    await reset(workspace, 'opencode.test', 'model');
    const response = await reset(workspace, 'opencode.test', 'limit_value');
    expect([response.statusCode, response.json()]).toEqual([200, before]);
  });

  it('changes nothing for a setting without an override', async () => {
    const workspace = untouched;
    const response = await reset(workspace, 'claude.docs', 'model');
    expect([response.statusCode, response.json()]).toEqual([200, await profileOf(workspace, 'claude.docs')]);
    expect(await historyOf(workspace, 'claude.docs')).toEqual([]);
  });

  it.each([
    ['claude.docs', 'env', 'env is platform-only and cannot be overridden'],
    ['claude.docs', 'wall_minutes', 'wall_minutes is not an editable coder profile field'],
    ['codex.docs', 'model', "Codex doesn't take a model choice in a profile"],
    ['openhands.docs', 'effort', "OpenHands doesn't take an effort choice in a profile"],
    ['pi.docs', 'limit_value', "This profile doesn't take a limit choice"],
  ])('refuses for %s the field %s', async (key, field, detail) => {
    const response = await reset(untouched, key, field);
    expect([response.statusCode, response.json()]).toEqual([422, { detail }]);
  });
});

describe('GET /factory/coder-profiles/{key}/history', () => {
  it('lists every change, newest first, with values as strings and null for the platform default', async () => {
    const workspace = await world.workspace();
    const actor = {
      actor_user_id: workspace.admin.user_id,
      actor_role: 'brand_admin',
      profile_key: 'claude.docs',
    };
    const record = { ...actor, created_at: expect.any(String), id: expect.any(Number) };
    await put(workspace, 'claude.docs', { limit_value: 80 });
    await put(workspace, 'claude.docs', { limit_value: 80 });
    await put(workspace, 'claude.docs', { limit_value: 20 });
    await reset(workspace, 'claude.docs', 'limit_value');
    await put(workspace, 'claude.docs', { effort: 'low' });
    await reset(workspace, 'claude.docs', 'effort');
    expect(await historyOf(workspace, 'claude.docs')).toEqual([
      { ...record, field: 'effort', old_value: null, new_value: 'low' },
      { ...record, field: 'limit_value', old_value: '20', new_value: null },
      { ...record, field: 'limit_value', old_value: '80', new_value: '20' },
      { ...record, field: 'limit_value', old_value: null, new_value: '80' },
    ]);
  });

  it('names a staff person with a session as platform_admin', async () => {
    const workspace = await world.workspace();
    const staff = await world.member(workspace.brand, { person: await world.person({ kind: 'staff' }) });
    const cookie = await world.signIn(staff, workspace.brand);
    expect((await put(workspace, 'claude.docs', { effort: 'high' }, { cookie })).statusCode).toBe(200);
    const [change] = await historyOf(workspace, 'claude.docs');
    expect(change).toMatchObject({ actor_user_id: staff.user_id, actor_role: 'platform_admin' });
    const url = `${BASE}/claude.docs/override/effort`;
    expect((await world.inject({ method: 'DELETE', url, headers: { cookie } })).statusCode).toBe(200);
    const bearer = { authorization: `Bearer ${await world.token(workspace.brand, staff)}` };
    expect((await put(workspace, 'claude.docs', { effort: 'low' }, bearer)).statusCode).toBe(403);
  });

  it('pages through the full history with limit and before', async () => {
    const workspace = await world.workspace();
    const values = [9, 8, 7, 6, 5];
    for (const limit_value of values) await put(workspace, 'claude.docs', { limit_value });
    await put(workspace, 'claude.test', { limit_value: 1 });
    const page = async (query: string) =>
      (await get(workspace, `/claude.docs/history?${query}`)).json<Change[]>().map(({ id }) => id);
    expect(await page('')).toEqual([5, 4, 3, 2, 1]);
    expect(await page('limit=2')).toEqual([5, 4]);
    expect(await page('limit=2&before=4')).toEqual([3, 2]);
    expect(await page('limit=1000&before=2')).toEqual([1]);
    expect(await page('before=1')).toEqual([]);
    expect(await page('before=9999999999')).toHaveLength(5);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'before=0', 'before=x', 'before=1e300'])(
    'returns 422 for %s',
    async (query) => {
      expect((await get(untouched, `/claude.docs/history?${query}`)).statusCode).toBe(422);
    },
  );

  it('records both of two simultaneous changes without gaps', async () => {
    const workspace = await world.workspace();
    const values = Array.from({ length: 50 }, (_, index) => index + 1);
    const answers = await Promise.all(
      values.map((limit_value) => put(workspace, 'claude.coding', { limit_value })),
    );
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const changes = (await historyOf(workspace, 'claude.coding')).reverse();
    expect(changes.map(({ id }) => id)).toEqual(values);
    expect(changes.map(({ new_value }) => Number(new_value)).sort((a, b) => a - b)).toEqual(values);
    const olds = changes.map(({ old_value }) => old_value);
    expect(olds).toEqual([null, ...changes.slice(0, -1).map(({ new_value }) => new_value)]);
  });
});

describe('GET /factory/builds/settings', () => {
  it("identifies the workspace by the desk's own token", async () => {
    const workspace = await world.workspace();
    await put(workspace, 'claude.docs', { limit_value: 7 });
    const order = await world.inject({
      method: 'POST',
      url: '/api/v1/workstations',
      headers: { cookie: workspace.cookie },
      payload: { name: 'Desk' },
    });
    const url = '/api/v1/factory/builds/settings?profile=claude.docs&coder=claude_code';
    const headers = { authorization: `Bearer ${order.json().pat}` };
    const response = await world.inject({ url, headers });
    expect([response.statusCode, response.json()]).toMatchObject([
      200,
      { applied: true, limits: { max_turns: 7 } },
    ]);
    expect((await world.inject({ url: BASE, headers })).statusCode).toBe(401);
  });

  const skipped = {
    applied: false,
    profile: null,
    version: null,
    model: null,
    effort: null,
    limits: null,
    env: null,
  };
  const settings = async (workspace: Workspace, query: string) =>
    (
      await world.inject({ url: `/api/v1/factory/builds/settings?${query}`, headers: workspace.bearer })
    ).json();

  it("gives a desk the profile with the workspace's changes", async () => {
    const workspace = await world.workspace();
    await put(workspace, 'claude.coding', { effort: 'high' });
    const { version } = await profileOf(workspace, 'claude.coding');
    for (const coder of ['claude', 'claude_code']) {
      expect(await settings(workspace, `profile=claude.coding&coder=${coder}`)).toEqual({
        applied: true,
        profile: 'claude.coding',
        version,
        model: 'claude-sonnet-5',
        effort: 'high',
        limits: { max_turns: 200, max_steps: null, wall_minutes: null },
        env: null,
        wall_minutes: 120,
      });
    }
  });

  it.each([
    ['profile=claude.coding&coder=codex', 120],
    ['profile=nothing&coder=codex', 120],
    ['profile=pi.hard&coder=pi', 120],
    ['coder=codex&desk_minutes=30', 30],
    ['profile=claude.hard&coder=codex&desk_minutes=300', 240],
  ])('applies no profile for %s', async (query, wall_minutes) => {
    const workspace = untouchedFree;
    expect(await settings(workspace, query)).toEqual({ ...skipped, wall_minutes });
  });

  it.each([
    ['', 180],
    ['&desk_minutes=200', 200],
    ['&desk_minutes=60&ceiling_minutes=150', 150],
    ['&desk_minutes=500', 240],
    ['&desk_minutes=500&ceiling_minutes=600', 500],
  ])('returns the right time limit for a hard profile with %j', async (query, minutes) => {
    const workspace = untouched;
    const answer = await settings(workspace, `profile=claude.hard&coder=claude${query}`);
    expect(answer).toMatchObject({ applied: true, wall_minutes: minutes });
  });

  it.each(['desk_minutes=0', 'desk_minutes=-5', 'ceiling_minutes=soon', 'desk_minutes=1&desk_minutes=2'])(
    'returns 422 for %s',
    async (query) => {
      const { bearer } = untouched;
      const response = await world.inject({
        url: `/api/v1/factory/builds/settings?${query}`,
        headers: bearer,
      });
      expect(response.statusCode).toBe(422);
    },
  );
});
