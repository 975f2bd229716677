import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answered } from '../../../tests/support/accounts.js';
import { PASSWORD, startTestApp, type World } from '../../../tests/support/app.js';

let world: World;

beforeAll(async () => {
  world = await startTestApp();
});

afterAll(() => world.stop());

const login = (payload: object) => world.inject({ method: 'POST', url: '/api/v1/auth/login', payload });

describe('POST /api/v1/auth/login', () => {
  it('returns user, brand and role and sets the session cookie', async () => {
    const { brand, admin } = await world.workspace();
    const response = await login({ email: admin.email, password: PASSWORD });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      user: { user_id: admin.user_id, email: admin.email, full_name: admin.full_name },
      brand: { brand_id: brand.brand_id, name: brand.name },
      role: 'admin',
    });
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(/^guildhall_session=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/),
      expect.stringMatching(/^guildhall_known=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/),
    ]);
  });

  it('returns the same 401 for a wrong password, an unknown person, no workspace and a foreign workspace', async () => {
    const { admin } = await world.workspace();
    const other = await world.brand();
    const homeless = await world.person();
    const answers = await Promise.all([
      login({ email: admin.email, password: 'wrong password' }),
      login({ email: 'nobody@example.test', password: PASSWORD }),
      login({ email: homeless.email, password: PASSWORD }),
      login({ email: admin.email, password: PASSWORD, brand_id: other.brand_id }),
      login({ email: admin.email, password: PASSWORD, brand_id: 9_999_999_999 }),
    ]);
    for (const answer of answers) {
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toEqual({ detail: 'E-mail address or password is wrong' });
    }
  });

  it('returns 429 with Retry-After for the eleventh failure of an account within 15 minutes, also for concurrent requests', async () => {
    const { admin } = await world.workspace();
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => login({ email: admin.email, password: 'wrong password' })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10);
    const refused = await login({ email: admin.email, password: PASSWORD });
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await world.advance(15 * 60 + 1);
    expect((await login({ email: admin.email, password: PASSWORD })).statusCode).toBe(200);
  });

  it('finds and locks one account under every spelling of its address, and no other', async () => {
    const { brand, admin } = await world.workspace();
    const [name] = admin.email.split('@');
    const spellings = [admin.email.toUpperCase(), `\uFF50${admin.email.slice(1)}`, admin.email];
    for (const email of spellings) expect((await login({ email, password: PASSWORD })).statusCode).toBe(200);
    const attempts = Array.from({ length: 10 }, (_, time) => spellings[time % spellings.length]!);
    for (const email of attempts) await login({ email, password: 'wrong password' });
    for (const email of spellings) expect((await login({ email, password: PASSWORD })).statusCode).toBe(429);

    const person = await world.person({ email: `i${name}@example.test` });
    await world.member(brand, { person });
    for (const letter of ['\u0130', '\u0131']) {
      const answer = await login({ email: `${letter}${name}@example.test`, password: PASSWORD });
      expect(answer.statusCode).toBe(401);
    }
  });

  it('counts only failures', async () => {
    const { admin } = await world.workspace();
    for (let i = 0; i < 12; i++)
      expect((await login({ email: admin.email, password: PASSWORD })).statusCode).toBe(200);
  });

  it('signs a guest in to the workspace of their boards, with access to nothing else there', async () => {
    const { brand } = await world.workspace();
    const guest = await world.person();
    await world.db
      .insertInto('guest_access')
      .values({
        brand_id: brand.brand_id,
        user_id: guest.user_id,
        kind: 'docs',
        resource_id: crypto.randomUUID(),
        role: 'viewer',
        created_at: world.clock.now(),
      })
      .execute();
    const cookie = await world.signIn(guest, brand);
    const session = await world.inject({ url: '/api/v1/auth/session', headers: { cookie } });
    expect(session.json()).toMatchObject({ role: 'guest', scopes: [] });
    expect((await world.inject({ url: '/api/v1/me/tokens', headers: { cookie } })).statusCode).toBe(403);
  });
});

describe('GET /api/v1/auth/session', () => {
  it('returns all five scopes for an admin and all except brand:admin for a member', async () => {
    const { brand, cookie } = await world.workspace();
    const member = await world.member(brand);
    const read = async (header: string) =>
      (await world.inject({ url: '/api/v1/auth/session', headers: { cookie: header } })).json();
    expect((await read(cookie)).scopes).toEqual([
      'brand:read',
      'brand:admin',
      'memory:read',
      'memory:write',
      'code:read',
    ]);
    expect((await read(await world.signIn(member))).scopes).toEqual([
      'brand:read',
      'memory:read',
      'memory:write',
      'code:read',
    ]);
  });
});

describe('POST /api/v1/auth/logout', () => {
  it('ends the session', async () => {
    const { cookie } = await world.workspace();
    expect(
      (await world.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: { cookie } })).statusCode,
    ).toBe(204);
    expect((await world.inject({ url: '/api/v1/auth/session', headers: { cookie } })).statusCode).toBe(401);
  });
});

describe('POST /api/v1/auth/reset-password', () => {
  const reset = (token: string, password: string) =>
    world.inject({ method: 'POST', url: '/api/v1/auth/reset-password', payload: { token, password } });

  it('works once within one hour and ends the sessions but not the tokens', async () => {
    const { admin, cookie, bearer } = await world.workspace();
    const token = await world.app.identity.createPasswordReset(world.db, admin.user_id);
    expect((await reset(token, 'a new password')).statusCode).toBe(200);
    expect((await world.inject({ url: '/api/v1/auth/session', headers: { cookie } })).statusCode).toBe(401);
    expect((await world.inject({ url: '/api/v1/me/token', headers: bearer })).statusCode).toBe(200);
    expect((await login({ email: admin.email, password: PASSWORD })).statusCode).toBe(401);
    expect((await login({ email: admin.email, password: 'a new password' })).statusCode).toBe(200);
    const again = await reset(token, 'another password');
    expect([again.statusCode, again.json()]).toEqual([400, { detail: 'This link is no longer valid' }]);
  });

  it('rejects a link after another link changed the password', async () => {
    const { admin } = await world.workspace();
    const [first, second] = [
      await world.app.identity.createPasswordReset(world.db, admin.user_id),
      await world.app.identity.createPasswordReset(world.db, admin.user_id),
    ];
    expect((await reset(second, 'a new password')).statusCode).toBe(200);
    expect((await reset(first, 'another password')).statusCode).toBe(400);
  });

  it('accepts a link only once when two requests use it at once', async () => {
    const { admin } = await world.workspace();
    const token = await world.app.identity.createPasswordReset(world.db, admin.user_id);
    const answers = await Promise.all([reset(token, 'password one'), reset(token, 'password two')]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
  });
});

describe('/api/v1/me/tokens', () => {
  it('creates, lists and revokes a token of the signed-in person', async () => {
    const { cookie } = await world.workspace();
    const made = await world.inject({
      method: 'POST',
      url: '/api/v1/me/tokens',
      headers: { cookie },
      payload: { name: 'laptop', scopes: ['memory:read'], expires_at: '2099-01-01T00:00:00Z' },
    });
    expect(made.statusCode).toBe(201);
    const { token, token_id } = made.json();
    expect(token).toMatch(/^guild_pat_[A-Za-z0-9-]+_[0-9a-f]{8}$/);

    const bearer = { authorization: `Bearer ${token}` };
    expect((await world.inject({ url: '/api/v1/me/token', headers: bearer })).json()).toMatchObject({
      kind: 'pat',
      scopes: ['memory:read'],
      expires_at: '2099-01-01T00:00:00.000Z',
    });

    const list = (await world.inject({ url: '/api/v1/me/tokens', headers: { cookie } })).json();
    expect(list.total).toBe(2);
    const listed = list.tokens.find((item: { token_id: string }) => item.token_id === token_id);
    expect(listed).toMatchObject({ name: 'laptop', scopes: ['memory:read'] });
    expect(listed.last_used_at).not.toBeNull();
    expect(JSON.stringify(list)).not.toContain(token);

    expect(
      (await world.inject({ method: 'DELETE', url: `/api/v1/me/tokens/${token_id}`, headers: { cookie } }))
        .statusCode,
    ).toBe(204);
    expect((await world.inject({ url: '/api/v1/me/token', headers: bearer })).statusCode).toBe(401);
    expect(
      (await world.inject({ method: 'DELETE', url: `/api/v1/me/tokens/${token_id}`, headers: { cookie } }))
        .statusCode,
    ).toBe(404);
  });

  it("returns 422 for a scope outside the ceiling and 404 for another person's token", async () => {
    const { brand, cookie } = await world.workspace({ scope_ceiling: ['memory:read'] });
    const wide = await world.inject({
      method: 'POST',
      url: '/api/v1/me/tokens',
      headers: { cookie },
      payload: { name: 'x', scopes: ['brand:admin'] },
    });
    expect([wide.statusCode, wide.json()]).toEqual([
      422,
      {
        detail: `scopes: brand:admin is not allowed by this workspace; the operator can allow it with scope_ceiling in PATCH /api/v1/admin/brands/${brand.brand_id}`,
      },
    ]);
    const shown = await world.inject({ url: `/api/v1/brands/${brand.brand_id}`, headers: { cookie } });
    expect(shown.json().scope_ceiling).toEqual(['memory:read']);
    const colleague = await world.member(brand);
    await world.token(brand, colleague, []);
    const [theirs] = await world.db
      .selectFrom('tokens')
      .select('token_id')
      .where('user_id', '=', colleague.user_id)
      .execute();
    expect(
      (
        await world.inject({
          method: 'DELETE',
          url: `/api/v1/me/tokens/${theirs!.token_id}`,
          headers: { cookie },
        })
      ).statusCode,
    ).toBe(404);
  });
});

describe('Tokens', () => {
  const state = async (token: string) =>
    (await world.inject({ url: '/api/v1/me/token', headers: { authorization: `Bearer ${token}` } }))
      .statusCode;

  it('are stored only as SHA-256', async () => {
    const { token } = await world.workspace();
    const rows = JSON.stringify(await world.db.selectFrom('tokens').selectAll().execute());
    expect(rows).not.toContain(token);
  });

  it('expire even while they are cached', async () => {
    const { brand, admin } = await world.workspace();
    const token = await world.token(brand, admin, [], {
      expires_at: new Date(world.clock.now().getTime() + 60_000).toISOString(),
    });
    expect(await state(token)).toBe(200);
    await world.advance(61);
    expect(await state(token)).toBe(401);
  });

  it('lose scopes that the ceiling no longer contains', async () => {
    const { brand, token } = await world.workspace();
    const scopes = async () =>
      (await world.inject({ url: '/api/v1/me/token', headers: { authorization: `Bearer ${token}` } })).json()
        .scopes;
    expect(await scopes()).toContain('brand:admin');
    await world.operator('PATCH', `/brands/${brand.brand_id}`, { scope_ceiling: ['brand:read'] });
    expect(await scopes()).toEqual(['brand:read']);
  });

  it('end when the person leaves, and stay ended after rejoining', async () => {
    const { brand } = await world.workspace();
    const person = await world.member(brand);
    const token = await world.token(brand, person);
    const cookie = await world.signIn(person);
    expect(await state(token)).toBe(200);
    await world.operator('DELETE', `/brands/${brand.brand_id}/members/${person.user_id}`);
    expect(await state(token)).toBe(401);
    await world.member(brand, { person });
    expect(await state(token)).toBe(401);
    expect((await world.inject({ url: '/api/v1/auth/session', headers: { cookie } })).statusCode).toBe(401);
  });
});

describe('POST /api/v1/invitations/{token}/accept', () => {
  async function invite(email: string, brandId: number) {
    const secret = crypto.randomUUID();
    const { sha256Hex } = await import('../../kernel/secrets.js');
    const now = world.clock.now();
    await world.db
      .insertInto('invitations')
      .values({
        brand_id: brandId,
        email,
        token_hash: sha256Hex(secret),
        status: 'pending',
        created_at: now,
        expires_at: new Date(now.getTime() + 7 * 86_400_000),
      })
      .execute();
    return secret;
  }
  const accept = (token: string, payload: object = {}, cookie?: string) =>
    world.inject({
      method: 'POST',
      url: `/api/v1/invitations/${token}/accept`,
      payload,
      headers: cookie ? { cookie } : {},
    });

  it('uses the given full_name for a new person, also for one without an auth account', async () => {
    const { brand } = await world.workspace();
    const bare = await world.person({ password: undefined });
    for (const email of ['newcomer@example.test', bare.email]) {
      const token = await invite(email, brand.brand_id);
      const body = { full_name: 'Chosen Name', password: 'a good password' };
      expect((await accept(token, body)).statusCode).toBe(200);
      const { user } = (await login({ email, password: body.password })).json();
      expect(user.full_name).toBe('Chosen Name');
    }
  });

  it('returns 403 for an email that differs only in ß and ss, and creates no second account', async () => {
    const { brand } = await world.workspace();
    const person = await world.member(await world.brand());
    const bare = await world.person({ password: null });
    for (const { email } of [person, bare]) {
      const token = await invite(`\uFF50${email.slice(1)}`, brand.brand_id);
      expect(answered(await accept(token, {}, await world.signIn(person)))).toEqual([
        403,
        { detail: 'This invitation is for another e-mail address' },
      ]);
      expect(
        answered(await accept(token, { full_name: 'Somebody Else', password: 'a good password' })),
      ).toEqual([409, { detail: 'An account exists whose e-mail address reads the same' }]);
      const offer = await world.inject({ url: `/api/v1/invitations/${token}` });
      expect(offer.json().new_person).toBe(true);
    }
    expect((await login({ email: bare.email, password: 'a good password' })).statusCode).toBe(401);
  });

  it('makes a new person a member who can sign in', async () => {
    const { brand } = await world.workspace();
    const token = await invite('new@example.test', brand.brand_id);
    expect((await accept(token)).json()).toEqual({ detail: 'full_name is required' });
    const accepted = await accept(token, { full_name: 'New Person', password: 'a good password' });
    expect([accepted.statusCode, accepted.json()]).toEqual([
      200,
      { brand_id: brand.brand_id, role: 'member' },
    ]);
    expect((await login({ email: 'new@example.test', password: 'a good password' })).statusCode).toBe(200);
    expect((await accept(token, { full_name: 'New Person', password: 'a good password' })).statusCode).toBe(
      400,
    );
  });

  it('turns guest access into membership for the signed-in invited person', async () => {
    const { brand } = await world.workspace();
    const home = await world.brand();
    const guest = await world.member(home);
    await world.db
      .insertInto('guest_access')
      .values({
        brand_id: brand.brand_id,
        user_id: guest.user_id,
        kind: 'docs',
        resource_id: crypto.randomUUID(),
        role: 'viewer',
        created_at: world.clock.now(),
      })
      .execute();
    const token = await invite(guest.email, brand.brand_id);
    expect((await accept(token, { full_name: 'X', password: 'a good password' })).statusCode).toBe(401);
    expect((await accept(token, {}, await world.signIn(guest))).statusCode).toBe(200);
    expect(
      await world.db.selectFrom('guest_access').selectAll().where('user_id', '=', guest.user_id).execute(),
    ).toEqual([]);
  });

  it('creates one person for two invitations accepted at once; the second asks them to sign in', async () => {
    const brands = [await world.brand(), await world.brand()];
    const email = 'twice@example.test';
    const tokens = await Promise.all(brands.map(({ brand_id }) => invite(email, brand_id)));
    const person = { full_name: 'Twice Invited', password: 'a good password' };
    const answers = await Promise.all(tokens.map((token) => accept(token, person)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
    const left = tokens[answers.findIndex(({ statusCode }) => statusCode === 401)]!;
    const signedIn = await login({ email, password: person.password });
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
    expect((await accept(left, {}, cookie)).statusCode).toBe(200);
  });

  it('returns 403 for other people and 400 for an expired or unknown token', async () => {
    const { brand, cookie } = await world.workspace();
    const token = await invite('someone@example.test', brand.brand_id);
    expect((await accept(token, {}, cookie)).statusCode).toBe(403);
    await world.advance(7 * 86_400);
    expect((await accept(token)).statusCode).toBe(400);
    expect((await accept('unknown')).statusCode).toBe(400);
  });
});
