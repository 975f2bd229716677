import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import type { FullCard } from '../cards/cards.schemas.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

let world: World;
let home: Workspace;
let ours: BoardCaller;
let board: Board;
let card: FullCard;
/** A card of another workspace, whose board has another key. */
let foreign: FullCard;

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace({ plan: 'enterprise' });
  const away = await world.workspace({ plan: 'enterprise' });
  ours = boardCaller(world, home.bearer);
  const theirs = boardCaller(world, away.bearer);
  board = await ours.board({ name: 'Product Build' });
  card = await ours.card(board.board_id, { title: 'Named' });
  // Their board has the same key, and its card the same ref.
  await theirs.card((await theirs.board({ name: 'Product Build' })).board_id);
  foreign = await theirs.card((await theirs.board({ name: 'Foreign Work' })).board_id);
});
afterAll(() => world.stop());

const ask = async (method: string, url: string, payload?: object) => {
  const response = await world.inject({
    method: method as 'GET',
    url,
    headers: home.bearer,
    ...(payload && { payload }),
  });
  return { status: response.statusCode, body: response.body };
};

/** The routes with this path parameter that accept a token. */
const routesWith = (parameter: string) =>
  world.app.routes.filter(
    ({ path, access, name }) =>
      path.includes(`{${parameter}}`) &&
      access.credentials.includes('pat') &&
      name !== 'stream_board_activity',
  );

const fill = (path: string, parameter: string, value: string) =>
  path.replace(`{${parameter}}`, encodeURIComponent(value)).replaceAll(/\{[^}]+\}/g, MISSING);

describe('A ref in a path', () => {
  it('names the card on every route that takes a card id', async () => {
    const reads = routesWith('task_id').filter(({ method }) => method === 'GET');
    expect(reads.length).toBeGreaterThan(4);
    for (const { name, path } of reads) {
      const byId = await ask('GET', fill(path, 'task_id', card.id));
      for (const ref of [card.ref, card.ref.toLowerCase()])
        expect(await ask('GET', fill(path, 'task_id', ref)), name).toEqual(byId);
    }
    const changed = await ours.patch(`/tasks/${card.ref}`, { priority: 'high' });
    expect(changed.json()).toMatchObject({ id: card.id, priority: 'high' });
  });

  it('is refused like a missing id when it is unknown or of another workspace', async () => {
    for (const { name, method, path } of routesWith('task_id')) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const missing = await ask(method, fill(path, 'task_id', MISSING), body);
      for (const ref of [foreign.ref, 'PB-99999', 'NOPE-1'])
        expect(await ask(method, fill(path, 'task_id', ref), body), `${name} ${ref}`).toEqual(missing);
    }
  });
});

describe('A board key in a path', () => {
  it('names the board on every route that takes a board id', async () => {
    const reads = routesWith('board_id').filter(({ method }) => method === 'GET');
    expect(reads.length).toBeGreaterThan(4);
    for (const { name, path } of reads) {
      const byId = await ask('GET', fill(path, 'board_id', board.board_id));
      expect(await ask('GET', fill(path, 'board_id', board.key)), name).toEqual(byId);
      const missing = await ask('GET', fill(path, 'board_id', MISSING));
      expect(await ask('GET', fill(path, 'board_id', 'FW')), name).toEqual(missing);
    }
  });

  it('also works in board_ids', async () => {
    const found = await ours.get(`/master/tasks?board_ids=${board.key.toLowerCase()},${board.board_id}`);
    expect(found.json().items.map(({ id }: { id: string }) => id)).toEqual([card.id]);
    expect((await ours.get('/master/tasks?board_ids=FW')).statusCode).toBe(404);
  });
});

describe('A ref in a body', () => {
  it('names parent, blockers and neighbors of a position', async () => {
    const other = await ours.card(board.board_id, { parent_id: card.ref, blocked_by: [card.ref] });
    expect(other).toMatchObject({ parent_id: card.id, blocked_by: [card.id] });
    const last = await ours.card(board.board_id);
    expect((await ours.patch(`/tasks/${last.id}`, { before: card.ref })).statusCode).toBe(200);
    const cards = (await ours.get(`/boards/${board.key}/tasks`)).json().items as FullCard[];
    expect(cards.map(({ id }) => id)).toEqual([last.id, card.id, other.id]);
  });

  it('names the cards of a batch, where an unknown ref is refused like a missing id and the others change', async () => {
    const one = await ours.card(board.board_id);
    const set = { priority: 'low' };
    const tasks = [one.ref, foreign.ref, 'PB-99999', MISSING].map((task_id) => ({ task_id, set }));
    const response = await ours.call('POST', '/tasks:batch', { tasks });
    expect(response.statusCode).toBe(200);
    expect(response.json().results).toMatchObject([
      { task_id: one.id, refused: null, changed: { priority: { to: 'low' } } },
      ...Array.from({ length: 3 }, () => ({ refused: 'Card not found', changed: {} })),
    ]);
  });

  it.each([
    ['parent_id', (ref: string) => ref],
    ['blocked_by', (ref: string) => [ref]],
    ['before', (ref: string) => ref],
  ] as const)('is refused in %s like a missing id when it is unknown', async (field, value) => {
    const missing = await ours.patch(`/tasks/${card.id}`, { [field]: value(MISSING) });
    expect(missing.statusCode).toBe(422);
    for (const ref of [foreign.ref, 'NOPE-1']) {
      const refused = await ours.patch(`/tasks/${card.id}`, { [field]: value(ref) });
      expect([refused.statusCode, refused.body]).toEqual([422, missing.body]);
    }
  });

  it('is refused with a hint when it is neither a ref nor an id', async () => {
    const refused = await ours.patch(`/tasks/${card.id}`, { parent_id: 'the first one' });
    expect(refused.statusCode).toBe(422);
    expect(refused.json().detail).toBe('parent_id must be the ref of a card, such as ENG-12, or its id');
  });
});

it('Ids are used without a name lookup', async () => {
  const find = vi.spyOn(world.app.boards.names, 'find');
  try {
    await ours.get(`/tasks/${card.id}`);
    await ours.patch(`/tasks/${card.id}`, { blocked_by: [], parent_id: null });
    await ours.get(`/master/tasks?board_ids=${board.board_id}`);
    expect(find).not.toHaveBeenCalled();
    await ours.get(`/tasks/${card.ref}`);
    expect(find).toHaveBeenCalledTimes(1);
  } finally {
    find.mockRestore();
  }
});
