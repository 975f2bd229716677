import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, PASSWORD, startTestApp, type World } from '../../../tests/support/app.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let world: World;

beforeAll(async () => {
  world = await startTestApp();
});

afterAll(() => world.stop());

async function ask(method: Method, path: string, payload?: InjectOptions['payload']) {
  const headers = { 'x-admin-key': ADMIN_KEY };
  const answer = await world.inject({ method, url: `/api/v1/admin${path}`, headers, payload });
  return { status: answer.statusCode, body: answer.body ? answer.json() : undefined };
}

const detail = async (...request: Parameters<typeof ask>) => {
  const { status, body } = await ask(...request);
  return `${status} ${body.detail}`;
};

const bearerStatus = async (token: string) =>
  (await world.inject({ url: '/api/v1/me/token', headers: { authorization: `Bearer ${token}` } })).statusCode;

describe('POST /api/v1/admin/brands', () => {
  it('answers 201 with the record; defaults: plan team, active subscription, all scopes but brand:admin, new navigation', async () => {
    const { status, body } = await ask('POST', '/brands', { name: 'Acme' });
    expect(status).toBe(201);
    expect(body).toEqual({
      brand_id: expect.any(Number),
      name: 'Acme',
      plan: 'team',
      subscription_active: true,
      scope_ceiling: ['brand:read', 'memory:read', 'memory:write', 'code:read'],
      new_navigation: true,
      created_at: expect.stringMatching(TIME),
    });
  });

  it.each<[object, string]>([
    [{}, 'name is required'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: '  ' }, 'name must not be blank and must not contain line breaks or other control characters'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: 'x', plan: 'gold' }, 'plan must be one of: free, team, business, enterprise'],
    [{ name: 'x', subscription_active: 'yes' }, 'subscription_active must be true or false'],
    [{ name: 'x', scope_ceiling: 'brand:read' }, 'scope_ceiling must be a list'],
    [
      { name: 'x', scope_ceiling: ['root'] },
      'scope_ceiling.0 must be one of: brand:read, brand:admin, memory:read, memory:write, code:read',
    ],
    [{ name: 'x', color: 'red' }, 'color is not a known field'],
  ])('refuses %j', async (payload, sentence) => {
    expect(await detail('POST', '/brands', payload)).toBe(`422 ${sentence}`);
  });
});

describe('GET and PATCH /api/v1/admin/brands/{brand_id}', () => {
  it('counts existing workspaces and excludes a workspace being erased', async () => {
    const count = async () => (await ask('GET', '/brands?limit=1')).body.total;
    const before = await count();
    const { brand_id, name } = await world.brand();
    await ask('PATCH', `/brands/${brand_id}`, { plan: 'free' });
    expect(await count()).toBe(before + 1);
    await ask('DELETE', `/brands/${brand_id}`, { name });
    expect(await count()).toBe(before);
    await world.runJob('erase');
    expect(await count()).toBe(before);
    expect((await ask('GET', '/brands')).body.brands).toHaveLength(before);
  });

  it('changes any of the fields and leaves the others', async () => {
    const brand = await world.brand();
    for (const change of [
      { name: 'New' },
      { plan: 'free' },
      { subscription_active: false },
      { scope_ceiling: ['code:read'] },
      { new_navigation: false },
      {},
    ]) {
      const before = (await ask('GET', `/brands/${brand.brand_id}`)).body;
      const { status, body } = await ask('PATCH', `/brands/${brand.brand_id}`, change);
      expect([status, body]).toEqual([200, { ...before, ...change }]);
    }
  });

  it.each(['999999', 'abc', '0', '2147483648', '1.0'])('answers 404 Brand not found for %s', async (id) => {
    expect(await detail('GET', `/brands/${id}`)).toBe('404 Brand not found');
    expect(await detail('PATCH', `/brands/${id}`, { name: 'x' })).toBe('404 Brand not found');
    expect(await detail('PATCH', `/brands/${id}`, { name: null })).toBe('422 name must be a string');
  });
});

describe('POST /api/v1/admin/users', () => {
  it('creates a person without an account and mail address by default', async () => {
    const { status, body } = await ask('POST', '/users', { email: 'Plain@Example.test', full_name: 'Plain' });
    expect(status).toBe(201);
    expect(body).toEqual({
      user_id: expect.any(Number),
      email: 'Plain@Example.test',
      full_name: 'Plain',
      kind: 'person',
      has_password: false,
      mail_address: null,
      created_at: expect.stringMatching(TIME),
    });
  });

  it('accepts a password, a kind, a mail name or a whole address', async () => {
    const make = async (fields: object) =>
      (
        await ask('POST', '/users', {
          email: `${crypto.randomUUID()}@example.test`,
          full_name: 'X',
          ...fields,
        })
      ).body;
    expect(await make({ kind: 'staff', password: PASSWORD })).toMatchObject({
      kind: 'staff',
      has_password: true,
    });
    expect(await make({ kind: 'service' })).toMatchObject({ kind: 'service', has_password: false });
    expect(await make({ mail_name: 'first-name' })).toMatchObject({
      mail_address: 'first-name@mail.guildhall.local',
    });
    expect(await make({ mail_address: 'me@elsewhere.test' })).toMatchObject({
      mail_address: 'me@elsewhere.test',
    });
  });

  it('answers 409 for a taken e-mail address in any spelling and for a taken mail name', async () => {
    const person = { email: 'taken@example.test', full_name: 'X', mail_name: 'taken-name' };
    expect((await ask('POST', '/users', person)).status).toBe(201);
    for (const email of ['TAKEN@example.test', '\uFF54aken@example.test'])
      expect(await detail('POST', '/users', { email, full_name: 'Y' })).toBe(
        '409 A user with this email already exists',
      );
    const other = { email: 'other@example.test', full_name: 'Y', mail_name: 'taken-name' };
    expect(await detail('POST', '/users', other)).toBe('409 This Guildhall address is not available');
    expect((await ask('POST', '/users', { ...other, mail_name: undefined })).status).toBe(201);
  });

  it.each<[object, string]>([
    [{ full_name: 'X' }, 'email is required'],
    [{ email: 'a@b.test' }, 'full_name is required'],
    [{ email: 'nobody', full_name: 'X' }, 'email must be an e-mail address'],
    [{ email: 'a b@c.test', full_name: 'X' }, 'email must be an e-mail address'],
    [{ email: 'a@localhost', full_name: 'X' }, 'email must be an e-mail address'],
    [
      { email: 'a@b.test', full_name: ' ' },
      'full_name must not be blank and must not contain line breaks or other control characters',
    ],
    [{ email: 'a@b.test', full_name: 'X', password: '1234567' }, 'password must have at least 8 characters'],
    [{ email: 'a@b.test', full_name: 'X', kind: 'robot' }, 'kind must be one of: person, staff, service'],
    [
      { email: 'a@b.test', full_name: 'X', mail_name: '-a' },
      'mail_name must have 3 to 30 lowercase letters, numbers or hyphens, and start and end with a letter or number',
    ],
    [
      { email: 'a@b.test', full_name: 'X', mail_name: 'abc', mail_address: 'a@c.test' },
      'mail_name and mail_address exclude each other',
    ],
    [{ email: 'a@b.test', full_name: 'X', nickname: 'x' }, 'nickname is not a known field'],
  ])('refuses %j', async (payload, sentence) => {
    expect(await detail('POST', '/users', payload)).toBe(`422 ${sentence}`);
  });
});

describe('PUT and DELETE /api/v1/admin/brands/{brand_id}/members/{user_id}', () => {
  it('adds a member, changes role and position, and keeps fields that are not sent', async () => {
    const brand = await world.brand();
    const { user_id } = await world.person();
    const path = `/brands/${brand.brand_id}/members/${user_id}`;
    const first = await ask('PUT', path, { role: 'member', position: 'Engineer' });
    expect([first.status, first.body]).toEqual([
      200,
      {
        brand_id: brand.brand_id,
        user_id,
        role: 'member',
        position: 'Engineer',
        joined_at: expect.stringMatching(TIME),
      },
    ]);
    expect((await ask('PUT', path, { role: 'admin' })).body).toEqual({ ...first.body, role: 'admin' });
    expect((await ask('PUT', path, { position: null })).body).toEqual({
      ...first.body,
      role: 'admin',
      position: null,
    });
  });

  it('deactivates with 204, answers 404 the second time, and allows the person to return', async () => {
    const brand = await world.brand();
    const person = await world.member(brand, { role: 'admin' });
    const token = await world.token(brand, person);
    const path = `/brands/${brand.brand_id}/members/${person.user_id}`;
    expect(await ask('DELETE', path)).toEqual({ status: 204, body: undefined });
    expect(await bearerStatus(token)).toBe(401);
    expect(await detail('DELETE', path)).toBe('404 Member not found');
    await world.advance(60);
    const back = (await ask('PUT', path, {})).body;
    expect(back.role).toBe('member');
    expect(world.clock.now().getTime() - Date.parse(back.joined_at)).toBeLessThan(30_000);
    expect(await bearerStatus(token)).toBe(401);
  });

  it('turns a guest into a member', async () => {
    const { brand, bearer } = await world.workspace();
    const { user_id } = await world.person();
    const make = { method: 'POST', url: '/api/v1/docs/spaces', headers: bearer } as const;
    const { space_id } = (await world.inject({ ...make, payload: { name: 'Handbook' } })).json();
    const guest = `/api/v1/docs/spaces/${space_id}/guests/${user_id}`;
    await world.inject({ method: 'PUT', url: guest, headers: bearer, payload: { role: 'viewer' } });
    await ask('PUT', `/brands/${brand.brand_id}/members/${user_id}`, { role: 'member' });
    expect((await world.inject({ method: 'DELETE', url: guest, headers: bearer })).statusCode).toBe(404);
  });
});

describe('POST /api/v1/admin/brands/{brand_id}/tokens, DELETE /api/v1/admin/tokens/{token_id}', () => {
  it('returns the token once, and it works regardless of the role', async () => {
    const brand = await world.brand();
    const member = await world.member(brand);
    const { status, body } = await ask('POST', `/brands/${brand.brand_id}/tokens`, {
      user_id: member.user_id,
      scopes: ['brand:admin'],
      name: 'ci',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      token_id: expect.stringMatching(UUID),
      token: expect.stringMatching(/^guild_pat_/),
      brand_id: brand.brand_id,
      user_id: member.user_id,
      name: 'ci',
      scopes: ['brand:admin'],
      created_at: expect.stringMatching(TIME),
      expires_at: null,
      last_used_at: null,
      agent_id: null,
    });
    expect(await bearerStatus(body.token)).toBe(200);
  });

  it('revokes at once with 204, and answers 404 the second time', async () => {
    const { brand, admin } = await world.workspace();
    const { body } = await ask('POST', `/brands/${brand.brand_id}/tokens`, {
      user_id: admin.user_id,
      scopes: [],
      name: 'x',
    });
    expect(await bearerStatus(body.token)).toBe(200);
    expect((await ask('DELETE', `/tokens/${body.token_id}`)).status).toBe(204);
    expect(await bearerStatus(body.token)).toBe(401);
    expect(await detail('DELETE', `/tokens/${body.token_id}`)).toBe('404 Token not found');
    expect(await detail('DELETE', '/tokens/no-uuid')).toBe('404 Token not found');
    expect(await detail('DELETE', `/tokens/${crypto.randomUUID()}`)).toBe('404 Token not found');
  });

  it('accepts a past expiry for tests; such a token is refused', async () => {
    const { brand, admin } = await world.workspace();
    const token = await world.token(brand, admin, [], { expires_at: '2020-01-01T00:00:00Z' });
    expect(await bearerStatus(token)).toBe(401);
  });

  it('accepts only active members', async () => {
    const brand = await world.brand();
    const stranger = await world.person();
    const left = await world.member(brand);
    await world.operator('DELETE', `/brands/${brand.brand_id}/members/${left.user_id}`);
    for (const user_id of [stranger.user_id, left.user_id, 999_999, 0, -1, 9_999_999_999])
      expect(
        await detail('POST', `/brands/${brand.brand_id}/tokens`, { user_id, scopes: [], name: 'x' }),
      ).toBe('404 Member not found');
    expect(await detail('POST', '/brands/99999/tokens', { user_id: 1, scopes: [], name: 'x' })).toBe(
      '404 Brand not found',
    );
  });

  it.each<[object, string]>([
    [{ scopes: [], name: 'x' }, 'user_id is required'],
    [{ user_id: '1', scopes: [], name: 'x' }, 'user_id must be a whole number'],
    [{ user_id: 1, scopes: 'all', name: 'x' }, 'scopes must be a list'],
    [{ user_id: 1, scopes: [], name: '' }, 'name must not be empty'],
    [{ user_id: 1, scopes: [], name: 'x', expires_at: 'soon' }, 'expires_at must be a valid ISO 8601 time'],
    [{ user_id: 1, scopes: [], name: 'x', token: 'mine' }, 'token is not a known field'],
  ])('refuses %j', async (payload, sentence) => {
    const brand = await world.brand();
    expect(await detail('POST', `/brands/${brand.brand_id}/tokens`, payload)).toBe(`422 ${sentence}`);
  });
});

describe('POST /api/v1/admin/agents', () => {
  it('creates an agent of a workspace or of the platform', async () => {
    const { brand_id } = await world.brand();
    expect(await ask('POST', '/agents', { agent_id: 'Agent_1-a', name: 'One', brand_id })).toEqual({
      status: 201,
      body: { agent_id: 'Agent_1-a', name: 'One', brand_id, created_at: expect.stringMatching(TIME) },
    });
    expect(
      (await ask('POST', '/agents', { agent_id: 'platform', name: 'P', brand_id: null })).body.brand_id,
    ).toBeNull();
    expect((await ask('POST', '/agents', { agent_id: 'x'.repeat(255), name: 'long' })).status).toBe(201);
  });

  it('answers 409 for a taken id, 404 for an unknown workspace and 422 for an invalid id', async () => {
    await ask('POST', '/agents', { agent_id: 'taken', name: 'x' });
    expect(await detail('POST', '/agents', { agent_id: 'taken', name: 'y' })).toBe(
      '409 An agent with this agent_id already exists',
    );
    for (const brand_id of [99_999, 0, 9_999_999_999])
      expect(await detail('POST', '/agents', { agent_id: 'new', name: 'x', brand_id })).toBe(
        '404 Brand not found',
      );
    for (const agent_id of ['', 'a/b', '..', 'x'.repeat(256), 'ä'])
      expect(await detail('POST', '/agents', { agent_id, name: 'x' })).toMatch(/^422 agent_id /);
  });
});

describe('POST /api/v1/admin/brands/{brand_id}/packages and /feed-sources', () => {
  it('installs a package once', async () => {
    const { brand_id } = await world.brand();
    const path = `/brands/${brand_id}/packages`;
    expect(await ask('POST', path, { name: 'boards', version: '1.27.0' })).toEqual({
      status: 201,
      body: {
        package_id: expect.stringMatching(UUID),
        brand_id,
        name: 'boards',
        version: '1.27.0',
        enabled: true,
        installed_at: expect.stringMatching(TIME),
      },
    });
    expect(await detail('POST', path, { name: 'boards', version: '2.0.0' })).toBe(
      '409 This package is already installed',
    );
    expect(await detail('POST', path, { name: 'other' })).toBe('422 version is required');
    expect(await detail('POST', '/brands/99999/packages', { name: 'x', version: '1' })).toBe(
      '404 Brand not found',
    );
  });

  it('adds a feed source', async () => {
    const { brand_id } = await world.brand();
    const path = `/brands/${brand_id}/feed-sources`;
    const source = { name: 'News', url: 'https://news.example/feed.xml' };
    expect(await ask('POST', path, source)).toEqual({
      status: 201,
      body: {
        feed_source_id: expect.stringMatching(UUID),
        brand_id,
        ...source,
        created_at: expect.stringMatching(TIME),
      },
    });
    expect(await detail('POST', path, { name: 'News' })).toBe('422 url is required');
    expect(await detail('POST', path, { name: 'News', url: 'not a url' })).toBe(
      '422 url must be a valid URL',
    );
    expect(await detail('POST', '/brands/99999/feed-sources', source)).toBe('404 Brand not found');
  });
});

describe('POST /api/v1/admin/catalog, PATCH /api/v1/admin/catalog/{profile_id}', () => {
  it('defaults to published, not a builder and without a deployable template', async () => {
    expect(await ask('POST', '/catalog', { name: 'Tester', description: 'Tests' })).toEqual({
      status: 201,
      body: {
        profile_id: expect.stringMatching(UUID),
        name: 'Tester',
        description: 'Tests',
        published: true,
        builder: false,
        template: null,
        repository: null,
        created_at: expect.stringMatching(TIME),
        updated_at: expect.stringMatching(TIME),
      },
    });
  });

  it('changes any field: absent keeps, null clears, a value sets', async () => {
    const template = { runtime: 'claude_code', instructions: 'Build.', packages: ['boards'] };
    const repository = { url: 'https://git.example/x.git', branch: 'main' };
    const { body } = await ask('POST', '/catalog', {
      name: 'B',
      description: '',
      builder: true,
      template,
      repository,
    });
    const path = `/catalog/${body.profile_id}`;
    expect((await ask('PATCH', path, { published: false })).body).toMatchObject({
      published: false,
      template,
      repository,
    });
    expect((await ask('PATCH', path, { template: null })).body).toMatchObject({ template: null, repository });
    expect((await ask('PATCH', path, { template: {}, name: 'C' })).body).toMatchObject({
      template: {},
      name: 'C',
    });
  });

  it('answers 404 for unknown employees and 422 for invalid fields', async () => {
    expect(await detail('PATCH', `/catalog/${crypto.randomUUID()}`, {})).toBe(
      '404 No catalog employee has that id',
    );
    expect(await detail('PATCH', '/catalog/x', {})).toBe('404 No catalog employee has that id');
    expect(await detail('POST', '/catalog', { description: 'x' })).toBe('422 name is required');
    expect(await detail('POST', '/catalog', { name: 'x', published: 1 })).toBe(
      '422 published must be true or false',
    );
    expect(await detail('POST', '/catalog', { name: 'x', template: 'none' })).toBe(
      '422 template must be an object',
    );
    expect(await detail('POST', '/catalog', { name: 'x', template: { packages: 'boards' } })).toBe(
      '422 template.packages must be a list',
    );
    expect(await detail('POST', '/catalog', { name: 'x', template: { model: 'x' } })).toBe(
      '422 template.model is not a known field',
    );
  });
});

describe('POST /api/v1/admin/jobs/{name}/run', () => {
  it('runs the job now and returns its result', async () => {
    expect(await ask('POST', '/jobs/identity-sweep/run')).toEqual({
      status: 200,
      body: { job: 'identity-sweep', processed: expect.any(Number), failed: 0 },
    });
  });

  it.each(['unknown', 'constructor', '__proto__', '%00', 'x'.repeat(300)])(
    'answers 404 for %s',
    async (name) => {
      expect((await ask('POST', `/jobs/${name}/run`)).status).toBe(404);
    },
  );
});

describe('POST /api/v1/admin/clock', () => {
  const now = async (payload: object) => Date.parse((await ask('POST', '/clock', payload)).body.now);

  it('moves the clock ahead for all parts of the service', async () => {
    const before = await now({});
    const after = await now({ advance_seconds: 3600.5 });
    expect(after - before).toBeGreaterThanOrEqual(3_600_500);
    const brand = (await ask('POST', '/brands', { name: 'Later' })).body;
    expect(Date.parse(brand.created_at)).toBeGreaterThanOrEqual(after);
  });

  it('freezes the clock until it is unfrozen, and can still move it', async () => {
    const frozen = await now({ freeze: true });
    expect(await now({})).toBe(frozen);
    expect(await now({ freeze: true, advance_seconds: 60 })).toBe(frozen + 60_000);
    expect(Date.parse((await ask('POST', '/brands', { name: 'Still' })).body.created_at)).toBe(
      frozen + 60_000,
    );
    const going = await now({ freeze: false });
    expect(going).toBeGreaterThanOrEqual(frozen + 60_000);
    await expect.poll(() => now({})).toBeGreaterThan(going);
  });

  it.each<[object, string]>([
    [{ advance_seconds: -1 }, 'advance_seconds must be from 0 to 316224000'],
    [{ advance_seconds: '5' }, 'advance_seconds must be a number'],
    [{ freeze: 'yes' }, 'freeze must be true or false'],
    [{ seconds: 5 }, 'seconds is not a known field'],
  ])('refuses %j', async (payload, sentence) => {
    expect(await detail('POST', '/clock', payload)).toBe(`422 ${sentence}`);
  });
});

describe('GET /api/v1/admin/audit', () => {
  const read = async (query: string) => (await ask('GET', `/audit?${query}`)).body;

  it('lists actions with their actors, newest first', async () => {
    const { brand, admin, cookie } = await world.workspace();
    const made = await world.inject({
      method: 'POST',
      url: '/api/v1/me/tokens',
      headers: { cookie },
      payload: { name: 'mine', scopes: [] },
    });
    const { items } = await read(`brand_id=${brand.brand_id}`);
    expect(items[0]).toEqual({
      id: expect.any(String),
      at: expect.stringMatching(TIME),
      brand_id: brand.brand_id,
      actor: { kind: 'session', user_id: admin.user_id, token_id: null, agent_id: null },
      action: 'token.created',
      subject: `token:${made.json().token_id}`,
      details: { name: 'mine', scopes: [], user_id: admin.user_id },
      address: '127.0.0.1',
      credential: expect.stringMatching(/^session:/),
      request_id: made.headers['x-request-id'],
    });
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'token.created',
      'session.opened',
      'token.created',
      'member.put',
      'brand.created',
    ]);
    expect(JSON.stringify(items)).not.toMatch(/guild_pat_|argon2|correct horse/);
  });

  it('pages by cursor: returns every entry once even when entries are added, and ends without a cursor', async () => {
    const brand = await world.brand();
    for (let n = 0; n < 6; n++)
      await world.operator('PATCH', `/brands/${brand.brand_id}`, { name: `Name ${n}` });
    const all = (await read(`brand_id=${brand.brand_id}`)).items;
    expect(all).toHaveLength(7);
    const seen: unknown[] = [];
    let page = await read(`brand_id=${brand.brand_id}&limit=3`);
    while (true) {
      seen.push(...page.items);
      await world.operator('PATCH', `/brands/${brand.brand_id}`, { plan: 'free' });
      if (page.next_cursor === null) break;
      page = await read(`brand_id=${brand.brand_id}&limit=3&cursor=${page.next_cursor}`);
    }
    expect(seen).toEqual(all);
    expect((await read(`brand_id=${brand.brand_id}&limit=${7 + 3}`)).next_cursor).toBeNull();
  });
});

describe('Without GUILDHALL_TEST_CLOCK', () => {
  it('the clock endpoint answers 404', async () => {
    const plain = await startTestApp({ env: { GUILDHALL_TEST_CLOCK: '0' } });
    try {
      const answer = await plain.inject({
        method: 'POST',
        url: '/api/v1/admin/clock',
        headers: { 'x-admin-key': ADMIN_KEY },
        payload: { advance_seconds: 5 },
      });
      expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'Not found' }]);
      const anonymous = await plain.inject({ method: 'POST', url: '/api/v1/admin/clock', payload: {} });
      expect(anonymous.statusCode).toBe(401);
    } finally {
      await plain.stop();
    }
  });
});

describe('The last admin', () => {
  it('cannot be demoted by the operator: 409', async () => {
    const { brand, admin } = await world.workspace();
    const path = `/brands/${brand.brand_id}/members/${admin.user_id}`;
    expect(await detail('PUT', path, { role: 'member' })).toBe(
      '409 The last workspace admin cannot be changed to a member',
    );
    expect((await ask('PUT', path, { position: 'Founder' })).body.role).toBe('admin');
    const second = await world.member(brand, { role: 'admin' });
    const answers = await Promise.all(
      [admin, second].map(({ user_id }) =>
        ask('PUT', `/brands/${brand.brand_id}/members/${user_id}`, { role: 'member' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
