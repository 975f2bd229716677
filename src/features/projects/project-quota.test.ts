import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { newId } from '../../kernel/ids.js';

let world: World;
beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());

/** A workspace with this many projects, and a function that creates one more. */
async function workspaceWith(plan: string, projects: number) {
  const { brand, bearer } = await world.workspace({ plan });
  await world.database.pool.query(
    `insert into projects (project_id, brand_id, name, created_at, updated_at)
     select id, $1, 'Project', now(), now() from unnest($2::uuid[]) as id`,
    [brand.brand_id, Array.from({ length: projects }, newId)],
  );
  return (method: 'GET' | 'POST' | 'DELETE', path = '', payload?: object) =>
    world.inject({ method, url: `/api/v1/projects${path}`, headers: bearer, payload });
}

describe('Project quota', () => {
  it.each([
    ['free', 20],
    ['team', 100],
    ['business', 400],
    ['enterprise', 1000],
  ])('%s: allows %i and then returns 403 quota_exceeded', async (plan, limit) => {
    const ask = await workspaceWith(plan, limit - 1);
    const last = await ask('POST', '', { name: 'Last' });
    expect(last.statusCode).toBe(201);
    const refused = await ask('POST', '', { name: 'One more' });
    expect([refused.statusCode, refused.json().detail]).toEqual([
      403,
      {
        error: 'quota_exceeded',
        limit,
        current: limit,
        message: `The workspace plan allows ${limit} projects, and there are ${limit}`,
      },
    ]);
    expect((await ask('GET')).json().total).toBe(limit);
    expect((await ask('DELETE', `/${last.json().project_id}`)).statusCode).toBe(204);
    expect((await ask('POST', '', { name: 'Again' })).statusCode).toBe(201);
  });

  it('allows only one of two concurrent requests for the last project', async () => {
    const ask = await workspaceWith('free', 19);
    const answers = await Promise.all(['One', 'Two', 'Three'].map((name) => ask('POST', '', { name })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 403, 403]);
  });

  it('is counted per workspace', async () => {
    await workspaceWith('free', 20);
    const ask = await workspaceWith('free', 0);
    expect((await ask('POST', '', { name: 'First' })).statusCode).toBe(201);
  });
});
