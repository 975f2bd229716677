import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.js';
import { migrate } from '../../src/platform/database/schema/migrate.js';
import { PASSWORD, startTestApp, type World } from '../support/app.js';
import { createEngineDatabase, postgresMissing, REDIS_URL, redisMissing } from './engines.js';

/** Redis keeps rate limits between runs, so each run uses its own address. */
const ADDRESS = `fd00::${randomInt(0xffff).toString(16)}:${randomInt(0xffff).toString(16)}`;

describe.skipIf(postgresMissing || redisMissing)('Two nodes on one database', () => {
  let engine: Awaited<ReturnType<typeof createEngineDatabase>>;
  let a: World;
  let b: World;

  beforeAll(async () => {
    engine = await createEngineDatabase();
    a = await startTestApp({ database: engine.openNode(), env: { REDIS_URL }, people: `${randomUUID()}-` });
    b = await startTestApp({ database: engine.openNode(), env: { REDIS_URL }, people: `${randomUUID()}-` });
  });

  afterAll(async () => {
    await a?.stop();
    await b?.stop();
    await engine?.drop();
  });

  const both = () => [a, b];
  const statusOn = async (node: World, headers: Record<string, string>, url = '/api/v1/me/token') =>
    (await node.inject({ url, headers })).statusCode;
  /** The notification to the other node can arrive after the answer to the request. */
  const soon = { timeout: 120_000, interval: 5 };

  it("accept each other's tokens, and both refuse a revoked one", async () => {
    const { brand, admin } = await a.workspace();
    const made = await a.operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${brand.brand_id}/tokens`,
      {
        user_id: admin.user_id,
        scopes: [],
        name: 'x',
      },
    );
    const bearer = { authorization: `Bearer ${made.token}` };
    for (const node of both()) expect(await statusOn(node, bearer)).toBe(200);
    await a.operator('DELETE', `/tokens/${made.token_id}`);
    expect(await statusOn(a, bearer)).toBe(401);
    await expect.poll(() => statusOn(b, bearer), soon).toBe(401);
  });

  it('both apply the loss of a role or a membership', async () => {
    const { brand, admin, cookie } = await a.workspace();
    // A workspace keeps its last admin, so the test needs a second one.
    await a.member(brand, { role: 'admin' });
    const role = async () =>
      (await b.inject({ url: '/api/v1/auth/session', headers: { cookie } })).json().role;
    expect(await role()).toBe('admin');
    await a.operator('PUT', `/brands/${brand.brand_id}/members/${admin.user_id}`, { role: 'member' });
    await expect.poll(role, soon).toBe('member');
    await a.operator('DELETE', `/brands/${brand.brand_id}/members/${admin.user_id}`);
    await expect.poll(() => statusOn(b, { cookie }, '/api/v1/auth/session'), soon).toBe(401);
  });

  it('both end a session and narrow a scope ceiling', async () => {
    const { brand, cookie, bearer } = await a.workspace();
    expect(await statusOn(b, { cookie }, '/api/v1/auth/session')).toBe(200);
    await a.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: { cookie } });
    await expect.poll(() => statusOn(b, { cookie }, '/api/v1/auth/session'), soon).toBe(401);
    const scopes = async () => (await b.inject({ url: '/api/v1/me/token', headers: bearer })).json().scopes;
    expect(await scopes()).toHaveLength(5);
    await a.operator('PATCH', `/brands/${brand.brand_id}`, { scope_ceiling: ['code:read'] });
    await expect.poll(scopes, soon).toEqual(['code:read']);
  });

  it('count failed sign-ins together', async () => {
    const { admin } = await a.workspace();
    const fail = (node: World) =>
      node.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        remoteAddress: ADDRESS,
        payload: { email: admin.email, password: 'wrong password' },
      });
    for (const node of both())
      await expect.poll(() => statusOn(node, {}, '/api/v1/system/health'), { timeout: 120_000 }).toBe(200);
    const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => fail(both()[n % 2]!)));
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10);
    for (const node of both())
      expect(
        (
          await node.inject({
            method: 'POST',
            url: '/api/v1/auth/login',
            remoteAddress: ADDRESS,
            payload: { email: admin.email, password: PASSWORD },
          })
        ).statusCode,
      ).toBe(429);
  });

  it('share one test clock, even if both advance it at once', async () => {
    const now = async (node: World, move: object = {}) =>
      Date.parse((await node.operator<{ now: string }>('POST', '/clock', move)).now);
    const frozen = await now(a, { freeze: true });
    expect(await now(b)).toBe(frozen);
    await Promise.all(Array.from({ length: 10 }, (_, n) => now(both()[n % 2]!, { advance_seconds: 60 })));
    expect(await now(a)).toBe(frozen + 600_000);
    expect(await now(b)).toBe(frozen + 600_000);
    await now(a, { freeze: false });
  });

  it("accept each other's cursors", async () => {
    for (let n = 0; n < 3; n++) await a.brand();
    const { next_cursor } = await a.operator<{ next_cursor: string }>('GET', '/audit?limit=1');
    expect(await b.operator('GET', `/audit?cursor=${next_cursor}`)).toHaveProperty('items');
  });
});

describe.skipIf(postgresMissing)('Migrations', () => {
  it('run once when several programs start at the same time', async () => {
    const engine = await createEngineDatabase({ migrated: false });
    try {
      await Promise.all(Array.from({ length: 4 }, () => migrate({ url: engine.url, log: silentLog })));
      const world = await startTestApp({ database: engine.openNode() });
      expect((await world.inject({ url: '/api/v1/system/health' })).statusCode).toBe(200);
      await world.brand();
      await world.stop();
    } finally {
      await engine.drop();
    }
  });
});
