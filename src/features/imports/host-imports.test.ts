import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ForgeRoom, type ForgeWorld, startForgeWorld } from '../../../tests/support/forge-room.js';
import { ForgeFailed, type Issue } from '../forges/forges.service.js';

let world: ForgeWorld;
let room: ForgeRoom;
let boardId: string;

beforeAll(async () => {
  world = await startForgeWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.host.forge = {};
  room = await world.furnish();
  boardId = (await room.call('POST', '/api/v1/board/boards', { name: 'Moved' })).body['board_id']!;
});

const issue = (number: number, more: Partial<Issue> = {}): Issue => ({
  number,
  url: `https://github.com/acme/app/issues/${number}`,
  title: `Issue ${number}`,
  body: 'As it is',
  author: 'octocat',
  labels: ['bug'],
  open: true,
  assignee: null,
  createdAt: new Date('2024-01-01T00:00:00Z'),
  updatedAt: new Date('2024-01-01T00:00:00Z'),
  commentCount: 0,
  ...more,
});

const begin = () =>
  room.call('POST', `/api/v1/board/boards/${boardId}/imports/host`, { project_id: room.projectId });
const get = async (id: string) => (await room.call('GET', `/api/v1/board/imports/${id}`)).body as object;
const pass = () => world.app.jobs.runNow('card-import');

describe('the issues of a connected project', () => {
  it('are read page by page with their comments, and made as cards', async () => {
    await room.put();
    world.host.forge.listIssues = async ({ page }) =>
      page === undefined
        ? { issues: [issue(1, { commentCount: 1 })], next: '2' }
        : { issues: [issue(2, { open: false })], next: undefined };
    world.host.forge.listComments = async () => [
      { author: 'hubot', body: 'Me too', at: new Date('2024-02-03T04:05:06Z') },
    ];
    const begun = await begin();
    expect([begun.status, begun.body]).toMatchObject([
      201,
      { status: 'reading', source: 'github', name: 'acme/app' },
    ]);
    const id = begun.body['import_id']!;
    await pass();
    expect(await get(id)).toMatchObject({
      status: 'ready',
      counts: { new: 2 },
      states: [
        { name: 'closed', to: 'done' },
        { name: 'open', to: 'pending' },
      ],
    });
    expect((await room.call('POST', `/api/v1/board/imports/${id}/start`, {})).status).toBe(202);
    await pass();
    expect(await get(id)).toMatchObject({ status: 'done', counts: { made: 2 } });
    const { items } = (await room.call('GET', `/api/v1/board/boards/${boardId}/tasks?detail=full`))
      .body as never as {
      items: Record<string, unknown>[];
    };
    expect(items.toSorted((one, other) => Number(one['number']) - Number(other['number']))).toMatchObject([
      {
        title: 'Issue 1',
        source: 'github',
        external_url: 'https://github.com/acme/app/issues/1',
        comment_count: 1,
      },
      { title: 'Issue 2', status: 'done' },
    ]);
  });

  it('go on at the page where the host asked for a pause', async () => {
    await room.put();
    const pages: (string | undefined)[] = [];
    let isTired = true;
    world.host.forge.listIssues = async ({ page }) => {
      pages.push(page);
      if (page === undefined) return { issues: [issue(1)], next: '2' };
      if (isTired)
        throw new ForgeFailed(
          'limited',
          'The host asks for a pause',
          new Date(world.clock.now().getTime() + 600_000),
        );
      return { issues: [issue(2)], next: undefined };
    };
    const id = (await begin()).body['import_id']!;
    await pass();
    expect(await get(id)).toMatchObject({ status: 'reading', error: 'The host asks for a pause' });
    await pass();
    expect(pages).toEqual([undefined, '2']);
    isTired = false;
    await world.advance(601);
    await pass();
    expect(pages).toEqual([undefined, '2', '2']);
    expect(await get(id)).toMatchObject({ status: 'ready', error: null, counts: { new: 2 } });
  });

  it('fail where the host refuses, and cannot be asked for where there is none', async () => {
    expect((await begin()).status).toBe(422);
    await room.put();
    world.host.forge.listIssues = async () => {
      throw new ForgeFailed('refused', 'The host does not take the token');
    };
    const id = (await begin()).body['import_id']!;
    await pass();
    expect(await get(id)).toMatchObject({ status: 'failed', error: 'The host does not take the token' });
    expect((await room.call('POST', `/api/v1/board/imports/${id}/start`, {})).status).toBe(409);
  });
});
