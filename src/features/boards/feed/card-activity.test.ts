import { sql } from 'kysely';
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
  it('returns the entries of that card only, newest first, in pages', async () => {
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
    expect(await page('?per_page=500&page=999999999999999')).toEqual([[], 3]);
  });

  describe('Activity of a card with many entries', () => {
    let boardId: string;
    let cardId: string;
    const titles: string[] = [];

    /** Adds entries as writes would, in one statement. */
    async function rename(times: number) {
      const from = titles.length;
      titles.push(...Array.from({ length: times }, (_, n) => `Title ${from + n}`));
      await sql`
        with board as (
          update boards set last_sequence = last_sequence + ${times} where board_id = ${boardId} returning last_sequence - ${times} as last
        )
        insert into board_activity (board_id, sequence, id, action, created_at, task_id, changes)
        select ${boardId}, last + n, gen_random_uuid(), 'task.updated', now(), ${cardId},
          jsonb_build_object('title', jsonb_build_object('from', '', 'to', 'Title ' || ${from}::int + n - 1))
        from board, generate_series(1, ${times}::int) n`.execute(world.db);
    }

    async function walk() {
      const told: string[] = [];
      for (let page = 1; ; page += 1) {
        const { items, total } = (
          await ours.get(`/tasks/${cardId}/activity?per_page=100&page=${page}`)
        ).json();
        expect(total).toBe(titles.length + 1);
        if (items.length === 0) return told.slice(0, -1).reverse();
        told.push(...items.map(({ changes }: { changes: { title?: { to: string } } }) => changes.title?.to));
      }
    }

    beforeAll(async () => {
      boardId = (await ours.board()).board_id;
      cardId = (await ours.card(boardId)).id;
    });

    it.each([[1230], [0], [1], [269], [1], [700]])(
      'returns each entry once, in order and with the total, after %i more',
      async (times) => {
        await rename(times);
        expect(await walk()).toEqual(titles);
      },
    );

    it('returns the right entries after the database was restored from a backup', async () => {
      await sql`
        with gone as (delete from board_activity where board_id = ${boardId} and sequence > 52)
        update boards set last_sequence = 52 where board_id = ${boardId}`.execute(world.db);
      titles.length = 50;
      expect(await walk()).toEqual(titles);
    });
  });

  it("returns 404 for an unknown card and for another workspace's", async () => {
    const { id } = await ours.card((await ours.board()).board_id);
    expect((await ours.get(`/tasks/${MISSING}/activity`)).statusCode).toBe(404);
    expect((await theirs.get(`/tasks/${id}/activity`)).statusCode).toBe(404);
  });
});

describe('GET /api/v1/board/boards?with_counts=true', () => {
  it('returns the number of cards, of open cards, and the time of the last activity', async () => {
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
