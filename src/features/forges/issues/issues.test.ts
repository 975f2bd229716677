import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ForgeWorkspace,
  type ForgeWorld,
  startForgeWorld,
} from '../../../../tests/support/forge-world.js';
import { ForgeFailed, type Issue, type IssueQuery } from '../adapter/forge.js';
import { findIssueOfCard } from './issues.store.js';

let world: ForgeWorld;
let room: ForgeWorkspace;
let issues: Issue[];
let comments: [number, string][];
let asked: IssueQuery[];
/** The host's own clock. */
let hostTime: number;

beforeAll(async () => {
  world = await startForgeWorld();
});
afterAll(() => world.stop());

beforeEach(async () => {
  room = await world.furnish();
  issues = [];
  comments = [];
  asked = [];
  hostTime = world.clock.now().getTime();
  world.host.forge = {
    listIssues: async (query) => {
      asked.push(query);
      const matching = issues
        .filter(({ open }) => query.state === 'all' || open)
        .filter(({ labels }) => query.label === undefined || labels.includes(query.label))
        .filter(({ updatedAt }) => query.since === undefined || updatedAt >= query.since)
        .toSorted((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime());
      const from = Number(query.page ?? 0);
      return {
        issues: matching.slice(from, from + 2),
        next: matching.length > from + 2 ? String(from + 2) : undefined,
        hostTime: new Date(hostTime),
      };
    },
    commentOnIssue: async (number, body) => {
      comments.push([number, body]);
    },
  };
});

const write = (number: number, more: Partial<Issue> = {}): Issue => {
  hostTime += 120_000;
  const issue: Issue = {
    number,
    url: `https://github.com/acme/app/issues/${number}`,
    title: `Issue ${number}`,
    body: 'It does not work.',
    author: 'octocat',
    labels: ['ready'],
    open: true,
    isCanceled: false,
    assignees: [],
    milestone: null,
    dueAt: null,
    parent: null,
    closedAt: null,
    createdAt: new Date(hostTime),
    updatedAt: new Date(hostTime),
    commentCount: 0,
    ...issues.find((each) => each.number === number),
    ...more,
  };
  issue.updatedAt = new Date(hostTime);
  issues = [...issues.filter((each) => each.number !== number), issue];
  return issue;
};

const connect = (rule: object = { label: 'ready' }) => room.put({ issues: rule });

async function pass(): Promise<void> {
  const { access, syncIssues } = world.app.forges;
  const connected = await access.find(room.space.brand.brand_id, room.projectId);
  if (connected) await syncIssues(connected);
}

const boards = async () =>
  (await room.call('GET', '/api/v1/board/boards')).body['boards'] as unknown as Board[];
interface Board {
  board_id: string;
  name: string;
}
type Card = Record<string, unknown> & { id: string; ref: string; title: string };

async function cards(boardId?: string): Promise<Card[]> {
  const at = boardId ?? (await boards())[0]?.board_id;
  if (!at) return [];
  const { body } = await room.call('GET', `/api/v1/board/boards/${at}/tasks?detail=full`);
  return body['items'] as unknown as Card[];
}

const patch = (id: string, body: object) => room.call('PATCH', `/api/v1/board/tasks/${id}`, body);

describe('Cards from issues', () => {
  it("uses the host's time to look back when its clock is hours behind", async () => {
    hostTime -= 5 * 3_600_000;
    await connect();
    await pass();
    write(1);
    await pass();
    expect(await cards()).toMatchObject([{ title: 'Issue 1' }]);
  });

  it('creates one card and one comment for an open issue with the label', async () => {
    await connect();
    write(1, { title: 'Crash on start', labels: ['ready', 'bug'] });
    write(2, { labels: ['bug'] });
    write(3, { open: false });
    await pass();
    await pass();
    const [board, ...others] = await boards();
    expect([board!.name, others]).toEqual(['Code', []]);
    const [card, ...more] = await cards();
    expect(more).toEqual([]);
    expect(card).toMatchObject({
      title: 'Crash on start',
      status: 'pending',
      project_id: room.projectId,
      labels: ['ready', 'bug'],
      source: 'github',
      external_url: 'https://github.com/acme/app/issues/1',
      instructions: 'Issue #1 of acme/app, by octocat:\n\nIt does not work.',
      reporter: { user_id: room.space.admin.user_id, name: room.space.admin.full_name },
      archived: false,
    });
    const address = `http://guildhall.test/dashboard/cards/${card!.ref}`;
    expect(comments).toEqual([[1, `This issue is card ${card!.ref}: ${address}`]]);
    expect(await findIssueOfCard(world.db, room.space.brand.brand_id, card!.id)).toBe(1);
    expect(await findIssueOfCard(world.db, room.space.brand.brand_id, crypto.randomUUID())).toBeUndefined();
  });

  it('records the change with the service as the actor', async () => {
    await connect();
    write(1);
    await pass();
    const at = (await boards())[0]!.board_id;
    const { body } = await room.call('GET', `/api/v1/board/activity/boards/${at}`);
    expect(body['items']).toMatchObject([
      { action: 'task.created', actor: null },
      { action: 'board.created', actor: null },
    ]);
  });

  it("uses the configured board, else one with the project's name, and reuses it", async () => {
    const board = async (name: string) =>
      (await room.call('POST', '/api/v1/board/boards', { name })).body['board_id'] as unknown as string;
    const named = await board('Inbox');
    const own = await board('Code');
    await connect({ label: 'ready', board_id: named });
    write(1);
    await pass();
    await connect();
    write(2);
    await pass();
    await connect({ label: 'ready', board_id: named });
    await room.call('DELETE', `/api/v1/board/boards/${named}`);
    write(3);
    await pass();
    expect((await cards(own)).map(({ title }) => title)).toEqual(['Issue 2', 'Issue 3']);
    expect(await boards()).toHaveLength(1);
  });

  it('reads all pages, and later also issues that got the label afterwards', async () => {
    await connect();
    for (let number = 1; number <= 5; number++) write(number);
    write(6, { labels: [] });
    await pass();
    expect(await cards()).toHaveLength(5);
    write(6, { labels: ['Ready'] });
    await pass();
    expect(await cards()).toHaveLength(6);
    expect(asked.at(-1)).toMatchObject({ state: 'all', since: expect.any(Date) });
    expect(asked[0]).toEqual({ state: 'open', label: 'ready' });
  });

  it('marks texts of the issue as written by a guest', async () => {
    await connect();
    write(1);
    await pass();
    const [card] = await cards();
    const { brand_id } = room.space.brand;
    const found = await world.app.boards.findCardToBuild(brand_id, card!.id);
    expect(found!.guestWritten).toEqual(expect.arrayContaining(['instructions', 'labels', 'title']));
    write(1, { title: 'Renamed by somebody' });
    await patch(card!.id, { title: 'A member’s own' });
    await pass();
    expect((await world.app.boards.findCardToBuild(brand_id, card!.id))!.guestWritten).toContain('title');
  });

  it('cuts texts to 1 MiB and cleans values that the database rejects', async () => {
    await connect();
    const wild = {
      title: `\0 ${'t'.repeat(600)}\ud83d`,
      body: 'é'.repeat(1024 * 1024),
      author: 'a\nb\0',
      labels: ['ready', 'x'.repeat(300), '', '\0', ...Array.from({ length: 200 }, (_, at) => `l${at}`)],
      url: 'javascript:alert(1)',
    };
    write(1, wild);
    write(2, { title: ' ', body: '', author: '', url: `https://a/${'b'.repeat(3000)}` });
    await pass();
    const [one, two] = await cards();
    expect(one!.title).toBe('t'.repeat(500));
    expect(Buffer.byteLength(one!['instructions'] as string)).toBeLessThanOrEqual(1_048_576);
    expect(Buffer.byteLength(one!['instructions'] as string)).toBeGreaterThan(1_048_570);
    expect(one!['labels']).toHaveLength(100);
    expect(one!['external_url']).toBeNull();
    expect(two).toMatchObject({
      title: 'Issue #2',
      external_url: null,
      instructions: 'Issue #2 of acme/app, by nobody known:\n\n',
    });
  });

  it('creates the card without a reporter when the person who connected the host has left', async () => {
    const other = await world.member(room.space.brand, { role: 'admin' });
    const cookie = await world.signIn(other, room.space.brand);
    const body = { kind: 'github', token: 't', issues: { label: 'ready' } };
    await room.call('PUT', room.pathOf(room.projectId), body, { cookie });
    await world.operator('DELETE', `/brands/${room.space.brand.brand_id}/members/${other.user_id}`);
    write(1);
    await pass();
    expect((await cards())[0]!['reporter']).toBeNull();
  });
});

describe('Sync of a card that is not started', () => {
  beforeEach(async () => {
    await connect();
    write(1);
    await pass();
  });

  it('renames the card with its issue', async () => {
    write(1, { title: 'Better said' });
    await pass();
    expect((await cards())[0]!.title).toBe('Better said');
  });

  it("keeps a person's own title until the issue is renamed", async () => {
    const [card] = await cards();
    await patch(card!.id, { title: 'Our words' });
    write(1, { body: 'More' });
    await pass();
    expect((await cards())[0]!.title).toBe('Our words');
  });

  it.each([
    ['closed', { open: false }, { open: true }],
    ['unlabelled', { labels: ['bug'] }, { labels: ['ready'] }],
  ])('archives the card of a %s issue and restores it when that is undone', async (_how, away, back) => {
    write(1, away);
    await pass();
    await pass();
    expect((await cards())[0]).toMatchObject({ archived: true, version: 2 });
    write(1, back);
    await pass();
    expect((await cards())[0]).toMatchObject({ archived: false });
    expect(comments).toHaveLength(1);
  });

  it('keeps a card archived that a person archived', async () => {
    const [card] = await cards();
    await patch(card!.id, { archived: true });
    write(1, { body: 'More' });
    await pass();
    expect((await cards())[0]).toMatchObject({ archived: true });
  });

  it.each([
    ['in progress', async (id: string) => void (await patch(id, { status: 'in_progress' }))],
    [
      'started and moved back',
      async (id: string) => {
        await patch(id, { status: 'in_progress' });
        await patch(id, { status: 'pending' });
      },
    ],
    ['built', (id: string) => addBuild(id)],
  ])('no longer changes a card that is %s', async (_how, begin) => {
    const [card] = await cards();
    await begin(card!.id);
    write(1, { title: 'Another title', open: false });
    await pass();
    expect((await cards())[0]).toMatchObject({ title: 'Issue 1', archived: false });
  });
});

describe('Failures of the issue sync', () => {
  it('does not create a deleted card again', async () => {
    await connect();
    write(1);
    await pass();
    const [card] = await cards();
    await room.call('DELETE', `/api/v1/board/tasks/${card!.id}`);
    write(1, { title: 'Again' });
    await pass();
    await room.put({ issues: { label: 'ready' } });
    await pass();
    await room.remove();
    await connect();
    await pass();
    expect(await cards()).toEqual([]);
    expect(comments).toHaveLength(1);
  });

  it('retries a failed comment until it exists once', async () => {
    await connect();
    write(1);
    write(2);
    const { commentOnIssue } = world.host.forge;
    world.host.forge.commentOnIssue = () => Promise.reject(new ForgeFailed('unreachable', 'Away'));
    await expect(pass()).rejects.toThrow('Away');
    expect(await cards()).toHaveLength(2);
    world.host.forge.commentOnIssue = commentOnIssue!;
    await pass();
    await pass();
    expect(comments.map(([number]) => number).toSorted()).toEqual([1, 2]);
  });

  it('continues with other issues when one is locked, and skips comments on deleted issues', async () => {
    await connect();
    for (const number of [1, 2, 3]) write(number);
    const faults: Record<number, ForgeFailed> = {
      1: new ForgeFailed('refused', 'It is locked'),
      2: new ForgeFailed('missing', 'Gone'),
    };
    world.host.forge.commentOnIssue = async (number, body) => {
      if (faults[number]) throw faults[number];
      comments.push([number, body]);
    };
    await expect(pass()).rejects.toThrow('It is locked');
    expect(comments.map(([number]) => number)).toEqual([3]);
    delete faults[1];
    delete faults[2];
    await pass();
    expect(comments.map(([number]) => number)).toEqual([3, 1]);
  });

  it('creates nothing twice when several syncs run at once', async () => {
    await connect();
    for (let number = 1; number <= 6; number++) write(number);
    await Promise.all([pass(), pass(), pass()]);
    await pass();
    expect(await cards()).toHaveLength(6);
    expect(await boards()).toHaveLength(1);
    expect(comments.map(([number]) => number).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('resumes at the same page after a sync was interrupted', async () => {
    await connect();
    for (let number = 1; number <= 6; number++) write(number);
    const { listIssues } = world.host.forge;
    world.host.forge.listIssues = async (query) => {
      if (query.page === '4') throw new ForgeFailed('limited', 'Wait', world.clock.now());
      return listIssues!(query);
    };
    await expect(pass()).rejects.toThrow('Wait');
    expect(await cards()).toHaveLength(4);
    world.host.forge.listIssues = listIssues!;
    await pass();
    expect(await cards()).toHaveLength(6);
    expect(comments).toHaveLength(6);
  });

  it('creates nothing after the host was disconnected during the sync', async () => {
    await connect();
    write(1);
    const { listIssues } = world.host.forge;
    world.host.forge.listIssues = async (query) => {
      await room.remove();
      return listIssues!(query);
    };
    await pass();
    expect([await cards(), comments]).toEqual([[], []]);
  });

  it('treats the same number in another repository as another issue', async () => {
    await connect();
    write(1);
    await pass();
    issues = [];
    await room.put({ repository: 'acme/second', issues: { label: 'ready' } });
    write(1, { title: 'Of the second' });
    await pass();
    const made = await cards();
    expect(made.map(({ title }) => title)).toEqual(['Issue 1', 'Of the second']);
    const { brand_id } = room.space.brand;
    expect(await findIssueOfCard(world.db, brand_id, made[0]!.id)).toBeUndefined();
    expect(await findIssueOfCard(world.db, brand_id, made[1]!.id)).toBe(1);
  });
});

async function addBuild(cardId: string): Promise<void> {
  const now = world.clock.now();
  await sql`
    insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, wall_minutes, branch, base_branch,
      base_sha, queued_at, finished_at, outcome)
    values (${crypto.randomUUID()}, ${room.space.brand.brand_id}, ${cardId}, 'A-1', ${room.projectId}, 1, 'claude', 30, 'b', 'main', 'c',
      ${now}, ${now}, 'failed')`.execute(world.db);
}
