import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import type { Board, FullCard } from './boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from './boards.test-support.js';

let world: World;
let ours: BoardCaller;
let foreign: Board;
let build: Board;
let crm: Board;
const cards: Record<string, FullCard> = {};

beforeAll(async () => {
  world = await startTestApp();
  await world.freeze();
  ours = boardCaller(world, (await world.workspace()).bearer);
  foreign = await boardCaller(world, (await world.workspace()).bearer).board();
  build = await ours.board({ name: 'Build' });
  crm = await ours.board({ name: 'Leads', board_type: 'crm' });
  const make = async (title: string, board: Board, fields: object) => {
    await world.advance(60);
    cards[title] = await ours.card(board.board_id, { title, ...fields });
  };
  await make('a', build, { column: 'Backlog' });
  await make('b', build, { column: 'Review', pr_number: 1, branch: 'feat/b' });
  await make('c', build, { column: 'Done', pr_number: 2 });
  await make('d', crm, { column: 'Review' });
  await make('e', crm, { status: 'canceled' });
});
afterAll(() => world.stop());

const ask = (query: string) => ours.get(`/master/tasks?${query}`);
const titles = async (query: string) => {
  const { items, total } = (await ask(query)).json();
  return `${items.map(({ title }: FullCard) => title).join('')}:${total}`;
};

describe('GET /api/v1/board/master/tasks', () => {
  it('answers {items, total} over all boards of the brand, newest change first', async () => {
    const { items, total } = (await ours.get('/master/tasks')).json();
    expect(total).toBe(5);
    expect(items.map(({ title }: FullCard) => title).join('')).toBe('edcba');
    expect(items[3]).toEqual({
      id: cards['b']!.id,
      ref: cards['b']!.ref,
      title: 'b',
      board: 'Build',
      column: { id: build.columns[2]!.id, name: 'Review' },
      status: 'in_review',
      pr_number: 1,
      branch: 'feat/b',
      updated_at: cards['b']!.updated_at,
    });
  });

  it.each([
    ['column_names=review', 'db:2'],
    ['column_names=%20REVIEW%20,done', 'dcb:3'],
    ['column_names=Nowhere', ':0'],
    ['status=in_review,done', 'dcb:3'],
    ['status=canceled', 'e:1'],
    ['status=unknown', ':0'],
    ['has_pr=true', 'cb:2'],
    ['has_pr=false', 'eda:3'],
    ['board_type=crm', 'ed:2'],
    ['board_type=other', ':0'],
    ['board_type=build&column_names=Review', 'b:1'],
    ['has_pr=true&status=pending', ':0'],
    ['column_names=', 'edcba:5'],
    ['limit=2', 'ed:5'],
    ['limit=1&column_names=review', 'd:2'],
    ['limit=1000', 'edcba:5'],
  ])('%s gives %s', async (query, expected) => {
    expect(await titles(query)).toBe(expected);
  });

  it('narrows to board_ids', async () => {
    expect(await titles(`board_ids=${build.board_id}`)).toBe('cba:3');
    expect(await titles(`board_ids=${build.board_id},${crm.board_id.toUpperCase()},${crm.board_id}`)).toBe(
      'edcba:5',
    );
    expect(await titles(`board_ids=${build.board_id}&board_type=crm`)).toBe(':0');
  });

  it('takes since as an ISO time: changed at or after', async () => {
    expect(await titles(`since=${cards['c']!.updated_at}`)).toBe('edc:3');
    expect(await titles(`since=${cards['c']!.updated_at}&limit=1&column_names=review,done`)).toBe('d:2');
    const after = new Date(Date.parse(cards['c']!.updated_at) + 1).toISOString();
    expect(await titles(`since=${after}`)).toBe('ed:2');
  });

  it.each([
    'has_pr=1',
    'has_pr=yes',
    'has_pr=',
    'since=yesterday',
    'since=2026-13-01T00:00:00Z',
    'since=',
    'limit=0',
    'limit=1001',
    'limit=x',
  ])('answers 400 to %s', async (query) => {
    expect((await ask(query)).statusCode).toBe(400);
  });

  it('is 403 when a named board belongs to another brand, before the 404 of one that does not exist', async () => {
    expect((await ask(`board_ids=${MISSING},${foreign.board_id}`)).statusCode).toBe(403);
    expect((await ask(`board_ids=${build.board_id},${MISSING}`)).statusCode).toBe(404);
    expect((await ask('board_ids=17')).statusCode).toBe(404);
  });

  it('is 401 without a token', async () => {
    expect((await world.inject({ method: 'GET', url: '/api/v1/board/master/tasks' })).statusCode).toBe(401);
  });

  it('orders cards of one moment by id', async () => {
    const own = boardCaller(world, (await world.workspace()).bearer);
    const board = await own.board();
    for (let i = 0; i < 5; i++) await own.card(board.board_id);
    const ids = (await own.get('/master/tasks')).json().items.map(({ id }: FullCard) => id);
    expect(ids).toEqual([...ids].sort());
  });
});
