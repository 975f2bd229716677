import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';

let world: World;
let ours: BoardCaller;
let theirs: BoardCaller;

beforeAll(async () => {
  world = await startTestApp();
  ours = boardCaller(world, (await world.workspace()).bearer);
  theirs = boardCaller(world, (await world.workspace()).bearer);
});
afterAll(() => world.stop());

describe('GET /api/v1/board/tasks/{task_id}/activity', () => {
  it('answers the entries about that card alone, newest first, page by page', async () => {
    const board = await ours.board();
    const card = await ours.card(board.board_id);
    const other = await ours.card(board.board_id);
    await ours.patch(`/tasks/${card.id}`, { title: 'Renamed' });
    await ours.patch(`/tasks/${other.id}`, { title: 'Not this one' });
    await ours.comment(card.id, 'Nice');
    const page = async (query: string) => {
      const { items, total } = (await ours.get(`/tasks/${card.id}/activity${query}`)).json();
      return [items.map(({ action }: { action: string }) => action), total];
    };
    expect(await page('')).toEqual([['task.commented', 'task.updated', 'task.created'], 3]);
    expect(await page('?per_page=2')).toEqual([['task.commented', 'task.updated'], 3]);
    expect(await page('?per_page=2&page=2')).toEqual([['task.created'], 3]);
    expect(await page('?per_page=2&page=3')).toEqual([[], 3]);
  });

  it("does not know a card that is not there, nor another workspace's", async () => {
    const { id } = await ours.card((await ours.board()).board_id);
    expect((await ours.get(`/tasks/${MISSING}/activity`)).statusCode).toBe(404);
    expect((await theirs.get(`/tasks/${id}/activity`)).statusCode).toBe(404);
  });
});

describe('GET /api/v1/board/boards?with_counts=true', () => {
  it('tells how many cards a board has, how many of them are open, and when something last happened', async () => {
    const board = await ours.board({ name: 'Counted' });
    await ours.card(board.board_id);
    await ours.card(board.board_id, { status: 'done' });
    await ours.card(board.board_id, { archived: true });
    const find = async (query: string) =>
      (await ours.get(`/boards${query}`))
        .json()
        .boards.find(({ board_id }: { board_id: string }) => board_id === board.board_id);
    expect(await find('?with_counts=true')).toMatchObject({ card_count: 2, open_count: 1 });
    expect((await find('?with_counts=true')).last_activity_at).toMatch(/^\d{4}-.*Z$/);
    expect(Object.keys(await find(''))).not.toContain('card_count');
  });
});
