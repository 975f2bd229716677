import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boardCaller } from '../src/features/boards/boards.test-support.js';
import { startTestApp, type World } from './support/app.js';

let world: World;
let home: Awaited<ReturnType<World['workspace']>>;
let paths: Record<string, string>;

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace();
  const ours = boardCaller(world, home.bearer);
  const { board_id } = await ours.board();
  const card = await ours.card(board_id);
  paths = {
    boards: '/api/v1/board/boards?per_page=500',
    'cards of a board': `/api/v1/board/boards/${board_id}/tasks?per_page=500`,
    'comments of a card': `/api/v1/board/tasks/${card.id}/comments?per_page=500`,
    'history of a card': `/api/v1/board/tasks/${card.id}/activity?per_page=500`,
    hires: '/api/v1/employees/hires?limit=100',
  };
});
afterAll(() => world.stop());

describe('The last allowed page is empty', () => {
  it.each([
    ['boards', 999_999_999_999_999],
    ['cards of a board', 999_999_999_999_999],
    ['comments of a card', 999_999_999_999_999],
    ['history of a card', 999_999_999_999_999],
    ['hires', 1_000_000],
  ])('%s, page %i', async (what, last) => {
    const headers = what === 'hires' ? { cookie: home.cookie } : home.bearer;
    const ask = (page: number) => world.inject({ url: `${paths[what]!}&page=${page}`, headers });
    const [first, beyond] = [await ask(1), await ask(last)];
    expect([first.statusCode, beyond.statusCode], beyond.body).toEqual([200, 200]);
    const { total, ...lists } = beyond.json() as Record<string, unknown>;
    expect(total).toBe((first.json() as { total: number }).total);
    expect(Object.values(lists).filter(Array.isArray)).toEqual([[]]);
    expect((await ask(last + 1)).statusCode).toBe(what === 'hires' ? 422 : 400);
  });
});
