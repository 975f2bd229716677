import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import type { CardOutcome, FullCard } from './cards.schemas.js';

let world: World;
let ours: BoardCaller;
let theirs: BoardCaller;
let guest: BoardCaller;
let admin: TestPerson;
let board: Board;
let other: Board;

beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  admin = workspace.admin;
  ours = boardCaller(world, workspace.bearer);
  theirs = boardCaller(world, (await world.workspace()).bearer);
  board = await ours.board();
  other = await ours.board({ name: 'Another' });
  const person = await world.person({ full_name: 'Gus Guest' });
  await ours.call('PUT', `/boards/${board.board_id}/guests/${person.user_id}`, { role: 'editor' });
  await ours.call('PUT', `/boards/${other.board_id}/guests/${person.user_id}`, { role: 'commenter' });
  guest = boardCaller(world, { cookie: await world.signIn(person, workspace.brand) });
});
afterAll(() => world.stop());

const change = (tasks: object[], caller = ours) => caller.call('POST', '/tasks:batch', { tasks });
const outcomes = async (tasks: object[], caller = ours): Promise<CardOutcome[]> => {
  const response = await change(tasks, caller);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().results;
};
const read = async ({ id }: { id: string }): Promise<FullCard> => (await ours.get(`/tasks/${id}`)).json();
const entries = async (boardId: string) =>
  (await ours.get(`/activity/boards/${boardId}?limit=200`)).json().items;
const makeTwo = async () => [await ours.card(board.board_id), await ours.card(other.board_id)] as const;

describe('POST /api/v1/board/tasks:batch', () => {
  it('changes cards of several boards in one transaction, with an entry for each card', async () => {
    const cards = await makeTwo();
    const set = { status: 'in_review', priority: 'high', assignee: admin.user_id };
    const results = await outcomes(cards.map(({ id }) => ({ task_id: id, set })));
    expect(results).toEqual(
      cards.map(({ id }) => ({
        task_id: id,
        changed: {
          priority: { from: 'normal', to: 'high' },
          assignee: { from: null, to: { user_id: admin.user_id, name: admin.full_name } },
          status: { from: 'pending', to: 'in_review' },
          column: { from: 'Backlog', to: 'Review' },
        },
        from_column: 'Backlog',
        to_column: 'Review',
        version: 2,
        kept: [],
        refused: null,
      })),
    );
    for (const [index, card] of cards.entries()) {
      expect(await read(card)).toMatchObject({ ...set, assignee: { user_id: admin.user_id }, version: 2 });
      const [newest, before] = await entries(card.board_id);
      expect(newest).toMatchObject({ action: 'task.moved', task_id: card.id, ref: card.ref });
      expect(newest.changes).toEqual(results[index]!.changed);
      expect(before).toMatchObject({ action: 'task.created', task_id: card.id });
    }
  });

  it('numbers the entries of a board without a gap, so that a follower reads each once', async () => {
    const cards = [await ours.card(board.board_id), await ours.card(board.board_id)];
    const { next_cursor } = (await ours.get(`/activity/boards/${board.board_id}`)).json();
    await outcomes(cards.map(({ id }) => ({ task_id: id, set: { priority: 'low' } })));
    await ours.patch(`/tasks/${cards[0]!.id}`, { title: 'Afterwards' });
    const { items } = (await ours.get(`/activity/boards/${board.board_id}?since=${next_cursor}`)).json();
    const told = items.map(({ task_id }: { task_id: string }) => task_id);
    expect(told).toEqual([cards[0]!.id, cards[1]!.id, cards[0]!.id]);
  });

  it('writes no version and no entry when a card already has the values', async () => {
    const card = await ours.card(board.board_id, { priority: 'high' });
    const before = await entries(board.board_id);
    const [result] = await outcomes([{ task_id: card.id, set: { priority: 'high' } }]);
    expect(result).toMatchObject({ changed: {}, version: 1, refused: null });
    expect(await entries(board.board_id)).toEqual(before);
  });

  it('undoes a change with the values from its response, except for fields that changed since', async () => {
    const card = await ours.card(board.board_id, { labels: ['a'] });
    const set = { status: 'done', priority: 'urgent', labels: ['a', 'b'] };
    const [{ changed, from_column }] = (await outcomes([{ task_id: card.id, set }])) as [CardOutcome];
    await ours.patch(`/tasks/${card.id}`, { priority: 'low' });
    const back = {
      column: from_column,
      priority: changed['priority']!.from,
      labels: changed['labels']!.from,
    };
    const seen = Object.fromEntries(Object.entries(changed).map(([name, { to }]) => [name, to]));
    const [undone] = await outcomes([{ task_id: card.id, set: back, seen }]);
    expect(undone).toMatchObject({ kept: ['priority'], refused: null });
    expect(await read(card)).toMatchObject({
      status: 'pending',
      column: { name: 'Backlog' },
      priority: 'low',
      labels: ['a'],
    });
  });

  it('keeps the column of a card that was moved since, however the column is named', async () => {
    const card = await ours.card(board.board_id);
    await ours.patch(`/tasks/${card.id}`, { status: 'blocked' });
    for (const set of [{ status: 'done' }, { column_id: board.columns[4]!.id }]) {
      const [result] = await outcomes([{ task_id: card.id, set, seen: { status: 'pending' } }]);
      expect(result).toMatchObject({ kept: ['status'], changed: {} });
    }
    expect(await read(card)).toMatchObject({ status: 'blocked' });
  });

  it('refuses single cards and changes the others', async () => {
    const [mine, commented] = await makeTwo();
    const foreign = await theirs.card((await theirs.board()).board_id);
    const set = { priority: 'high' };
    const tasks = [mine, commented, foreign, { id: MISSING }].map(({ id }) => ({ task_id: id, set }));
    expect((await outcomes(tasks, guest)).map(({ refused }) => refused)).toEqual([
      null,
      'Your level on this board does not allow you to change cards',
      'Card not found',
      'Card not found',
    ]);
    expect((await read(mine)).priority).toBe('high');
    expect((await read(commented)).priority).toBe('normal');
    const columns = (await outcomes([
      { task_id: mine.id, set: { column: 'Nowhere' } },
      { task_id: commented.id, set: { assignee: 999_999 } },
    ])) as [CardOutcome, CardOutcome];
    expect(columns[0].refused).toMatch(/it has none called "Nowhere"/);
    expect(columns[1].refused).toBe('assignee must name people who can open this board');
  });

  it('refuses members-only fields from a guest', async () => {
    const card = await ours.card(board.board_id);
    const [result] = await outcomes([{ task_id: card.id, set: { assignee_agent_id: null } }], guest);
    expect(result!.refused).toBe('A guest may not set assignee_agent_id');
  });

  it.each([
    ['no card', []],
    ['a card twice', [MISSING, MISSING].map((task_id) => ({ task_id, set: {} }))],
    ['a long text', [{ task_id: MISSING, set: { instructions: 'Go' } }]],
    ['another card', [{ task_id: MISSING, set: { parent_id: MISSING } }]],
    ['a new position', [{ task_id: MISSING, set: { before: MISSING } }]],
    ['an unknown field', [{ task_id: MISSING, set: { colour: 'red' } }]],
    ['more than 500 cards', Array.from({ length: 501 }, () => ({ task_id: MISSING, set: {} }))],
  ])('returns 422 and changes nothing for %s', async (_, tasks) => {
    expect((await change(tasks)).statusCode).toBe(422);
  });

  it('notifies the new assignee once for each card', async () => {
    const workspace = await world.workspace();
    const colleague = await world.member(workspace.brand);
    const caller = boardCaller(world, workspace.bearer);
    const { board_id } = await caller.board();
    const cards = [await caller.card(board_id), await caller.card(board_id)];
    await outcomes(
      cards.map(({ id }) => ({ task_id: id, set: { assignee: colleague.user_id } })),
      caller,
    );
    const cookie = await world.signIn(colleague, workspace.brand);
    const inbox = await world.inject({ url: '/api/v1/me/inbox', headers: { cookie } });
    const told = inbox.json().items.map(({ kind }: { kind: string }) => kind);
    expect(told).toEqual(['assigned', 'assigned']);
  });
});
