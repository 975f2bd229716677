import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ForgeWorkspace, type ForgeWorld, startForgeWorld } from '../../../tests/support/forge-world.js';
import { ForgeFailed, type Issue } from '../forges/forges.service.js';

let world: ForgeWorld;
let room: ForgeWorkspace;
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
  isCanceled: false,
  assignees: [],
  milestone: null,
  dueAt: null,
  parent: null,
  closedAt: null,
  createdAt: new Date('2024-01-01T00:00:00Z'),
  updatedAt: new Date('2024-01-01T00:00:00Z'),
  commentCount: 0,
  ...more,
});

const begin = () =>
  room.call('POST', `/api/v1/board/boards/${boardId}/imports/host`, { project_id: room.projectId });
const get = async (id: string) => (await room.call('GET', `/api/v1/board/imports/${id}`)).body as object;
const pass = async () => {
  await world.app.jobs.runNow('host-import');
  await world.app.jobs.runNow('card-import');
};

describe('Importing issues from a connected repository host', () => {
  it('reads issues page by page with their comments and creates a card for each', async () => {
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

  it('resumes at the same page when the host asks for a pause', async () => {
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

  it('fails after more than 6 hours of failures in a row, and not because the import started earlier', async () => {
    await room.put();
    let isAway = false;
    let page = 0;
    world.host.forge.listIssues = async () => {
      if (isAway) throw new ForgeFailed('unreachable', 'The host does not answer');
      // Each page that is read is followed by an outage.
      isAway = true;
      page += 1;
      return { issues: [issue(page)], next: String(page + 1) };
    };
    const id = (await begin()).body['import_id']!;
    const passAfter = async (seconds: number) => {
      await world.advance(seconds);
      await pass();
      return get(id);
    };
    const retrying = { status: 'reading', error: 'The host does not answer' };
    expect(await passAfter(0)).toMatchObject(retrying);
    expect(await passAfter(5 * 3600)).toMatchObject(retrying);
    isAway = false;
    expect(await passAfter(120)).toMatchObject(retrying);
    expect(page).toBe(2);
    expect(await passAfter(5 * 3600)).toMatchObject(retrying);
    expect(await passAfter(3660)).toMatchObject({ ...retrying, status: 'failed' });
  });

  it('fails when the host rejects the token, and returns 422 for a project without a host', async () => {
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

  it('imports all assignees, milestones, parents and issues closed as not planned', async () => {
    await room.put();
    const milestone = { milestone: 'v1', dueAt: new Date('2030-01-02T00:00:00Z') };
    const assignees = ['hubot', 'monalisa'].map((login) => ({ name: login, login, email: null }));
    world.host.forge.listIssues = async () => ({
      issues: [
        issue(1, { assignees, ...milestone, parent: 'https://github.com/acme/app/issues/2' }),
        issue(2, { open: false, isCanceled: true, parent: 'https://github.com/acme/app/issues/99' }),
      ],
      next: undefined,
    });
    const id = (await begin()).body['import_id']!;
    await pass();
    expect(await get(id)).toMatchObject({
      people: { unmatched: expect.arrayContaining(['hubot', 'monalisa', 'octocat']) },
      lost: [{ what: 'Links to items that are not imported: named in the text', cards: 1 }],
    });
    const { email, user_id } = room.space.admin;
    await room.call('POST', `/api/v1/board/imports/${id}/start`, { users: { monalisa: email } });
    await pass();
    const path = `/api/v1/board/boards/${boardId}/tasks?detail=full`;
    const { items } = (await room.call('GET', path)).body as never as { items: Record<string, unknown>[] };
    const [one, two] = [1, 2].map((number) => items.find(({ title }) => title === `Issue ${number}`)!);
    expect(one).toMatchObject({
      labels: ['bug', 'milestone: v1'],
      due_at: '2030-01-02T00:00:00.000Z',
      parent_id: two!['id'],
      watchers: [{ user_id }],
      instructions: expect.stringContaining('assigned to hubot'),
    });
    expect(two).toMatchObject({
      status: 'canceled',
      column: { name: 'Done' },
      instructions: expect.stringContaining('below https://github.com/acme/app/issues/99'),
    });
  });

  it('reads issues of another workspace while one host is slow', async () => {
    await room.put();
    let [answer, asked] = [() => {}, () => {}];
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    world.host.forge.listIssues = async () => {
      asked();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { issues: [issue(1)], next: undefined };
    };
    const slow = (await begin()).body['import_id']!;
    const passing = world.app.jobs.runNow('host-import');
    await isAsked;
    world.host.forge.listIssues = async () => ({ issues: [issue(2)], next: undefined });
    const other = await world.furnish();
    await other.put();
    const board = await other.call('POST', '/api/v1/board/boards', { name: 'Quick' });
    const path = `/api/v1/board/boards/${board.body['board_id']}/imports/host`;
    const quick = (await other.call('POST', path, { project_id: other.projectId })).body['import_id'];
    const read = async () => (await other.call('GET', `/api/v1/board/imports/${quick}`)).body['status'];
    await expect.poll(read).toBe('ready');
    expect(await get(slow)).toMatchObject({ status: 'reading' });
    answer();
    await passing;
    expect(await get(slow)).toMatchObject({ status: 'ready' });
  });

  it("resumes at the same page after a node died, once that node's claim has expired", async () => {
    await room.put();
    const pages: (string | undefined)[] = [];
    const asked: number[] = [];
    world.host.forge.listIssues = async ({ page }) => {
      pages.push(page);
      const numbers = page ? [2, 3] : [1];
      return {
        issues: numbers.map((number) => issue(number, { commentCount: 1 })),
        next: page ? undefined : '2',
      };
    };
    world.host.forge.listComments = async (number) => {
      asked.push(number);
      if (number === 3 && asked.length === 3) throw new ForgeFailed('unreachable', 'The host is away');
      return [];
    };
    const id = (await begin()).body['import_id']!;
    await pass();
    // As left by a node that claimed the import for its next turn and then died.
    const claim = new Date(world.clock.now().getTime() + 300_000);
    await world.database.pool.query('update card_imports set look_at = $1 where import_id = $2', [claim, id]);
    await world.advance(299);
    await pass();
    expect(await get(id)).toMatchObject({ status: 'reading' });
    await world.advance(2);
    await pass();
    expect(await get(id)).toMatchObject({ status: 'ready', counts: { new: 3 } });
    // Page 1 and its comments are not requested again.
    expect([pages, asked]).toEqual([
      [undefined, '2', '2'],
      [1, 2, 3, 3],
    ]);
  });
});
