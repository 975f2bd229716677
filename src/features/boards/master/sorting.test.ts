import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import { type BoardCaller, boardCaller } from '../boards.test-support.js';

let world: World;
let ours: BoardCaller;
let admin: TestPerson;
let boardIds: string[];

/** The titles of all pages, in pages of two. */
async function titles(query: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = '';
  do {
    const page = (await ours.get(`/master/tasks?limit=2&${query}${cursor}`)).json();
    found.push(...page.items.map(({ title }: { title: string }) => title));
    expect(page.total).toBe(5);
    cursor = page.next_cursor && `&cursor=${page.next_cursor}`;
  } while (cursor);
  return found;
}

beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  admin = workspace.admin;
  ours = boardCaller(world, workspace.bearer);
  const boards = [await ours.board(), await ours.board({ name: 'Another' })];
  boardIds = boards.map(({ board_id }) => board_id);
  const [one, other] = boardIds as [string, string];
  await ours.card(one, { title: 'delta', priority: 'low', due_at: '2026-12-01T10:00:00Z', status: 'done' });
  await ours.card(other, { title: 'Alpha', priority: 'urgent', estimate_points: 13 });
  await ours.card(one, { title: 'charlie', assignee: admin.user_id, estimate_points: 2 });
  await ours.card(other, { title: 'Bravo', due_at: '2026-11-20T10:00:00Z', estimate_points: 8 });
  await ours.card(one, { title: 'echo', priority: 'high', status: 'in_review' });
});
afterAll(() => world.stop());

describe('GET /api/v1/board/master/tasks?sort=', () => {
  it.each([
    ['title', ['Alpha', 'Bravo', 'charlie', 'delta', 'echo']],
    ['-title', ['echo', 'delta', 'charlie', 'Bravo', 'Alpha']],
    ['updated', ['delta', 'Alpha', 'charlie', 'Bravo', 'echo']],
    ['-updated', ['echo', 'Bravo', 'charlie', 'Alpha', 'delta']],
  ])('sorts by %s across pages, with each card once', async (sort, expected) => {
    expect(await titles(`sort=${sort}`)).toEqual(expected);
  });

  it.each([
    ['priority', ['Alpha', 'echo'], 'delta'],
    ['-priority', ['delta'], 'Alpha'],
    ['status', ['Alpha', 'charlie', 'Bravo'], 'delta'],
    ['due', ['Bravo', 'delta'], undefined],
    ['-due', ['delta', 'Bravo'], undefined],
    ['estimate', ['charlie', 'Bravo', 'Alpha'], undefined],
    ['-estimate', ['Alpha', 'Bravo', 'charlie'], undefined],
    ['assignee', ['charlie'], undefined],
    ['-assignee', ['charlie'], undefined],
  ])('sorts by %s, with cards without a value at the end', async (sort, first, last) => {
    const found = await titles(`sort=${sort}`);
    expect(found).toHaveLength(5);
    expect(new Set(found).size).toBe(5);
    expect(found.slice(0, first.length).toSorted()).toEqual(first.toSorted());
    if (!['status'].includes(sort)) expect(found.slice(0, first.length)).toEqual(first);
    if (last) expect(found.at(-1)).toBe(last);
  });

  it('refuses an unknown sort, and the cursor of another sort', async () => {
    expect((await ours.get('/master/tasks?sort=colour')).statusCode).toBe(400);
    const { next_cursor } = (await ours.get('/master/tasks?sort=title&limit=1')).json();
    for (const sort of ['sort=-title', 'sort=due', ''])
      expect((await ours.get(`/master/tasks?limit=1&${sort}&cursor=${next_cursor}`)).statusCode).toBe(400);
  });
});

describe('GET /api/v1/board/master/tasks?count_by=', () => {
  it.each([
    ['status', { pending: 3, done: 1, in_review: 1 }],
    ['priority', { normal: 2, low: 1, urgent: 1, high: 1 }],
  ])('counts all cards by %s, including those on other pages', async (by, expected) => {
    const { counts, items } = (await ours.get(`/master/tasks?limit=1&count_by=${by}`)).json();
    expect(items).toHaveLength(1);
    const found = counts.map(({ value, cards }: { value: string; cards: number }) => [value, cards]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('counts by board and by person, and respects the filters', async () => {
    const byBoard = (await ours.get('/master/tasks?count_by=board&status=pending')).json().counts;
    expect(byBoard).toEqual([
      { value: boardIds[1], cards: 2 },
      { value: boardIds[0], cards: 1 },
    ]);
    expect((await ours.get('/master/tasks?count_by=assignee')).json().counts).toEqual([
      { value: null, cards: 4 },
      { value: String(admin.user_id), cards: 1 },
    ]);
    expect((await ours.get('/master/tasks?count_by=status&status=canceled')).json().counts).toEqual([]);
    expect((await ours.get('/master/tasks')).json()).not.toHaveProperty('counts');
  });
});
