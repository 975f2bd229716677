import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, PASSWORD, startTestApp, type World } from '../../../tests/support/app.js';
import { startFakeRedis } from '../../../tests/support/fake-redis.js';
import { startOwnPostgres } from '../../../tests/support/own-postgres.js';
import { newToken, sha256Hex } from '../../kernel/secrets.js';

/** The documented limit is two seconds. */
const TWO_SECONDS_AND_A_BIT = 2_500;
/** Allowance in milliseconds for timers that fire late on a busy machine. */
const TURNS = 500;
const RECOVERY = { timeout: 120_000, interval: 200 };

let world: World;

beforeAll(async () => {
  world = await startTestApp({ env: { LOG_LEVEL: 'trace' } });
});

afterAll(() => world.stop());

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function health({ inject }: World) {
  let late = false;
  const limit = setTimeout(async () => {
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    late = true;
  }, TWO_SECONDS_AND_A_BIT);
  const answer = await inject({ url: '/api/v1/system/health' });
  clearTimeout(limit);
  return { status: answer.statusCode, body: answer.json(), late };
}

const statusOf = async (node: World) => (await health(node)).status;

describe('GET /api/v1/system/health', () => {
  it('is public and answers 200 healthy when the database and the cache respond', async () => {
    const { status, body } = await health(world);
    expect([status, body]).toEqual([
      200,
      {
        status: 'healthy',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        services: { database: 'connected', redis: 'connected' },
      },
    ]);
  });

  it('answers all callers 503 degraded within 2 s while the database hangs, and recovers', async () => {
    const postgres = await startOwnPostgres();
    cleanups.push(() => postgres.end());
    const node = await startTestApp({ database: postgres.database });
    cleanups.push(() => node.stop());
    expect(await statusOf(node)).toBe(200);

    postgres.freeze();
    for (const { status, body, late } of await Promise.all(Array.from({ length: 30 }, () => health(node)))) {
      expect(status).toBe(503);
      expect(body).toMatchObject({
        status: 'degraded',
        services: { database: 'unreachable', redis: 'connected' },
      });
      expect(late).toBe(false);
    }
    postgres.thaw();
    await expect.poll(() => statusOf(node), RECOVERY).toBe(200);
  });

  it('answers 503 like other routes while the database is down, and recovers without a crash', async () => {
    const postgres = await startOwnPostgres();
    cleanups.push(() => postgres.end());
    const node = await startTestApp({ database: postgres.database });
    cleanups.push(() => node.stop());
    const { brand, admin, bearer } = await node.workspace();

    await postgres.goAway();
    const away = await health(node);
    expect([away.status, away.body.services.database]).toEqual([503, 'unreachable']);
    expect(away.late).toBe(false);
    for (const request of [
      { url: '/api/v1/me/tokens', headers: { cookie: 'guildhall_session=x' } },
      { url: `/api/v1/admin/brands/${brand.brand_id}`, headers: { 'x-admin-key': ADMIN_KEY } },
    ]) {
      const answer = await node.inject(request);
      expect([answer.statusCode, answer.json()]).toEqual([
        503,
        { detail: 'The database is not reachable; try again shortly' },
      ]);
      expect(answer.headers['retry-after']).toBe('2');
    }
    expect((await node.inject({ url: '/api/v1/system/info' })).statusCode).toBe(200);
    // Attempts that fail without a database do not count as failed sign-ins.
    for (let n = 0; n < 11; n++) await expect(node.signIn(admin)).rejects.toThrow('503');

    await postgres.comeBack();
    await expect.poll(() => statusOf(node), RECOVERY).toBe(200);
    expect((await node.inject({ url: '/api/v1/me/token', headers: bearer })).statusCode).toBe(200);
    expect(await node.signIn(admin)).toContain('guildhall_session=');
  });

  it('answers 503 within 2 s when Redis hangs at start or later, and recovers', async () => {
    const redis = await startFakeRedis({ silent: true });
    cleanups.push(() => redis.stop());
    const node = await startTestApp({ env: { REDIS_URL: redis.url } });
    cleanups.push(() => node.stop());
    const expectDegraded = async () => {
      const { status, body, late } = await health(node);
      expect([status, body.services]).toEqual([503, { database: 'connected', redis: 'unreachable' }]);
      expect(late).toBe(false);
    };
    await expectDegraded();
    redis.speak();
    await expect.poll(() => statusOf(node), RECOVERY).toBe(200);
    redis.fallSilent();
    await expectDegraded();
    redis.speak();
    await expect.poll(() => statusOf(node), RECOVERY).toBe(200);
  });

  it('answers 503 when Redis is unreachable, while the service runs without it', async () => {
    const node = await startTestApp({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
    cleanups.push(() => node.stop());
    expect((await health(node)).body.services).toEqual({ database: 'connected', redis: 'unreachable' });
    const { bearer } = await node.workspace();
    expect((await node.inject({ url: '/api/v1/me/token', headers: bearer })).statusCode).toBe(200);
  });
});

describe('GET /api/v1/system/info', () => {
  it("is public and returns the service's name, version, environment and link to the docs", async () => {
    const answer = await world.inject({ url: '/api/v1/system/info' });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        name: 'guildhall',
        version: expect.stringMatching(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
        environment: 'development',
        docs_url: '/docs',
      },
    ]);
  });
});

describe('GET /metrics', () => {
  it('requires the admin key and returns Prometheus format by declared route', async () => {
    await world.inject({ url: '/api/v1/admin/brands/77', headers: { 'x-admin-key': ADMIN_KEY } });
    const { bearer, cookie } = await world.workspace();
    for (const headers of [{}, bearer, { cookie }, { 'x-admin-key': 'wrong' }])
      expect((await world.inject({ url: '/metrics', headers })).statusCode).toBe(401);
    const answer = await world.inject({ url: '/metrics', headers: { 'x-admin-key': ADMIN_KEY } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.body).toMatch(
      /guildhall_http_request_duration_seconds_count\{method="GET",route="[^"]*brands\/:brand_id"/,
    );
    expect(answer.body).not.toContain('brands/77');
  });
});

describe('Log', () => {
  it('contains no token, password, hash, cookie, SQL or stack trace for any request', async () => {
    const secrets = ['a secret new password', 'a wrong password', PASSWORD, ADMIN_KEY];
    const keep = (secret: string) => {
      secrets.push(secret);
      return secret;
    };
    const { admin, brand, token, bearer, cookie } = await world.workspace();
    const session = cookie.split('=')[1]!;
    for (const each of [token, session]) secrets.push(each, sha256Hex(each));
    const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
      world.inject({ method: 'POST', url, payload, headers });

    await post('/api/v1/auth/login', { email: admin.email, password: 'a wrong password' });
    await post('/api/v1/auth/login', { email: admin.email, password: PASSWORD });
    const made = await post('/api/v1/me/tokens', { name: 'new', scopes: [] }, { cookie });
    keep(made.json().token);
    const reset = keep(await world.app.identity.createPasswordReset(world.db, admin.user_id));
    await post('/api/v1/auth/reset-password', { token: 'x', password: 'a secret new password' });
    await post('/api/v1/auth/reset-password', { token: reset, password: 'a secret new password' });
    await post(`/api/v1/invitations/${keep('an-invitation-secret')}/accept`, {
      full_name: 'X',
      password: PASSWORD,
    });
    await world.inject({ url: `/api/v1/me/token?access=${token}`, headers: bearer });
    await world.inject({
      url: `/nowhere/${token}`,
      headers: { authorization: `Bearer ${newToken('guild_pat_')}` },
    });
    await world.inject({ url: '/api/v1/admin/audit', headers: { 'x-admin-key': keep('a-wrong-admin-key') } });
    const path = `/api/v1/admin/brands/${brand.brand_id}/packages`;
    const twice = { name: 'package', version: '1' };
    await post(path, twice, { 'x-admin-key': ADMIN_KEY });
    await post(path, twice, { 'x-admin-key': ADMIN_KEY });

    const lines = world.logLines.join('');
    expect(world.logLines.length).toBeGreaterThan(15);
    for (const secret of secrets) expect(lines).not.toContain(secret);
    expect(lines).not.toMatch(/argon2|guild_pat_\w|guildhall_session/);
    expect(lines).not.toMatch(/\b(select|insert into|update|delete from)\b.+\b(from|values|set|where)\b/i);
    expect(lines).not.toMatch(/\\n\s+at /);
  });

  it('names the kind of an unexpected error, while the response is only `Internal error`', async () => {
    const node = await startTestApp({ env: { LOG_LEVEL: 'info' } });
    cleanups.push(() => node.stop());
    const brand = await node.brand();
    await sql`alter table feed_sources rename column url to address`.execute(node.db);
    const answer = await node.inject({
      method: 'POST',
      url: `/api/v1/admin/brands/${brand.brand_id}/feed-sources`,
      headers: { 'x-admin-key': ADMIN_KEY, 'x-request-id': 'the-fault' },
      payload: { name: 'x', url: 'https://secret.example/feed' },
    });
    expect([answer.statusCode, answer.json()]).toEqual([500, { detail: 'Internal error' }]);
    expect(answer.headers['x-request-id']).toBe('the-fault');
    const faults = node.logLines.map((line) => JSON.parse(line)).filter(({ err }) => err);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ reqId: 'the-fault', msg: 'request failed', err: { code: '42703' } });
    expect(node.logLines.join()).not.toMatch(/secret\.example|insert into|\\n\s+at /);
  });
});
