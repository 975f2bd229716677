import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type FakeDesk, type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';
import type { Scope } from '../../../kernel/access.js';
import type { BuildView } from '../builds.schemas.js';

const world = await openBuildWorld();
const home = await world.furnish();

const POLICY = '/api/v1/factory/builds/policy';
const drop = (room: Furnished, buildId: string) =>
  room.call('POST', `/api/v1/factory/builds/${buildId}/cancel`);

describe('A token with only read scopes', () => {
  const bearerOf = async (scopes: Scope[]) => {
    const member = await world.member(home.space.brand);
    return { authorization: `Bearer ${await world.token(home.space.brand, member, scopes)}` };
  };

  it('cannot start, cancel or review a build, and the 403 names the required scopes', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const other = await home.card();
    const calls: [string, object][] = [
      [`/api/v1/board/tasks/${other.id}/builds`, {}],
      [`/api/v1/factory/builds/${build.build_id}/cancel`, {}],
      [`/api/v1/factory/builds/${build.build_id}/review`, { decision: 'accept' }],
    ];
    for (const scopes of [[], ['brand:read'], ['brand:read', 'memory:read', 'code:read']] as Scope[][]) {
      const bearer = await bearerOf(scopes);
      for (const [url, body] of calls) {
        const refused = await home.call<{ detail: string }>('POST', url, body, bearer);
        expect([refused.status, url]).toEqual([403, url]);
        expect(refused.body.detail).toContain('memory:write');
        expect(refused.body.detail).toContain('brand:admin');
      }
      // Reading needs no scope.
      for (const url of ['/api/v1/factory/builds', `/api/v1/factory/builds/${build.build_id}`, POLICY])
        expect((await home.call('GET', url, undefined, bearer)).status).toBe(200);
    }
    expect((await home.get(build.build_id)).status).toBe('queued');
    await drop(home, build.build_id);
  });

  it('A token with any write scope and a session can start builds', async () => {
    const bearer = await bearerOf(['memory:write']);
    const made = await home.post((await home.card()).id, {}, bearer);
    expect(made.status).toBe(201);
    const url = `/api/v1/factory/builds/${made.body.build_id}/cancel`;
    expect((await home.call('POST', url, {}, bearer)).status).toBe(202);
    const member = await world.member(home.space.brand);
    const cookie = await world.signIn(member, home.space.brand);
    const asked = await world.inject({
      method: 'POST',
      url: `/api/v1/board/tasks/${(await home.card()).id}/builds`,
      headers: { cookie },
      payload: {},
    });
    expect(asked.statusCode).toBe(201);
    await drop(home, asked.json().build_id);
  });

  it('does not see the tool either', async () => {
    const tools = async (scopes: Scope[]) => {
      const answer = await world.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          ...(await bearerOf(scopes)),
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      });
      const { result } = JSON.parse(answer.body.slice(answer.body.indexOf('{')));
      return result.tools.map(({ name }: { name: string }) => name);
    };
    expect(await tools(['brand:read', 'memory:read'])).not.toContain('create_build');
    expect(await tools(['memory:write'])).toContain('create_build');
  });
});

describe('Build settings', () => {
  it("come from the profile and the policy's max_minutes at the start, and are null before", async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const build = await room.build((await room.card()).id, { profile: 'claude.docs' });
    expect(build).toMatchObject({ profile: 'claude.docs', settings: null });
    const set = await room.call('PUT', '/api/v1/factory/coder-profiles/claude.docs/override', {
      effort: 'high',
    });
    expect(set.status, JSON.stringify(set.body)).toBeLessThan(300);
    await room.call('PUT', POLICY, { max_minutes: 7 });
    const [order] = await room.work(desk);
    expect((await room.get(build.build_id)).settings).toBeNull();
    const started = await room.start(desk, build.build_id, order!.claim);
    expect(started.body).toMatchObject({ settings: { effort: 'high', wall_minutes: 7 }, wall_minutes: 7 });
    const shown = (await room.get(build.build_id)).settings;
    expect(shown).toEqual(started.body.settings);

    // A running build keeps the settings that it started with.
    await room.call('PUT', '/api/v1/factory/coder-profiles/claude.docs/override', { effort: 'low' });
    await room.call('PUT', POLICY, { max_minutes: 9 });
    const again = await room.start(desk, build.build_id, order!.claim);
    expect(again.body.settings).toEqual(shown);
    expect((await room.get(build.build_id)).settings).toEqual(shown);
  });
});

describe('A desk that goes away', () => {
  const release = (room: Furnished, desk: FakeDesk) =>
    world.asMember(room.space)('DELETE', `/api/v1/workstations/${desk.id}`);

  it('no longer binds a queued build once it is released, and any matching desk takes the build', async () => {
    const room = await world.furnish();
    const [leaving, staying] = [await room.readyDesk(), await room.readyDesk()];
    const build = await room.build((await room.card()).id, { workstation_id: leaving.id });
    expect(build.wanted_workstation_id).toBe(leaving.id);
    expect(await room.work(staying)).toEqual([]);
    expect((await release(room, leaving)).statusCode).toBe(200);
    expect(await room.get(build.build_id)).toMatchObject({
      status: 'queued',
      wanted_workstation_id: null,
      waiting_for: 'slot',
    });
    const { buildId } = await room.take(staying);
    expect(await room.get(buildId)).toMatchObject({
      build_id: build.build_id,
      status: 'running',
      workstation_id: staying.id,
      wanted_workstation_id: null,
    });
  });

  it('still binds a queued build while it is suspended', async () => {
    const room = await world.furnish();
    const [resting, other] = [await room.readyDesk(), await room.readyDesk()];
    const build = await room.build((await room.card()).id, { workstation_id: resting.id });
    await world.asMember(room.space)('PATCH', `/api/v1/environments/${resting.id}`, { status: 'suspended' });
    expect(await room.work(other)).toEqual([]);
    expect(await room.get(build.build_id)).toMatchObject({
      wanted_workstation_id: resting.id,
      waiting_for: 'desk',
    });
  });
});

describe('Builds switched off', () => {
  it('are not handed out until the policy allows them again', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const build = await room.build((await room.card()).id);
    await room.call('PUT', POLICY, { enabled: false });
    expect(await room.work(desk)).toEqual([]);
    expect(await room.get(build.build_id)).toMatchObject({ status: 'queued', waiting_for: 'policy' });
    const heard = await listenTo(room, async () => void (await room.call('PUT', POLICY, { enabled: true })));
    expect(heard).toContainEqual({ brand: room.space.brand.brand_id });
    expect((await room.get(build.build_id)).waiting_for).toBe('slot');
    expect(await room.work(desk)).toMatchObject([{ kind: 'start', build_id: build.build_id }]);
  });
});

describe('PUT /api/v1/factory/builds/policy', () => {
  it("keeps omitted fields, and null restores the plan's limit", async () => {
    const room = await world.furnish();
    await room.call('PUT', POLICY, { max_open: 2, max_minutes: 30 });
    const off = await room.call('PUT', POLICY, { enabled: false });
    expect(off.body).toMatchObject({ enabled: false, max_open: 2, max_per_day: null, max_minutes: 30 });
    expect((await room.call('PUT', POLICY, {})).body).toEqual(off.body);
    const cleared = await room.call('PUT', POLICY, { max_open: null, enabled: true });
    expect(cleared.body).toEqual({ ...(off.body as object), enabled: true, max_open: null });
    expect((await room.call('GET', POLICY)).body).toEqual(cleared.body);
  });
});

/** Records the work signals during an action, including all that were committed before it returns. */
async function listenTo(_room: Furnished, happen: () => Promise<void>): Promise<unknown[]> {
  const heard: unknown[] = [];
  const leave = world.app.notifications.subscribe('guildhall_build_work', (news) => void heard.push(news));
  try {
    await happen();
    expect(await world.app.notifications.flush()).toBe(true);
  } finally {
    leave();
  }
  return heard;
}

describe('An expired claim', () => {
  it('returns the build to the queue and wakes waiting desks', async () => {
    const room = await world.furnish();
    const [taker, waiter] = [await room.readyDesk(), await room.readyDesk()];
    const build = await room.build((await room.card()).id);
    await room.work(taker);
    await world.advance(61);
    const heard = await listenTo(room, async () => void (await world.runJob('build-pass')));
    expect(heard).toContainEqual({ brand: room.space.brand.brand_id });
    expect(await room.work(waiter)).toMatchObject([{ kind: 'start', build_id: build.build_id }]);
  });

  it('wakes only the desk that the build names', async () => {
    const room = await world.furnish();
    const taker = await room.readyDesk();
    await room.build((await room.card()).id, { workstation_id: taker.id });
    await room.work(taker);
    await world.advance(61);
    const heard = await listenTo(room, async () => void (await world.runJob('build-pass')));
    expect(heard).toContainEqual({ brand: room.space.brand.brand_id, desk: taker.id });
  });

  it('of a canceled build is not handed out again, before or after the job has run', async () => {
    const room = await world.furnish();
    const [taker, waiter] = [await room.readyDesk(), await room.readyDesk()];
    const build = await room.build((await room.card()).id);
    await room.work(taker);
    await drop(room, build.build_id);
    await world.advance(61);
    for (const desk of [taker, waiter])
      expect((await room.work(desk)).filter(({ kind }) => kind === 'start')).toEqual([]);
    await world.runJob('build-pass');
    expect((await room.work(waiter)).filter(({ kind }) => kind === 'start')).toEqual([]);
    expect((await room.get(build.build_id)) as BuildView).toMatchObject({ status: 'canceled' });
  });
});

describe("The coder's token", () => {
  const isKnown = async (token: string) => {
    const answer = await world.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    });
    return answer.statusCode;
  };
  const begin = async (room: Furnished, desk: FakeDesk) => {
    await room.build((await room.card()).id);
    const [order] = await room.work(desk);
    const { body } = await room.start(desk, order!.build_id, order!.claim);
    return { buildId: order!.build_id, claim: order!.claim, token: body.mcp.token as string };
  };
  const kept = async (buildId: string) =>
    (await sql`select from build_tokens where build_id = ${buildId}`.execute(world.db)).rows.length;

  it.each(['succeeded', 'failed', 'canceled', 'timed_out'])(
    'ends with its build, which %s, and is deleted',
    async (outcome) => {
      const desk = await home.readyDesk();
      const { buildId, claim, token } = await begin(home, desk);
      expect([await isKnown(token), await kept(buildId)]).toEqual([200, 1]);
      await home.finish(desk, buildId, claim, { outcome });
      expect([await isKnown(token), await kept(buildId)]).toEqual([401, 0]);
    },
  );

  it('stops working when the build is lost, before and after the job stores that', async () => {
    const desk = await home.readyDesk();
    const { buildId, token } = await begin(home, desk);
    await world.advance(601);
    expect(await isKnown(token)).toBe(401);
    await world.runJob('build-pass');
    expect([await isKnown(token), await kept(buildId)]).toEqual([401, 0]);
  });
});
