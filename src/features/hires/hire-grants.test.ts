import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { hireWorld, type Tool } from '../../../tests/support/hires.js';
import { DAY, secondsFrom } from '../../kernel/clock.js';

const PERIOD = 30 * DAY;
const TTL = 60;

let world: World;
let at: ReturnType<typeof hireWorld>;

beforeAll(async () => {
  world = await startTestApp();
  at = hireWorld(world);
  world.clock.freeze(true);
});
afterAll(() => world.stop());

const later = (seconds: number) => secondsFrom(world.clock.now(), seconds).toISOString();

async function hired(packages = ['mail', 'calendar']) {
  const workspace = await world.workspace();
  const { profile_id } = await at.employee({ template: { packages } });
  return { ...workspace, hire: await at.active(workspace.cookie, profile_id) };
}

async function tools(bearer: object, agentId: string, node = at): Promise<string[]> {
  const answer = await node.grants(bearer, agentId);
  expect(answer.statusCode).toBe(200);
  const listed: Tool[] = answer.json().tools;
  return listed.map((tool) => `${tool.package} ${tool.enabled ? 'on' : 'off'}`);
}

describe('GET /api/v1/gateway/agents/{agent_id}/grants', () => {
  it('{agent_id, tools, cached_until}: returns every package of the hire, in the order of its template', async () => {
    const { bearer, hire } = await hired(['mail', 'calendar', 'mail']);
    const answer = await at.grants(bearer, hire.agent_id);
    expect(answer.json()).toEqual({
      agent_id: hire.agent_id,
      tools: [
        { package: 'mail', enabled: true },
        { package: 'calendar', enabled: true },
      ],
      cached_until: later(TTL),
    });
  });

  it('is cached for 60 s', async () => {
    const { bearer, hire } = await hired();
    const first = (await at.grants(bearer, hire.agent_id)).json();
    world.clock.advance(TTL - 1);
    expect((await at.grants(bearer, hire.agent_id)).json()).toEqual(first);
    world.clock.advance(1);
    expect((await at.grants(bearer, hire.agent_id)).json().cached_until).toBe(later(TTL));
  });

  it('reports all tools off within 60 s of a cancel-immediate, on every node', async () => {
    const { bearer, cookie, hire } = await hired();
    const node = await startTestApp({ database: world.database });
    try {
      node.clock.restore(world.clock.state);
      const there = hireWorld(node);
      for (const one of [at, there])
        expect(await tools(bearer, hire.agent_id, one)).toEqual(['mail on', 'calendar on']);
      const { marketplace_disable_at } = (await at.cancel(cookie, hire.hire_id, 'cancel-immediate')).json();
      world.clock.advance(TTL);
      expect(later(0)).toBe(marketplace_disable_at);
      node.clock.restore(world.clock.state);
      for (const one of [at, there])
        expect(await tools(bearer, hire.agent_id, one)).toEqual(['mail off', 'calendar off']);
    } finally {
      await node.stop();
    }
  });

  it('shows a cancel at once when nothing was cached', async () => {
    const { bearer, cookie, hire } = await hired();
    await at.cancel(cookie, hire.hire_id, 'cancel-immediate');
    expect(await tools(bearer, hire.agent_id)).toEqual(['mail off', 'calendar off']);
  });

  it('keeps the tools on until effective_at after a period-end cancel', async () => {
    const { bearer, cookie, hire } = await hired();
    await at.cancel(cookie, hire.hire_id);
    expect(await tools(bearer, hire.agent_id)).toEqual(['mail on', 'calendar on']);
    world.clock.advance(PERIOD - 1);
    await at.reconcile();
    expect(await tools(bearer, hire.agent_id)).toEqual(['mail on', 'calendar on']);
  });

  it.each([true, false])(
    'reports the tools off by marketplace_disable_at (reconcile loop has run: %s)',
    async (reconciled) => {
      const { bearer, cookie, hire } = await hired();
      const { effective_at, marketplace_disable_at } = (await at.cancel(cookie, hire.hire_id)).json();
      world.clock.advance(PERIOD - 1);
      await tools(bearer, hire.agent_id);
      world.clock.advance(1);
      expect(later(0)).toBe(effective_at);
      if (reconciled) await at.reconcile();
      world.clock.advance(TTL);
      expect(later(0)).toBe(marketplace_disable_at);
      expect(await tools(bearer, hire.agent_id)).toEqual(['mail off', 'calendar off']);
    },
  );

  it('reports all tools of a canceled hire off, even when another hire keeps the install', async () => {
    const { bearer, cookie, hire } = await hired(['mail', 'calendar']);
    const { profile_id } = await at.employee({ template: { packages: ['mail'] } });
    const other = await at.active(cookie, profile_id);
    const answer = await at.cancel(cookie, hire.hire_id, 'cancel-immediate');
    expect(answer.json()).toMatchObject({ installs_disabled: 1, installs_retained: 1 });
    expect(await tools(bearer, hire.agent_id)).toEqual(['mail off', 'calendar off']);
    expect(await tools(bearer, other.agent_id)).toEqual(['mail on']);
  });

  it('returns no tools for an agent that was not hired', async () => {
    const { brand, bearer } = await world.workspace();
    await world.operator('POST', '/agents', { agent_id: `own-${brand.brand_id}`, brand_id: brand.brand_id });
    expect(await tools(bearer, `own-${brand.brand_id}`)).toEqual([]);
  });

  it("404 for another workspace's agent (cached or not), a platform agent and an unknown one", async () => {
    const { bearer, hire } = await hired();
    const stranger = await world.workspace();
    await world.operator('POST', '/agents', { agent_id: 'platform-agent', brand_id: null });
    expect((await at.grants(stranger.bearer, hire.agent_id)).statusCode).toBe(404);
    expect((await at.grants(bearer, hire.agent_id)).statusCode).toBe(200);
    for (const id of [
      hire.agent_id,
      'platform-agent',
      'nobody',
      '%00',
      encodeURIComponent('../x'),
      'a'.repeat(300),
    ]) {
      expect((await at.grants(stranger.bearer, id)).statusCode).toBe(404);
    }
  });

  it('404 for an agent that is not built yet', async () => {
    const { cookie, bearer } = await world.workspace();
    const { hire_id } = (await at.hire(cookie, (await at.employee({ name: 'Not Yet' })).profile_id)).json();
    expect((await at.grants(bearer, `not-yet-${hire_id.slice(-12)}`)).statusCode).toBe(404);
  });

  it('allows a token with any or no scope and a session; 401 without either', async () => {
    const { brand, admin, cookie, hire } = await hired();
    const token = await world.token(brand, admin, []);
    expect((await at.grants({ authorization: `Bearer ${token}` }, hire.agent_id)).statusCode).toBe(200);
    expect((await at.grants({ cookie }, hire.agent_id)).statusCode).toBe(200);
    const refused = await at.grants({}, hire.agent_id);
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });
});
