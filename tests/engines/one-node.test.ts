import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, startTestApp, type World } from '../support/app.js';
import { createEngineDatabase, postgresMissing, REDIS_URL, redisMissing } from './engines.js';

/** Redis keeps rate limits between runs, so each run uses its own address. */
const ADDRESS = `fd00::${randomInt(0xffff).toString(16)}:${randomInt(0xffff).toString(16)}`;

describe.skipIf(postgresMissing || redisMissing)(
  'A service on PostgreSQL 15 or newer and Redis over TCP',
  () => {
    let engine: Awaited<ReturnType<typeof createEngineDatabase>>;
    let world: World;

    beforeAll(async () => {
      engine = await createEngineDatabase();
      world = await startTestApp({
        database: engine.openNode(),
        env: { REDIS_URL },
        people: `${randomUUID()}-`,
        workers: true,
      });
    });

    afterAll(async () => {
      await world?.stop();
      await engine?.drop();
    });

    const login = (email: string, password: string) =>
      world.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        remoteAddress: ADDRESS,
        payload: { email, password },
      });

    it('runs against a server of version 15 or newer', async () => {
      const { rows } = await sql<{
        version: number;
      }>`select current_setting('server_version_num')::int as version`.execute(world.db);
      expect(rows[0]!.version).toBeGreaterThanOrEqual(150_000);
    });

    it('reports the database and Redis as connected', async () => {
      await expect
        .poll(async () => (await world.inject({ url: '/api/v1/system/health' })).json().services, {
          timeout: 120_000,
        })
        .toEqual({ database: 'connected', redis: 'connected' });
    });

    it('supports sign-in, sessions, tokens, revocation and password reset', async () => {
      const { admin, cookie, bearer } = await world.workspace();
      expect((await world.inject({ url: '/api/v1/auth/session', headers: { cookie } })).json().role).toBe(
        'admin',
      );
      expect((await world.inject({ url: '/api/v1/me/token', headers: bearer })).json().kind).toBe('pat');
      const made = await world.inject({
        method: 'POST',
        url: '/api/v1/me/tokens',
        headers: { cookie },
        payload: { name: 'engine', scopes: ['memory:read'] },
      });
      const own = { authorization: `Bearer ${made.json().token}` };
      expect((await world.inject({ url: '/api/v1/me/token', headers: own })).statusCode).toBe(200);
      const url = `/api/v1/me/tokens/${made.json().token_id}`;
      expect((await world.inject({ method: 'DELETE', url, headers: { cookie } })).statusCode).toBe(204);
      expect((await world.inject({ url: '/api/v1/me/token', headers: own })).statusCode).toBe(401);

      const token = await world.app.identity.createPasswordReset(world.db, admin.user_id);
      const reset = { token, password: 'another password' };
      const change = () =>
        world.inject({ method: 'POST', url: '/api/v1/auth/reset-password', payload: reset });
      expect((await change()).statusCode).toBe(200);
      expect((await change()).statusCode).toBe(400);
      expect((await login(admin.email, PASSWORD)).statusCode).toBe(401);
      expect((await login(admin.email.toUpperCase(), 'another password')).statusCode).toBe(200);
    });

    it('lets operators manage workspaces and people, reports conflicts, and pages the audit log by cursor', async () => {
      const brand = await world.brand({ plan: 'free' });
      expect(await world.operator('GET', `/brands/${brand.brand_id}`)).toMatchObject({ plan: 'free' });
      const person = await world.person();
      await expect(world.person({ email: person.email.toUpperCase() })).rejects.toThrow('409');
      const first = await world.operator<{ items: { id: string }[]; next_cursor: string }>(
        'GET',
        '/audit?limit=1',
      );
      const second = await world.operator<{ items: { id: string }[] }>(
        'GET',
        `/audit?limit=1&cursor=${first.next_cursor}`,
      );
      expect(Number(second.items[0]!.id)).toBeLessThan(Number(first.items[0]!.id));
    });

    it('refuses an account after ten failed sign-ins until 15 minutes have passed', async () => {
      const { admin } = await world.workspace();
      const answers = await Promise.all(
        Array.from({ length: 14 }, () => login(admin.email, 'wrong password')),
      );
      expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10);
      const refused = await login(admin.email, PASSWORD);
      expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
      await world.advance(15 * 60 + 1);
      expect((await login(admin.email, PASSWORD)).statusCode).toBe(200);
    });

    it('runs a background job on request, and after the commit that triggers it', async () => {
      expect(await world.runJob('identity-sweep')).toMatchObject({ failed: 0 });
      await world.workspace();
      await world.advance(31 * 86_400);
      await world.app.jobs.trigger(world.db, 'identity-sweep');
      await expect
        .poll(() => world.db.selectFrom('sessions').select('session_id').execute(), { timeout: 120_000 })
        .toEqual([]);
    });
  },
);
