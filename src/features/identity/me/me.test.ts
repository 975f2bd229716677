import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, answered } from '../../../../tests/support/accounts.js';
import { PASSWORD, startTestApp, type World } from '../../../../tests/support/app.js';

let world: World;
let accounts: ReturnType<typeof accountsOf>;

beforeAll(async () => {
  world = await startTestApp();
  accounts = accountsOf(world);
});
afterAll(() => world.stop());

const NEW = 'a longer new secret';

describe('GET /api/v1/me', () => {
  it('returns user, brand, role, workspaces, mfa and sign_in for a session and a token', async () => {
    const { brand, admin, bearer, cookie } = await world.workspace({ plan: 'business' });
    const other = await world.workspace();
    await world.member(other.brand, { person: admin });
    const me = {
      user: { user_id: admin.user_id, email: admin.email, full_name: admin.full_name, kind: 'person' },
      brand: { brand_id: brand.brand_id, name: brand.name, plan: 'business' },
      role: 'admin',
      workspaces: [
        { brand_id: brand.brand_id, name: brand.name, role: 'admin' },
        { brand_id: other.brand.brand_id, name: other.brand.name, role: 'member' },
      ],
      mfa: { totp: false, recovery_codes_left: 0 },
      sign_in: ['password'],
      agent: null,
    };
    expect(answered(await accounts.ask('GET', '/me', undefined, { cookie }))).toEqual([200, me]);
    expect(answered(await accounts.ask('GET', '/me', undefined, bearer))).toEqual([200, me]);
    expect((await accounts.ask('GET', '/me')).statusCode).toBe(401);
  });
});

describe('PATCH /api/v1/me', () => {
  const patch = (cookie: string, body: object) => accounts.ask('PATCH', '/me', body, { cookie });

  it('changes the name at once in all workspaces', async () => {
    const { cookie, bearer } = await world.workspace();
    const changed = await patch(cookie, { full_name: 'Ada Neu' });
    expect([changed.statusCode, changed.json().user.full_name]).toEqual([200, 'Ada Neu']);
    expect((await accounts.ask('GET', '/me', undefined, bearer)).json().user.full_name).toBe('Ada Neu');
  });

  it('changes the password and ends all other sessions but no tokens', async () => {
    const { brand, admin, cookie, bearer } = await world.workspace();
    const elsewhere = await world.signIn(admin, brand);
    expect((await patch(cookie, { password: { current: PASSWORD, new: NEW } })).statusCode).toBe(200);
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).statusCode).toBe(200);
    expect((await accounts.ask('GET', '/me', undefined, { cookie: elsewhere })).statusCode).toBe(401);
    expect((await accounts.ask('GET', '/me', undefined, bearer)).statusCode).toBe(200);
    expect((await accounts.login(admin.email)).statusCode).toBe(401);
    expect((await accounts.login(admin.email, NEW)).statusCode).toBe(200);
    const actions = (await accounts.audit(brand.brand_id)).map(({ action }) => action);
    expect(actions).toContain('password.changed');
  });

  it('returns 400 for a wrong current password and counts it as a failed sign-in', async () => {
    const { admin, cookie } = await world.workspace();
    const wrong = { password: { current: 'not the password', new: NEW } };
    for (let time = 0; time < 10; time += 1) expect((await patch(cookie, wrong)).statusCode).toBe(400);
    expect((await patch(cookie, wrong)).statusCode).toBe(429);
    expect((await accounts.login(admin.email)).statusCode).toBe(429);
  });
});

describe('POST /api/v1/auth/switch', () => {
  const change = (cookie: string, brandId: unknown) =>
    accounts.ask('POST', '/auth/switch', { brand_id: brandId }, { cookie });

  it('returns a new session of that workspace and ends the old one', async () => {
    const { admin, cookie } = await world.workspace();
    const other = await world.workspace();
    await world.member(other.brand, { person: admin });
    const switched = await change(cookie, other.brand.brand_id);
    expect(answered(switched)).toEqual([
      200,
      {
        user: { user_id: admin.user_id, email: admin.email, full_name: admin.full_name },
        brand: { brand_id: other.brand.brand_id, name: other.brand.name },
        role: 'member',
      },
    ]);
    const fresh = `guildhall_session=${accounts.cookiesOf(switched)['guildhall_session']}`;
    expect((await accounts.ask('GET', '/me', undefined, { cookie: fresh })).json().brand.brand_id).toBe(
      other.brand.brand_id,
    );
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).statusCode).toBe(401);
  });

  it('returns 404 for a workspace of other people and keeps the session', async () => {
    const { cookie } = await world.workspace();
    const foreign = await world.brand();
    for (const brandId of [foreign.brand_id, 999_999, 0, -1, 99_999_999_999])
      expect(answered(await change(cookie, brandId))).toEqual([404, { detail: 'Brand not found' }]);
    expect((await change(cookie, '1')).statusCode).toBe(422);
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).statusCode).toBe(200);
  });

  it('does not extend a session beyond 90 days from sign-in', async () => {
    const { brand, cookie: first } = await world.workspace();
    let cookie = first;
    for (let month = 0; month < 3; month += 1) {
      await world.advance(29 * 86_400);
      const { guildhall_session } = accounts.cookiesOf(await change(cookie, brand.brand_id));
      cookie = `guildhall_session=${guildhall_session}`;
    }
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).statusCode).toBe(200);
    await world.advance(3 * 86_400 + 1);
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).statusCode).toBe(401);
  });
});

describe('require_mfa', () => {
  const REFUSED = { detail: 'Set up two-factor sign-in first' };
  const demand = (workspace: { brand: { brand_id: number }; bearer: object }, on: boolean) =>
    world.inject({
      method: 'PATCH',
      url: `/api/v1/brands/${workspace.brand.brand_id}`,
      headers: { ...workspace.bearer },
      payload: { require_mfa: on },
    });

  it("limits a session without TOTP, and the person's tokens, to /me… and /auth/… until it is set up", async () => {
    const home = await world.workspace();
    const { brand, cookie, bearer } = home;
    expect((await demand(home, true)).json()).toMatchObject({ require_mfa: true });
    for (const headers of [{ cookie }, bearer]) {
      expect(
        answered(await accounts.ask('GET', `/brands/${brand.brand_id}/members`, undefined, headers)),
      ).toEqual([403, REFUSED]);
      expect(answered(await accounts.ask('GET', '/memory/agents', undefined, headers))).toEqual([
        403,
        REFUSED,
      ]);
      expect((await accounts.ask('GET', '/me', undefined, headers)).statusCode).toBe(200);
      expect((await accounts.ask('GET', '/me/token', undefined, headers)).statusCode).toBe(200);
    }
    const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const agent = { ...bearer, accept: 'application/json, text/event-stream' };
    const asked = () => world.inject({ method: 'POST', url: '/mcp', headers: agent, payload: mcp });
    expect(answered(await asked())).toEqual([403, REFUSED]);
    expect((await accounts.ask('GET', '/auth/session', undefined, { cookie })).statusCode).toBe(200);

    await accounts.setUpTotp(cookie);
    for (const headers of [{ cookie }, bearer])
      expect(
        (await accounts.ask('GET', `/brands/${brand.brand_id}/members`, undefined, headers)).statusCode,
      ).toBe(200);
    expect((await asked()).statusCode).toBe(200);

    expect(
      (await accounts.ask('DELETE', '/me/mfa/totp', { password: PASSWORD }, { cookie })).statusCode,
    ).toBe(204);
    expect((await accounts.ask('GET', '/memory/agents', undefined, bearer)).statusCode).toBe(403);
  });

  it('can be turned off by an admin with TOTP, and does not affect other workspaces', async () => {
    const home = await world.workspace();
    const other = await world.workspace();
    const member = await world.member(home.brand);
    const token = { authorization: `Bearer ${await world.token(home.brand, member)}` };
    await accounts.setUpTotp(home.cookie);
    await demand(home, true);
    expect((await accounts.ask('GET', '/memory/agents', undefined, token)).statusCode).toBe(403);
    expect((await accounts.ask('GET', '/memory/agents', undefined, other.bearer)).statusCode).toBe(200);
    // The workspace in the path is checked first.
    const foreign = `/brands/${other.brand.brand_id}/members`;
    expect((await accounts.ask('GET', foreign, undefined, token)).statusCode).toBe(404);
    expect((await demand(home, false)).statusCode).toBe(200);
    expect((await accounts.ask('GET', '/memory/agents', undefined, token)).statusCode).toBe(200);
  });
});

describe('/api/v1/brands/{brand_id}', () => {
  it('returns the workspace to any member with brand:read', async () => {
    const { brand, bearer } = await world.workspace({ plan: 'free' });
    const read = await accounts.ask('GET', `/brands/${brand.brand_id}`, undefined, bearer);
    expect(answered(read)).toEqual([
      200,
      {
        brand_id: brand.brand_id,
        name: brand.name,
        plan: 'free',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        require_mfa: false,
        scope_ceiling: ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'],
        timezone: 'UTC',
      },
    ]);
    const member = await world.member(brand);
    const scopeless = { authorization: `Bearer ${await world.token(brand, member, ['memory:read'])}` };
    expect((await accounts.ask('GET', `/brands/${brand.brand_id}`, undefined, scopeless)).statusCode).toBe(
      403,
    );
  });

  it('lets an admin rename it with immediate effect; {} returns 400 and a member gets 403', async () => {
    const { brand, bearer, cookie } = await world.workspace();
    const patch = (body: object, headers: Record<string, string> = bearer) =>
      accounts.ask('PATCH', `/brands/${brand.brand_id}`, body, headers);
    expect((await patch({ name: 'New name' })).json()).toMatchObject({
      name: 'New name',
      require_mfa: false,
    });
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).json().brand.name).toBe('New name');
    expect(answered(await patch({}))).toEqual([400, { detail: 'No fields to update' }]);
    for (const body of [
      { name: '' },
      { name: ' ' },
      { name: 'x'.repeat(201) },
      { plan: 'enterprise' },
      { require_mfa: 'yes' },
    ])
      expect((await patch(body)).statusCode).toBe(422);
    const member = { cookie: await world.signIn(await world.member(brand)) };
    expect((await patch({ name: 'X' }, member)).statusCode).toBe(403);
  });
});
