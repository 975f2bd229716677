import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from './support/app.js';

/** The system clock jumps forward and back: nothing may depend on time being monotonic. */

const YEAR = 365 * 86_400;
let world: World;
let home: Awaited<ReturnType<World['workspace']>>;
let boardId: string;

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace();
  const made = await world.inject({
    method: 'POST',
    url: '/api/v1/board/boards',
    headers: home.bearer,
    payload: { name: 'Time' },
  });
  boardId = made.json().board_id;
});

afterAll(() => world.stop());

async function makeCard(title: string): Promise<string> {
  const made = await world.inject({
    method: 'POST',
    url: `/api/v1/board/boards/${boardId}/tasks`,
    headers: home.bearer,
    payload: { title },
  });
  expect(made.statusCode).toBe(201);
  return made.json().id;
}

async function feedSince(since?: string): Promise<{ tasks: string[]; cursor: string }> {
  const page = await world.inject({
    url: `/api/v1/board/activity/boards/${boardId}${since ? `?since=${encodeURIComponent(since)}` : ''}`,
    headers: home.bearer,
  });
  expect(page.statusCode).toBe(200);
  const { items, next_cursor } = page.json();
  return { tasks: items.map(({ task_id }: { task_id: string }) => task_id), cursor: next_cursor };
}

describe('A clock that jumps a year ahead and back', () => {
  it('lets the activity feed neither skip nor repeat an entry', async () => {
    await makeCard('Before');
    const { cursor } = await feedSince();
    world.clock.advance(YEAR);
    const ahead = await makeCard('A year ahead');
    world.clock.advance(-YEAR);
    const back = await makeCard('Back again');
    const after = await feedSince(cursor);
    expect(after.tasks.toSorted()).toEqual([ahead, back].toSorted());
    expect((await feedSince(after.cursor)).tasks).toEqual([]);
  });

  it('does not let an older change win over a newer one', async () => {
    const card = await makeCard('First');
    const rename = (title: string) =>
      world.inject({
        method: 'PATCH',
        url: `/api/v1/board/tasks/${card}`,
        headers: home.bearer,
        payload: { title },
      });
    world.clock.advance(YEAR);
    expect((await rename('Second')).statusCode).toBe(200);
    world.clock.advance(-YEAR);
    expect((await rename('Third')).statusCode).toBe(200);
    const read = await world.inject({ url: `/api/v1/board/tasks/${card}`, headers: home.bearer });
    expect([read.json().title, read.json().version]).toEqual(['Third', 3]);
  });

  it('blocks no account for longer than the rate limit lasts', async () => {
    const tryIn = () =>
      world.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email: home.admin.email, password: 'wrong' },
      });
    world.clock.advance(YEAR);
    for (let failure = 0; failure < 11; failure++) await tryIn();
    expect((await tryIn()).statusCode).toBe(429);
    world.clock.advance(-YEAR);
    expect((await tryIn()).statusCode).toBe(401);
  });

  it('stops no background job', async () => {
    const { jobs } = await world.operator<{ jobs: { name: string }[] }>('GET', '/jobs');
    world.clock.advance(YEAR);
    world.clock.advance(-YEAR);
    for (const { name } of jobs) expect((await world.runJob(name)).failed, name).toBe(0);
  });
});
