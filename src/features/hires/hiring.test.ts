import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { hireWorld } from '../../../tests/support/hires.js';
import { HOUR } from '../../kernel/clock.js';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

let world: World;
let at: ReturnType<typeof hireWorld>;

beforeAll(async () => {
  world = await startTestApp();
  at = hireWorld(world);
  world.clock.freeze(true);
});
afterAll(() => world.stop());

const staffSession = async () => {
  const home = await world.brand();
  const staff = await world.member(home, { person: await world.person({ kind: 'staff' }) });
  return { home, staff, cookie: await world.signIn(staff, home) };
};

describe('GET /api/v1/employees', () => {
  const list = (headers: Record<string, string>) => world.inject({ url: '/api/v1/employees', headers });

  it('lists the published catalog with the hire the workspace holds of each', async () => {
    const { cookie } = await world.workspace();
    const shown = await at.employee({
      name: 'Zoe Published',
      builder: true,
      repository: { url: 'https://me:secret@git.test/a.git' },
    });
    const hidden = await at.employee({ published: false });
    const bare = await at.employee({ template: null });
    const { hire_id } = (await at.hire(cookie, shown.profile_id)).json();
    const answer = await list({ cookie });
    expect(answer.statusCode).toBe(200);
    const { employees, total } = answer.json();
    expect(total).toBe(employees.length);
    const find = (id: string) => employees.find((one: { profile_id: string }) => one.profile_id === id);
    expect(find(shown.profile_id)).toEqual({
      profile_id: shown.profile_id,
      name: 'Zoe Published',
      description: '',
      portrait: `/api/v1/employees/${shown.profile_id}/portrait`,
      builder: true,
      deployable: true,
      packages: ['mail', 'calendar'],
      repository: { url: 'https://git.test/a.git', branch: null },
      existing_hire_id: hire_id,
    });
    expect(find(hidden.profile_id)).toBeUndefined();
    expect(find(bare.profile_id)).toMatchObject({ deployable: false, packages: [] });
  });

  it("does not show another workspace's hire", async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    const { profile_id } = await at.employee();
    await at.hire(one.cookie, profile_id);
    const { employees } = (await list({ cookie: other.cookie })).json();
    const found = employees.find((employee: { profile_id: string }) => employee.profile_id === profile_id);
    expect(found.existing_hire_id).toBeNull();
  });

  it('401 without a session; rejects a PAT', async () => {
    const { bearer } = await world.workspace();
    expect((await list({})).statusCode).toBe(401);
    expect((await list(bearer)).statusCode).toBe(401);
  });
});

describe('GET /api/v1/employees/{profile_id}/portrait', () => {
  const portrait = (cookie: string, id: string) =>
    world.inject({ url: `/api/v1/employees/${id}/portrait`, headers: { cookie } });

  it('draws the same portrait each time and escapes the name', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee({ name: '"><script>alert(1)</script>' });
    const answer = await portrait(cookie, profile_id);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('image/svg+xml');
    expect(answer.body).not.toContain('<script');
    expect((await portrait(cookie, profile_id)).body).toBe(answer.body);
  });

  it('404 for an unpublished or unknown employee and an invalid id', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee({ published: false });
    for (const id of [profile_id, UNKNOWN, 'nobody'])
      expect((await portrait(cookie, id)).statusCode).toBe(404);
  });
});

describe('POST /api/v1/employees/{profile_id}/hire, self-serve', () => {
  it('200 {hire_id, status: provisioning, onboarding_url}', async () => {
    const { brand, cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    const answer = await at.hire(cookie, profile_id);
    expect(answer.statusCode).toBe(200);
    const hire = answer.json();
    expect(hire).toEqual({
      hire_id: expect.any(String),
      status: 'provisioning',
      onboarding_url: `/dashboard/agents/onboarding?hire=${hire.hire_id}`,
    });
    expect(await at.record(cookie, hire.hire_id)).toMatchObject({ brand_id: brand.brand_id, profile_id });
  });

  it('allows any active member to hire', async () => {
    const { brand } = await world.workspace();
    const member = await world.member(brand);
    const { profile_id } = await at.employee();
    expect((await at.hire(await world.signIn(member, brand), profile_id)).statusCode).toBe(200);
  });

  it('ignores brand_id and comp_reason and takes the workspace from the session', async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    const { profile_id } = await at.employee();
    const body = { brand_id: other.brand.brand_id, comp_reason: 'a gift', anything: [1] };
    const { hire_id } = (await at.hire(one.cookie, profile_id, body)).json();
    expect(await at.record(one.cookie, hire_id)).toMatchObject({
      brand_id: one.brand.brand_id,
      comp_reason: null,
    });
  });

  it.each([
    ['no body at all', undefined],
    ['a list', '[]'],
    ['a string', '"hello"'],
    ['null', 'null'],
    ['wrong types', '{"brand_id":"x","comp_reason":7}'],
  ])('ignores %s', async (_, payload) => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    const answer = await world.inject({
      method: 'POST',
      url: `/api/v1/employees/${profile_id}/hire`,
      headers: { cookie, ...(payload && { 'content-type': 'application/json' }) },
      payload,
    });
    expect(answer.statusCode, answer.body).toBe(200);
  });

  it('422 for a body that is not JSON', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    const headers = { cookie, 'content-type': 'application/json' };
    const answer = await at.hire(headers, profile_id, '{nonsense');
    expect(answer.statusCode).toBe(422);
  });

  it('401 without a credential, with a PAT, or with a wrong admin key', async () => {
    const { bearer, cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    expect((await at.hire({}, profile_id)).statusCode).toBe(401);
    expect((await at.hire(bearer, profile_id)).statusCode).toBe(401);
    expect((await at.hire({ cookie, 'x-admin-key': 'wrong' }, profile_id)).statusCode).toBe(401);
  });

  it('402 before 404 for a workspace without an active subscription', async () => {
    const { cookie } = await world.workspace({ subscription_active: false });
    const { profile_id } = await at.employee();
    for (const id of [profile_id, UNKNOWN, 'no-uuid'])
      expect((await at.hire(cookie, id)).statusCode).toBe(402);
  });

  it('402 as soon as a subscription ends', async () => {
    const { brand, cookie } = await world.workspace();
    await world.operator('PATCH', `/brands/${brand.brand_id}`, { subscription_active: false });
    expect((await at.hire(cookie, (await at.employee()).profile_id)).statusCode).toBe(402);
  });

  it('404 for an unknown or unpublished employee', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee({ published: false, template: null });
    for (const id of [profile_id, UNKNOWN, 'no-uuid', "1' or '1'='1", 'x'.repeat(255)]) {
      expect((await at.hire(cookie, encodeURIComponent(id))).statusCode).toBe(404);
    }
  });

  it('422 for an employee without a deployable template', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee({ template: null });
    const answer = await at.hire(cookie, profile_id);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toEqual({ detail: 'This employee has no deployable template yet' });
  });

  it('409 when the workspace already has a provisioning or active hire of the employee', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    const { hire_id } = (await at.hire(cookie, profile_id)).json();
    const expected = {
      detail: { error: 'already_hired', existing_hire_id: hire_id, message: expect.any(String) },
    };
    const whileBuilding = await at.hire(cookie, profile_id);
    expect([whileBuilding.statusCode, whileBuilding.json()]).toEqual([409, expected]);
    await at.build();
    const onceActive = await at.hire(cookie, profile_id);
    expect([onceActive.statusCode, onceActive.json()]).toEqual([409, expected]);
  });

  it('422 before 409 when the template of a hired employee was removed', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    await at.hire(cookie, profile_id);
    await world.operator('PATCH', `/catalog/${profile_id}`, { template: null });
    expect((await at.hire(cookie, profile_id)).statusCode).toBe(422);
  });

  it('allows another workspace to hire the same employee', async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    const { profile_id } = await at.employee();
    expect((await at.hire(one.cookie, profile_id)).statusCode).toBe(200);
    expect((await at.hire(other.cookie, profile_id)).statusCode).toBe(200);
  });

  it('accepts one of 50 concurrent hires and answers 49 with 409 and existing_hire_id', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    const answers = await Promise.all(Array.from({ length: 50 }, () => at.hire(cookie, profile_id)));
    const won = answers.filter(({ statusCode }) => statusCode === 200);
    const lost = answers.filter(({ statusCode }) => statusCode === 409);
    expect([won.length, lost.length]).toEqual([1, 49]);
    const { hire_id } = won[0]!.json();
    for (const answer of lost) expect(answer.json().detail.existing_hire_id).toBe(hire_id);
  });

  it('429 after 5 hires per workspace per hour, with an exact Retry-After', async () => {
    const { cookie } = await world.workspace();
    for (let hired = 0; hired < 5; hired += 1) {
      expect((await at.hire(cookie, (await at.employee()).profile_id)).statusCode).toBe(200);
      world.clock.advance(60);
    }
    const { profile_id } = await at.employee();
    const refused = await at.hire(cookie, profile_id);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe(String(HOUR - 300));
    world.clock.advance(HOUR - 300 - 1);
    const tooEarly = await at.hire(cookie, profile_id);
    expect([tooEarly.statusCode, tooEarly.headers['retry-after']]).toEqual([429, '1']);
    world.clock.advance(1);
    expect((await at.hire(cookie, profile_id)).statusCode).toBe(200);
    expect((await at.hire(cookie, (await at.employee()).profile_id)).statusCode).toBe(429);
  });

  it('does not count refused attempts, and returns 409 before 429', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    await at.hire(cookie, profile_id);
    const bare = await at.employee({ template: null });
    for (let refused = 0; refused < 10; refused += 1) {
      expect((await at.hire(cookie, profile_id)).statusCode).toBe(409);
      expect((await at.hire(cookie, bare.profile_id)).statusCode).toBe(422);
      expect((await at.hire(cookie, UNKNOWN)).statusCode).toBe(404);
    }
    for (let hired = 1; hired < 5; hired += 1) {
      expect((await at.hire(cookie, (await at.employee()).profile_id)).statusCode).toBe(200);
    }
    expect((await at.hire(cookie, profile_id)).statusCode).toBe(409);
    expect((await at.hire(cookie, bare.profile_id)).statusCode).toBe(422);
    expect((await at.hire(cookie, (await at.employee()).profile_id)).statusCode).toBe(429);
  });

  it('accepts at most 5 of 20 concurrent hires on two nodes', async () => {
    const { brand, cookie, admin } = await world.workspace();
    const node = await startTestApp({ database: world.database });
    try {
      node.clock.restore(world.clock.state);
      const there = hireWorld(node);
      const profiles = await Promise.all(Array.from({ length: 20 }, () => at.employee()));
      const elsewhere = await node.signIn(admin, brand);
      const answers = await Promise.all(
        profiles.map(({ profile_id }, n) =>
          n % 2 ? at.hire(cookie, profile_id) : there.hire(elsewhere, profile_id),
        ),
      );
      const codes = answers.map(({ statusCode }) => statusCode);
      expect(codes.filter((code) => code === 200)).toHaveLength(5);
      expect(codes.filter((code) => code === 429)).toHaveLength(15);
    } finally {
      await node.stop();
    }
  });

  it("does not count another workspace's hires or granted ones", async () => {
    const { brand, cookie } = await world.workspace();
    for (let granted = 0; granted < 5; granted += 1) {
      await at.hire(at.admin, (await at.employee()).profile_id, { brand_id: brand.brand_id });
    }
    expect((await at.hire(cookie, (await at.employee()).profile_id)).statusCode).toBe(200);
  });

  it('403 for a request from another origin', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    expect((await at.hire({ cookie, origin: 'https://evil.test' }, profile_id)).statusCode).toBe(403);
  });
});

describe('POST /api/v1/employees/{profile_id}/hire, admin grant', () => {
  it('grants the hire to the given workspace, also without a subscription, and keeps the reason', async () => {
    const { brand, cookie } = await world.workspace({ subscription_active: false });
    const { profile_id } = await at.employee();
    const answer = await at.hire(at.admin, profile_id, { brand_id: brand.brand_id, comp_reason: 'pilot' });
    expect(answer.statusCode).toBe(200);
    expect(await at.record(cookie, answer.json().hire_id)).toMatchObject({
      brand_id: brand.brand_id,
      comp_reason: 'pilot',
    });
  });

  it('accepts the session of a staff member as an admin grant', async () => {
    const { brand, cookie } = await world.workspace();
    const { cookie: staff } = await staffSession();
    const { profile_id } = await at.employee();
    expect((await at.hire(staff, profile_id)).statusCode).toBe(422);
    const answer = await at.hire(staff, profile_id, { brand_id: brand.brand_id });
    expect(answer.statusCode).toBe(200);
    expect((await at.read(cookie, answer.json().hire_id)).statusCode).toBe(200);
  });

  it.each([
    ['nothing', {}, 'brand_id is required'],
    ['only a reason', { comp_reason: 'x' }, 'brand_id is required'],
    ['a brand that is text', { brand_id: '1' }, 'brand_id must be a whole number'],
    ['a brand that is null', { brand_id: null }, 'brand_id must be a whole number'],
    ['a brand that is a list', { brand_id: [1] }, 'brand_id must be a whole number'],
    ['a fractional brand', { brand_id: 1.5 }, 'brand_id must be a whole number'],
    ['a reason that is not a string', { brand_id: 1, comp_reason: 5 }, 'comp_reason must be a string'],
    ['an unknown key', { brand_id: 1, gift: true }, 'gift is not a known field'],
  ])('422 before any other check: %s', async (_, body, detail) => {
    for (const id of [(await at.employee()).profile_id, UNKNOWN, 'no-uuid']) {
      const answer = await at.hire(at.admin, id, body);
      expect([answer.statusCode, answer.json()]).toEqual([422, { detail }]);
    }
  });

  it.each(['[]', '"text"', 'null', '{nonsense'])('422 for the body %s', async (body) => {
    const { profile_id } = await at.employee();
    const headers = { ...at.admin, 'content-type': 'application/json' };
    expect((await at.hire(headers, profile_id, body)).statusCode).toBe(422);
  });

  it.each([0, -1, 2_147_483_648, 1e15, 2_000_000_000])(
    '404 Brand not found for brand %d',
    async (brandId) => {
      const { profile_id } = await at.employee();
      const answer = await at.hire(at.admin, profile_id, { brand_id: brandId });
      expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'Brand not found' }]);
    },
  );

  it('404, 422 and 409 as for a self-serve hire', async () => {
    const { brand, cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    const body = { brand_id: brand.brand_id };
    expect((await at.hire(at.admin, UNKNOWN, body)).statusCode).toBe(404);
    const bare = await at.employee({ template: null });
    expect((await at.hire(at.admin, bare.profile_id, body)).statusCode).toBe(422);
    const { hire_id } = (await at.hire(cookie, profile_id)).json();
    const answer = await at.hire(at.admin, profile_id, body);
    expect([answer.statusCode, answer.json().detail.existing_hire_id]).toEqual([409, hire_id]);
  });

  it('allows each admin and staff member 50 grants per hour', async () => {
    const brands = await Promise.all(Array.from({ length: 51 }, () => world.brand()));
    const { profile_id } = await at.employee();
    const { cookie: staff } = await staffSession();
    const grant = (n: number) => at.hire(staff, profile_id, { brand_id: brands[n]!.brand_id });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => grant(n)));
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const refused = await grant(50);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, String(HOUR)]);
    expect((await grant(0)).statusCode).toBe(409);
    const byKey = await at.hire(at.admin, profile_id, { brand_id: brands[50]!.brand_id });
    expect(byKey.statusCode).toBe(200);
  });
});

describe('GET /api/v1/employees/hires/{hire_id}', () => {
  it("returns the contract's fields and the build steps", async () => {
    const { brand, cookie } = await world.workspace();
    const { profile_id, name } = await at.employee({
      builder: true,
      repository: { url: 'https://git.test/a.git' },
    });
    const { hire_id } = (await at.hire(cookie, profile_id)).json();
    const now = world.clock.now();
    expect(await at.record(cookie, hire_id)).toEqual({
      hire_id,
      profile_id,
      brand_id: brand.brand_id,
      status: 'provisioning',
      agent_id: null,
      workstation_id: null,
      current_period_end: new Date(now.getTime() + 30 * 86_400_000).toISOString(),
      cancel_at_period_end: false,
      effective_at: null,
      created_at: now.toISOString(),
      onboarding_url: `/dashboard/agents/onboarding?hire=${hire_id}`,
      comp_reason: null,
      error: null,
      steps: [
        { key: 'agent', title: `Register ${name}`, state: 'pending', reason: null, done: false },
        { key: 'packages', title: 'Install 2 packages', state: 'pending', reason: null, done: false },
        {
          key: 'desk',
          title: 'Assign a desk for https://git.test/a.git',
          state: 'pending',
          reason: null,
          done: false,
        },
        {
          key: 'workspace',
          title: 'Set up the workspace directory and its memory',
          state: 'pending',
          reason: null,
          done: false,
        },
      ],
    });
  });

  it("403 for another workspace's hire, 404 for an unknown one, 401 without a session", async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    const { hire_id } = (await at.hire(one.cookie, (await at.employee()).profile_id)).json();
    expect((await at.read(other.cookie, hire_id)).statusCode).toBe(403);
    for (const id of [UNKNOWN, 'no-uuid', '%00'])
      expect((await at.read(one.cookie, id)).statusCode).toBe(404);
    expect((await at.read({}, hire_id)).statusCode).toBe(401);
    expect((await at.read(one.bearer, hire_id)).statusCode).toBe(401);
  });

  it('lets an admin read any hire', async () => {
    const { cookie } = await world.workspace();
    const { hire_id } = (await at.hire(cookie, (await at.employee()).profile_id)).json();
    expect((await at.read(at.admin, hire_id)).statusCode).toBe(200);
    expect((await at.read((await staffSession()).cookie, hire_id)).statusCode).toBe(200);
  });
});

describe('GET /api/v1/employees/hires', () => {
  const list = (cookie: string, query = '') =>
    world.inject({ url: `/api/v1/employees/hires${query}`, headers: { cookie } });

  it("{hires, total}: returns the workspace's own hires, newest first, in pages", async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    await at.hire(other.cookie, (await at.employee()).profile_id);
    const ids: string[] = [];
    for (let hired = 0; hired < 3; hired += 1) {
      ids.unshift((await at.hire(one.cookie, (await at.employee()).profile_id)).json().hire_id);
      world.clock.advance(1);
    }
    const { hires, total } = (await list(one.cookie)).json();
    expect(hires.map(({ hire_id }: { hire_id: string }) => hire_id)).toEqual(ids);
    expect(total).toBe(3);
    expect(hires[0]).toEqual(await at.record(one.cookie, ids[0]!));
    const page = async (query: string) => {
      const answer = (await list(one.cookie, query)).json();
      expect(answer.total).toBe(3);
      return answer.hires.map(({ hire_id }: { hire_id: string }) => hire_id);
    };
    expect(await page('?limit=2&page=1')).toEqual(ids.slice(0, 2));
    expect(await page('?limit=2&page=2')).toEqual(ids.slice(2));
    expect(await page('?limit=3&page=1')).toEqual(ids);
    expect(await page('?limit=3&page=2')).toEqual([]);
    expect(await page('?limit=500&page=1000000')).toEqual([]);
    expect((await list((await world.workspace()).cookie)).json()).toEqual({ hires: [], total: 0 });
    for (const query of ['?limit=0', '?limit=501', '?page=0', '?page=1000001', '?limit=x']) {
      expect((await list(one.cookie, query)).statusCode).toBe(422);
    }
  });

  it('counts concurrent hires', async () => {
    const { cookie } = await world.workspace();
    const employees = await Promise.all(Array.from({ length: 5 }, () => at.employee()));
    await Promise.all(employees.map(({ profile_id }) => at.hire(cookie, profile_id)));
    const { hires, total } = (await list(cookie)).json();
    expect([hires.length, total]).toEqual([5, 5]);
  });
});
