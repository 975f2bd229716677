import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestBrand, type World } from '../../../../tests/support/app.js';
import { type BoardCaller, boardCaller } from '../boards.test-support.js';
import type { FullCard } from '../cards/cards.schemas.js';

let world: World;
let brand: TestBrand;
let ours: BoardCaller;
let me: number;
let other: number;
let boardIds: string[];
let cards: FullCard[];

const NEXT = {
  '-priority': 'urgent',
  urgent: 'high',
  high: 'normal',
  normal: 'low',
  low: 'someday',
} as const;

/** Cards with every counted property, some of them changed, moved, archived and deleted. */
beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  brand = workspace.brand;
  me = workspace.admin.user_id;
  other = (await world.member(workspace.brand)).user_id;
  ours = boardCaller(world, workspace.bearer);
  for (const agent_id of ['coder-0', 'coder-1', 'coder-9'])
    await world.operator('POST', '/agents', { agent_id, name: agent_id, brand_id: brand.brand_id });
  const boards = [await ours.board(), await ours.board({ name: 'Another', board_type: 'general' })];
  boardIds = boards.map(({ board_id }) => board_id);
  const made: FullCard[] = [];
  for (let i = 0; i < 24; i++)
    made.push(
      await ours.card(boardIds[i % 2]!, {
        title: `Card ${i}`,
        ...(i % 3 === 0 && { assignee: me }),
        ...(i % 3 === 1 && { assignee_agent_id: `coder-${i % 2}` }),
        ...(i % 9 === 1 && { assignee: other }),
        ...(i % 4 > 0 && { priority: Object.keys(NEXT)[i % 5]!.replace('-', '') }),
        labels: ['bug', 'later', 'bug'].slice(0, i % 4),
        ...(i % 5 > 0 && { due_at: `2026-11-1${i % 5}T${10 + (i % 10)}:30:00Z` }),
        ...(i === 7 && { due_at: '0001-02-03T04:05:06Z' }),
      }),
    );
  for (const [i, { id }] of made.entries()) {
    const change = [
      { assignee: i % 2 === 0 ? other : null },
      { labels: ['later'], priority: 'someday' },
      { archived: true },
      { status: 'done', assignee_agent_id: 'coder-9' },
      { due_at: i % 4 === 0 ? null : '2026-11-12T00:00:00Z' },
      { progress_percent: 50 },
    ][i % 6]!;
    expect([change, (await ours.patch(`/tasks/${id}`, change)).statusCode]).toEqual([change, 200]);
  }
  for (const { id } of made.slice(20)) await ours.call('DELETE', `/tasks/${id}`);
  await ours.patch(`/tasks/${made[2]!.id}`, { status: 'canceled' });
  cards = [];
  for (const { id } of made.slice(0, 20)) cards.push((await ours.get(`/tasks/${id}`)).json());
});
afterAll(() => world.stop());

const personOf = (card: FullCard) => card.assignee?.user_id ?? null;
const ownerOf = (card: FullCard) =>
  card.assignee
    ? String(card.assignee.user_id)
    : card.assignee_agent_id === null
      ? null
      : `agent:${card.assignee_agent_id}`;
const isDueBefore = (instant: string) => (card: FullCard) =>
  card.due_at !== null && Date.parse(card.due_at) < Date.parse(instant);

describe('The total of GET /api/v1/board/master/tasks is exact', () => {
  const asked: [string, (card: FullCard) => boolean][] = [
    ['assignee=me', (card) => personOf(card) === me],
    ['assignee=none', (card) => personOf(card) === null],
    ['assignee=me,none', (card) => [me, null].includes(personOf(card))],
    ['agent=any', ({ assignee_agent_id: agent }) => agent !== null],
    ['agent=none', ({ assignee_agent_id: agent }) => agent === null],
    ['agent=coder-9,coder-0', ({ assignee_agent_id: agent }) => ['coder-9', 'coder-0'].includes(agent!)],
    ['agent=coder-9,none', ({ assignee_agent_id: agent }) => [null, 'coder-9'].includes(agent)],
    ['agent=nobody-of-this-name', () => false],
    ['priority=urgent', ({ priority }) => priority === 'urgent'],
    ['priority=someday,low', ({ priority }) => ['someday', 'low'].includes(priority)],
    ['labels=bug', ({ labels }) => labels.includes('bug')],
    ['labels=bug,later', ({ labels }) => labels.includes('bug') || labels.includes('later')],
    ['due_before=2026-11-12T00:00:00Z', isDueBefore('2026-11-12T00:00:00Z')],
    ['due_before=2026-11-12T00:00:01Z', isDueBefore('2026-11-12T00:00:01Z')],
    ['due_before=2026-11-13T17:30:00%2B02:00', isDueBefore('2026-11-13T15:30:00Z')],
    ['due_before=0001-02-04T00:00:00Z', isDueBefore('0001-02-04T00:00:00Z')],
    ['due_before=9999-01-01T00:00:00Z', ({ due_at }) => due_at !== null],
    ['assignee=me&labels=bug', (card) => personOf(card) === me && card.labels.includes('bug')],
    ['agent=none&status=done', (card) => card.assignee_agent_id === null && card.status === 'done'],
    ['assignee=none&priority=someday', (card) => personOf(card) === null && card.priority === 'someday'],
  ];

  it.each(asked)('%s', async (query, matches) => {
    for (const board of [undefined, 0, 1]) {
      const there = board === undefined ? '' : `&board_ids=${boardIds[board]}`;
      const expected = cards.filter(
        (card) => matches(card) && (board === undefined || card.board_id === boardIds[board]),
      );
      const { items, total } = (await ours.get(`/master/tasks?${query}${there}`)).json();
      expect([there, total]).toEqual([there, expected.length]);
      const titles = (found: { title: string }[]) => found.map(({ title }) => title).toSorted();
      expect(titles(items)).toEqual(titles(expected));
    }
    const { total } = (await ours.get(`/master/tasks?limit=1&${query}&board_type=general`)).json();
    expect(total).toBe(cards.filter((card) => matches(card) && card.board_id === boardIds[1]).length);
  });

  it('for a guest, counts only the boards that they can open', async () => {
    const guest = await world.person();
    await ours.call('PUT', `/boards/${boardIds[1]}/guests/${guest.user_id}`, { role: 'viewer' });
    const theirs = boardCaller(world, { cookie: await world.signIn(guest, brand) });
    const { total, counts } = (await theirs.get('/master/tasks?labels=later&count_by=board')).json();
    const expected = cards.filter((card) => card.labels.includes('later') && card.board_id === boardIds[1]);
    expect([total, counts]).toEqual([expected.length, [{ value: boardIds[1], cards: expected.length }]]);
    for (const by of ['status', 'assignee', 'priority', 'board'])
      for (const each of (await theirs.get(`/master/tasks?count_by=${by}`)).json().counts)
        expect(each.cards).toBeLessThanOrEqual(10);
  });
});

describe('count_by of GET /api/v1/board/master/tasks', () => {
  const keys: Record<string, (card: FullCard) => string | null> = {
    status: ({ status }) => status,
    board: ({ board_id }) => board_id,
    assignee: ownerOf,
    priority: ({ priority }) => priority,
  };

  it.each(
    Object.keys(keys).flatMap((by) =>
      ['', 'status=done', 'labels=later', 'since=2000-01-01T00:00:00Z'].map((q) => [by, q]),
    ),
  )('counts by %s with "%s", highest count first', async (by, query) => {
    const wanted = cards.filter(
      (card) =>
        (query !== 'status=done' || card.status === 'done') &&
        (query !== 'labels=later' || card.labels.includes('later')),
    );
    const expected = new Map<string | null, number>();
    for (const card of wanted) expected.set(keys[by!]!(card), (expected.get(keys[by!]!(card)) ?? 0) + 1);
    const { counts } = (await ours.get(`/master/tasks?limit=1&count_by=${by}&${query}`)).json();
    const found = counts.map(({ value, cards: count }: { value: string; cards: number }) => [value, count]);
    expect(new Map(found)).toEqual(expected);
    const sizes = found.map(([, count]: [string, number]) => count);
    expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => b - a));
  });
});

describe('GET /api/v1/board/boards?with_counts=true', () => {
  it('excludes archived cards', async () => {
    const { boards } = (await ours.get('/boards?with_counts=true')).json();
    for (const board of boards) {
      const kept = cards.filter((card) => card.board_id === board.board_id && !card.archived);
      const open = kept.filter(({ status }) => !['done', 'canceled'].includes(status));
      expect([board.card_count, board.open_count]).toEqual([kept.length, open.length]);
    }
  });
});

it('The total no longer counts the cards of a deleted board', async () => {
  const board = await ours.board({ name: 'Short-lived' });
  await ours.card(board.board_id, { labels: ['gone'], assignee: me });
  expect((await ours.get('/master/tasks?labels=gone')).json().total).toBe(1);
  await ours.call('DELETE', `/boards/${board.board_id}`);
  expect((await ours.get('/master/tasks?labels=gone')).json().total).toBe(0);
});
