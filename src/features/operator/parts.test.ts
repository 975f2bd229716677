import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, startTestApp, type World } from '../../../tests/support/app.js';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.js';
import { muteLine } from '../../../tests/support/mute-line.js';
import type { Part } from './parts.service.js';

let database: TestDatabase;
let line: Awaited<ReturnType<typeof muteLine>>;
let world: World;

beforeAll(async () => {
  database = await createTestDatabase();
  line = await muteLine(database.connection);
  world = await startTestApp({ database, listener: line.connection, env: { EMBEDDER: 'embedded' } });
});

afterAll(async () => {
  await world.stop();
  await line.close();
  await database.drop();
});

const look = async () => {
  const answer = await world.inject({ url: '/api/v1/admin/health', headers: { 'x-admin-key': ADMIN_KEY } });
  expect(answer.statusCode).toBe(200);
  const { status, parts } = answer.json<{ status: string; parts: Part[] }>();
  return { status, parts: Object.fromEntries(parts.map((part) => [part.name, part])) };
};

describe('GET /api/v1/admin/health', () => {
  it('returns the state and age of every part', async () => {
    // Poll, because a busy machine may be slow at first.
    await expect.poll(async () => (await look()).status).toBe('healthy');
    const { parts } = await look();
    expect(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.status]))).toEqual({
      database: 'ok',
      replicas: 'off',
      redis: 'off',
      listener: 'ok',
      jobs: 'ok',
      poller: 'off',
      webhooks: 'ok',
      builds: 'ok',
      forges: 'off',
      mesh: 'off',
      mail: 'ok',
      mail_in: 'off',
      images: 'ok',
      embedder: 'ok',
      model: 'off',
    });
    expect(parts['jobs']).toMatchObject({ age_seconds: 0, detail: '0 wait' });
    expect(parts['builds']).toMatchObject({ age_seconds: 0, detail: '0 wait for a desk, 0 are with one' });
    for (const { name, status, age_seconds } of Object.values(parts))
      expect(typeof age_seconds, name).toBe(status === 'off' ? 'object' : 'number');
  });

  it('shows when an external service last succeeded and last failed', async () => {
    world.clock.freeze(true);
    expect((await look()).parts['mail']!.detail).toBe('outbox folder; not used since the start of this node');
    const { brand, bearer } = await world.workspace();
    const invite = async (email: string) =>
      (
        await world.inject({
          method: 'POST',
          url: `/api/v1/brands/${brand.brand_id}/invitations`,
          headers: bearer,
          payload: { email, role: 'member' },
        })
      ).statusCode;
    expect(await invite('one@example.com')).toBe(201);
    world.clock.advance(40);
    expect((await look()).parts['mail']).toMatchObject({
      status: 'ok',
      age_seconds: 40,
      detail: 'outbox folder; last success 40 s ago',
    });
    const folder = join(world.config.dataDir, 'outbox');
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'no folder');
    expect(await invite('two@example.com')).toBe(502);
    world.clock.advance(5);
    const { status, parts } = await look();
    expect([status, parts['mail']]).toEqual([
      'degraded',
      {
        name: 'mail',
        status: 'failed',
        age_seconds: 5,
        detail: 'outbox folder; last success 45 s ago, last failure 5 s ago',
      },
    ]);
    await rm(folder);
    expect(await invite('three@example.com')).toBe(201);
    expect((await look()).parts['mail']!.status).toBe('ok');
    world.clock.freeze(false);
  });

  it('names the part that is late', async () => {
    await database.pool.query(
      "select graphile_worker.add_job('erase', run_at := now() - interval '5 minutes')",
    );
    const { status, parts } = await look();
    expect([status, parts['jobs']!.status, parts['jobs']!.detail]).toEqual(['degraded', 'late', '1 wait']);
    expect(parts['jobs']!.age_seconds).toBeGreaterThanOrEqual(300);
    const metrics = await world.inject({ url: '/metrics', headers: { 'x-admin-key': ADMIN_KEY } });
    expect(metrics.body).toContain('guildhall_jobs_waiting{job="erase"} 1');
    expect(metrics.body).toMatch(/guildhall_jobs_age_seconds\{job="erase"\} 3\d\d/);
    expect(metrics.body).toContain('guildhall_outbox_waiting{to="webhooks"} 0');
    expect(metrics.body).toMatch(/guildhall_database_connections\{pool="requests",state="idle"\} \d/);
    expect(metrics.body).toContain('# HELP guildhall_database_wait_seconds');
    await database.pool.query('delete from graphile_worker._private_jobs');
  });

  it('counts repository hosts that were not polled in time and hosts that do not answer', async () => {
    const { brand } = await world.workspace();
    await database.pool.query(
      `with project as (
         insert into projects (project_id, brand_id, name, repository_url, created_at, updated_at)
         values (gen_random_uuid(), $1, 'Lighthouse', 'https://example.com/a/b.git', now(), now()) returning project_id)
       insert into project_forges (project_id, brand_id, kind, api_url, repository, sealed_token, default_branch, connected_at, look_at, failures)
       select project_id, $1, 'github', 'https://example.com', 'a/b', '', 'main', now(), now() + interval '1 minute', 2 from project`,
      [brand.brand_id],
    );
    const detail = '1 project has a host, 1 of them not answering';
    expect((await look()).parts['forges']).toMatchObject({ status: 'ok', age_seconds: 0, detail });
    await database.pool.query("update project_forges set look_at = now() - interval '5 minutes'");
    expect((await look()).parts['forges']).toMatchObject({ status: 'late', detail });
    await database.pool.query("update project_forges set paused_until = now() + interval '5 minutes'");
    expect((await look()).parts['forges']).toMatchObject({ status: 'ok', age_seconds: 0 });
    await database.pool.query('delete from project_forges');
  });

  it('reports a listener that receives nothing, even when its connection was never closed', async () => {
    line.fallSilent();
    await expect.poll(async () => (await look()).parts['listener']!.status).toBe('failed');
    line.mend();
    await expect.poll(async () => (await look()).status).toBe('healthy');
  });

  it('reports draining while the node stops; health also answers 503', async () => {
    world.app.drain();
    expect((await look()).status).toBe('draining');
    const health = await world.inject({ url: '/api/v1/system/health' });
    expect([health.statusCode, health.json<{ status: string }>().status]).toEqual([503, 'draining']);
  });
});
