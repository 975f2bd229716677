import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf } from '../../../../tests/support/accounts.js';
import { startTestApp, type TestBrand, type TestPerson, type World } from '../../../../tests/support/app.js';

let world: World;
let accounts: ReturnType<typeof accountsOf>;

beforeAll(async () => {
  world = await startTestApp();
  accounts = accountsOf(world);
});
afterAll(() => world.stop());

const DAY = 86_400;
const list = async (cookie: string) =>
  (await accounts.ask('GET', '/me/sessions', undefined, { cookie })).json();
const status = async (cookie: string) =>
  (await accounts.ask('GET', '/auth/session', undefined, { cookie })).statusCode;

describe('GET and DELETE /api/v1/me/sessions', () => {
  it('lists own sessions with address and agent and marks the current one', async () => {
    const { admin, cookie } = await world.workspace();
    const agent = `Browser\t1 ${'x'.repeat(500)}`;
    const second = await accounts.login(admin.email, undefined, { 'user-agent': agent }, '192.0.2.7');
    expect(second.statusCode).toBe(200);
    const { sessions, total } = await list(cookie);
    expect(total).toBe(2);
    expect(sessions[0]).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      address: '192.0.2.7',
      agent: expect.stringMatching(/^Browser 1 x{100,}$/),
      current: false,
    });
    expect(sessions[0].agent.length).toBeLessThanOrEqual(200);
    expect(sessions[1]).toMatchObject({ address: '127.0.0.1', current: true });
  });

  it("ends one session at once and returns 404 for another person's or an unknown one", async () => {
    const { brand, admin, cookie } = await world.workspace();
    const other = await world.workspace();
    const second = await world.signIn(admin, brand);
    const { sessions } = await list(second);
    const end = (id: string, by = cookie) =>
      accounts.ask('DELETE', `/me/sessions/${id}`, undefined, { cookie: by });
    const own = sessions.find(({ current }: { current: boolean }) => current).session_id;
    for (const id of [own, 'no-uuid', '00000000-0000-7000-8000-000000000000'])
      expect((await end(id, other.cookie)).statusCode).toBe(404);
    expect((await end(own)).statusCode).toBe(204);
    expect([await status(second), await status(cookie)]).toEqual([401, 200]);
    expect((await end(own)).statusCode).toBe(404);
  });

  it('ends all other sessions without an id', async () => {
    const { brand, admin, cookie } = await world.workspace();
    const others = [await world.signIn(admin, brand), await world.signIn(admin, brand)];
    const stranger = await world.workspace();
    const ended = await accounts.ask('DELETE', '/me/sessions', undefined, { cookie });
    expect(ended.statusCode).toBe(204);
    for (const each of others) expect(await status(each)).toBe(401);
    expect([await status(cookie), await status(stranger.cookie)]).toEqual([200, 200]);
    expect((await list(cookie)).total).toBe(1);
  });
});

describe('Session', () => {
  it('lasts 30 days from its last use and 90 days in total', async () => {
    const { cookie } = await world.workspace();
    for (const days of [29, 29, 29]) {
      await world.advance(days * DAY);
      expect(await status(cookie)).toBe(200);
    }
    await world.advance(3 * DAY - 60);
    expect(await status(cookie)).toBe(200);
    await world.advance(61);
    expect(await status(cookie)).toBe(401);
  });

  it('keeps its last use across nodes and restarts without a write per request', async () => {
    const { cookie } = await world.workspace();
    const before = (await list(cookie)).sessions[0].last_seen_at;
    await world.advance(30);
    expect((await list(cookie)).sessions[0].last_seen_at).toBe(before);
    await world.advance(20 * DAY);
    const seen = (await list(cookie)).sessions[0].last_seen_at;
    expect(seen > before).toBe(true);
    const other = await startTestApp({ database: world.database });
    other.clock.restore(world.clock.state);
    other.clock.advance(20 * DAY);
    const asked = await other.inject({ url: '/api/v1/auth/session', headers: { cookie } });
    await other.stop();
    expect(asked.statusCode).toBe(200);
  });

  it('is extended by an unwritten use, even after caches were cleared or sessions swept', async () => {
    const { cookie, brand } = await world.workspace();
    await world.advance(29 * DAY);
    expect(await status(cookie)).toBe(200);
    await world.operator('PATCH', `/brands/${brand.brand_id}`, { name: 'Renamed' });
    await world.advance(29 * DAY);
    expect(await status(cookie)).toBe(200);
    await world.advance(29 * DAY);
    await world.runJob('identity-sweep');
    await world.operator('PATCH', `/brands/${brand.brand_id}`, { name: 'Renamed again' });
    expect(await status(cookie)).toBe(200);
  });

  it('replaces the oldest one beyond 50 sessions of a person', async () => {
    const { brand, admin, cookie } = await world.workspace();
    const rows = Array.from({ length: 48 }, (_, index) => sessionRow(brand, admin, index));
    await world.db.insertInto('sessions').values(rows).execute();
    const second = await world.signIn(admin, brand);
    expect((await list(second)).total).toBe(50);
    expect(await status(cookie)).toBe(200);
    const third = await world.signIn(admin, brand);
    expect((await list(third)).total).toBe(50);
    expect([await status(cookie), await status(second)]).toEqual([401, 200]);
  });
});

/** Each row is slightly newer than the previous one. */
const sessionRow = (brand: TestBrand, person: TestPerson, index: number) => ({
  session_id: crypto.randomUUID(),
  secret_hash: crypto.randomUUID(),
  user_id: person.user_id,
  brand_id: brand.brand_id,
  created_at: new Date(world.clock.now().getTime() + index),
  expires_at: new Date(world.clock.now().getTime() + DAY * 1000),
});

describe('Sign-in limits', () => {
  it('count distinct accounts per address, so that many people behind one can mistype', async () => {
    const { admin } = await world.workspace();
    const address = '198.51.100.1';
    const fail = (email: string) => accounts.login(email, 'not the password', {}, address);
    for (let person = 0; person < 99; person += 1)
      expect((await fail(`nobody${person}@example.test`)).statusCode).toBe(401);
    for (let time = 0; time < 9; time += 1) await fail('nobody1@example.test');
    expect((await accounts.login(admin.email, undefined, {}, address)).statusCode).toBe(200);
    expect((await fail('nobody99@example.test')).statusCode).toBe(401);
    const refused = await accounts.login(admin.email, undefined, {}, address);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // Other addresses are not affected.
    expect((await accounts.login(admin.email, undefined, {}, '198.51.100.2')).statusCode).toBe(200);
    await world.advance(15 * 60 + 1);
    expect((await accounts.login(admin.email, undefined, {}, address)).statusCode).toBe(200);
  });

  it('give a browser that signed in before its own count', async () => {
    const { admin } = await world.workspace();
    const { guildhall_known } = accounts.cookiesOf(await accounts.login(admin.email));
    const known = { cookie: `guildhall_known=${guildhall_known}` };
    for (let time = 0; time < 10; time += 1) await accounts.login(admin.email, 'not the password');
    expect((await accounts.login(admin.email)).statusCode).toBe(429);
    expect((await accounts.login(admin.email, undefined, known)).statusCode).toBe(200);

    for (let time = 0; time < 10; time += 1)
      expect((await accounts.login(admin.email, 'not the password', known)).statusCode).toBe(401);
    expect((await accounts.login(admin.email, undefined, known)).statusCode).toBe(429);
  });

  it('count failures of a known browser for the account too, and treat it as known only for its own accounts', async () => {
    const { admin } = await world.workspace();
    const other = await world.workspace();
    const known = async (email: string) =>
      `guildhall_known=${accounts.cookiesOf(await accounts.login(email))['guildhall_known']}`;
    const mine = { cookie: await known(admin.email) };
    for (let time = 0; time < 10; time += 1) await accounts.login(admin.email, 'not the password', mine);
    expect((await accounts.login(admin.email)).statusCode).toBe(429);

    for (let time = 0; time < 10; time += 1) await accounts.login(other.admin.email, 'not the password');
    expect((await accounts.login(other.admin.email, undefined, mine)).statusCode).toBe(429);
    const forged = { cookie: `${mine.cookie.slice(0, -2)}AA` };
    expect((await accounts.login(admin.email, undefined, forged)).statusCode).toBe(429);
  });
});

describe('Sign-in audit', () => {
  it('records sign-ins, sign-outs, failures and lockouts with the address in every workspace of the person', async () => {
    const { brand, admin } = await world.workspace();
    const other = await world.workspace();
    await world.member(other.brand, { person: admin });
    const address = '203.0.113.9';
    const opened = await accounts.login(admin.email, undefined, {}, address);
    const cookie = `guildhall_session=${accounts.cookiesOf(opened)['guildhall_session']}`;
    await accounts.ask('POST', '/auth/logout', undefined, { cookie });
    for (let time = 0; time < 13; time += 1) await accounts.login(admin.email, 'wrong', {}, address);

    for (const brandId of [brand.brand_id, other.brand.brand_id]) {
      const entries = await accounts.audit(brandId);
      const failed = entries.filter(({ action }) => action === 'sign-in.failed');
      expect(failed).toHaveLength(10);
      expect(failed[0]).toMatchObject({ subject: `user:${admin.user_id}`, actor_user_id: null, address });
      expect(entries.filter(({ action }) => action === 'sign-in.locked')).toHaveLength(1);
    }
    const own = await accounts.audit(brand.brand_id);
    expect(own.find(({ action }) => action === 'session.opened')).toMatchObject({
      actor_user_id: admin.user_id,
      address,
      credential: expect.stringMatching(/^session:/),
    });
    expect(own.find(({ action }) => action === 'session.closed')).toMatchObject({
      actor_user_id: admin.user_id,
      credential: expect.stringMatching(/^session:/),
    });
  });

  it('records the lockout of an address once, for the operator only', async () => {
    const { brand, admin } = await world.workspace();
    const address = '203.0.113.77';
    const knock = (email: string) => accounts.login(email, 'wrong', {}, address);
    for (let number = 0; number < 100; number += 1) await knock(`knock${number}@example.test`);
    for (const email of [admin.email, 'knock-a@example.test', 'knock-b@example.test'])
      expect((await knock(email)).statusCode).toBe(429);
    const { rows } = await world.database.pool.query(
      "select brand_id, subject from audit_log where action = 'sign-in.locked' and address = $1",
      [address],
    );
    expect(rows).toEqual([{ brand_id: null, subject: 'user:unknown' }]);
    const told = (await accounts.audit(brand.brand_id)).map(({ action }) => action);
    expect(told).not.toContain('sign-in.locked');
  });

  it('does not store a typed name that no account has', async () => {
    await accounts.login('typed-by-somebody@example.test', 'wrong');
    const { rows } = await world.database.pool.query('select * from audit_log');
    expect(JSON.stringify(rows)).not.toContain('typed-by-somebody');
  });
});

describe('SESSION_IDLE_DAYS and SESSION_MAX_DAYS', () => {
  it('shorten both lifetimes', async () => {
    const node = await startTestApp({ env: { SESSION_IDLE_DAYS: '1', SESSION_MAX_DAYS: '2' } });
    const { cookie, admin } = await node.workspace();
    const read = async (header: string) =>
      (await node.inject({ url: '/api/v1/auth/session', headers: { cookie: header } })).statusCode;
    await node.advance(DAY - 60);
    expect(await read(cookie)).toBe(200);
    await node.advance(DAY - 60);
    expect(await read(cookie)).toBe(200);
    await node.advance(121);
    expect(await read(cookie)).toBe(401);
    const idle = await node.signIn(admin);
    await node.advance(DAY);
    expect(await read(idle)).toBe(401);
    await node.stop();
  });
});
