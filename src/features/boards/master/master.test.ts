import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import type { FullCard } from '../cards/cards.schemas.js';

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
  it('returns {items, total, next_cursor} over all boards of the workspace, newest change first', async () => {
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
  ])('%s returns %s', async (query, expected) => {
    expect(await titles(query)).toBe(expected);
  });

  it('finds the cards in refs and ignores other values there', async () => {
    const refs = [cards['a']!.ref.toLowerCase(), cards['d']!.ref, 'UTF-8', 'nonsense', '-'].join(',');
    expect(await titles(`refs=${encodeURIComponent(refs)}`)).toBe('da:2');
    expect(await titles(`refs=${cards['a']!.ref}&board_ids=${crm.board_id}`)).toBe(':0');
    expect(await titles('refs=UTF-8')).toBe(':0');
    expect(await titles('refs=')).toBe('edcba:5');
    expect((await ask(`refs=${'A-1,'.repeat(751)}`)).statusCode).toBe(400);
  });

  it('limits the result to board_ids', async () => {
    expect(await titles(`board_ids=${build.board_id}`)).toBe('cba:3');
    expect(await titles(`board_ids=${build.board_id},${crm.board_id.toUpperCase()},${crm.board_id}`)).toBe(
      'edcba:5',
    );
    expect(await titles(`board_ids=${build.board_id}&board_type=crm`)).toBe(':0');
  });

  it('accepts since as an ISO time: changed at or after', async () => {
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
  ])('returns 400 for %s', async (query) => {
    expect((await ask(query)).statusCode).toBe(400);
  });

  it('returns 403 for a board of another workspace, before the 404 of an unknown one', async () => {
    expect((await ask(`board_ids=${MISSING},${foreign.board_id}`)).statusCode).toBe(403);
    expect((await ask(`board_ids=${build.board_id},${MISSING}`)).statusCode).toBe(404);
    expect((await ask('board_ids=17')).statusCode).toBe(404);
  });

  describe('The cursor of the master tasks', () => {
    const walk = async (caller: BoardCaller, query: string) => {
      const pages: FullCard[][] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const more: string = cursor && `&cursor=${cursor}`;
        const page = (await caller.get(`/master/tasks?${query}${more}`)).json();
        pages.push(page.items);
        cursor = page.next_cursor;
      }
      return pages;
    };

    it('continues where a page ended, up to the last page, where next_cursor is null', async () => {
      for (const limit of [1, 2, 3, 4, 5, 6]) {
        const pages = await walk(ours, `limit=${limit}`);
        expect(
          pages
            .flat()
            .map(({ title }) => title)
            .join(''),
        ).toBe('edcba');
        expect(pages).toHaveLength(Math.ceil(5 / limit));
      }
      expect((await ask('limit=5')).json().next_cursor).toBeNull();
      expect((await ask('status=unknown')).json()).toEqual({ items: [], total: 0, next_cursor: null });
    });

    it('works with filters, while total still counts all cards', async () => {
      const first = (await ask('has_pr=false&limit=2')).json();
      const second = (await ask(`has_pr=false&limit=2&cursor=${first.next_cursor}`)).json();
      expect([first.total, second.total, second.next_cursor]).toEqual([3, 3, null]);
      expect([...first.items, ...second.items].map(({ title }: FullCard) => title).join('')).toBe('eda');
      const since = `since=${cards['b']!.updated_at}&limit=3`;
      expect((await walk(ours, since)).map((page) => page.length)).toEqual([3, 1]);
    });

    it('reads thousands of cards of one timestamp once each, newest change first, then id ascending', async () => {
      const own = boardCaller(world, (await world.workspace()).bearer);
      const { board_id } = await own.board();
      await own.card(board_id);
      await sql`
        insert into cards select copy.* from cards k cross join generate_series(2, 2500) n
        cross join lateral jsonb_populate_record(k, jsonb_build_object(
          'card_id', gen_random_uuid(), 'number', n, 'updated_at', k.updated_at - make_interval(secs => n / 900))) copy
        where k.board_id = ${board_id}
      `.execute(world.db);
      for (const limit of [1000, 700]) {
        const pages = await walk(own, `limit=${limit}`);
        const items = pages.flat();
        const expected = items.toSorted(
          (a, b) => b.updated_at.localeCompare(a.updated_at) || (a.id < b.id ? -1 : 1),
        );
        expect(new Set(items.map(({ id }) => id)).size).toBe(2500);
        expect(items).toEqual(expected);
      }
      expect((await own.get('/master/tasks')).json().items).toHaveLength(500);
    });

    it('returns 400 when it is altered, of another workspace or of another endpoint', async () => {
      const { next_cursor } = (await ask('limit=1')).json();
      const feed = (await ours.get(`/activity/boards/${build.board_id}?limit=1`)).json().next_cursor;
      for (const cursor of ['x', '', `${next_cursor}A`, feed]) {
        const answer = await ask(`cursor=${cursor}`);
        expect([answer.statusCode, answer.json().detail]).toEqual([
          400,
          'cursor is not a cursor this endpoint issued',
        ]);
      }
      const stranger = boardCaller(world, (await world.workspace()).bearer);
      expect((await stranger.get(`/master/tasks?cursor=${next_cursor}`)).statusCode).toBe(400);
    });
  });

  it('GET /api/v1/board/master/tasks returns 401 without a token', async () => {
    expect((await world.inject({ method: 'GET', url: '/api/v1/board/master/tasks' })).statusCode).toBe(401);
  });

  it('has_pr matches pr_number or pr_url, also after they change', async () => {
    const own = boardCaller(world, (await world.workspace()).bearer);
    const { board_id } = await own.board();
    const has = async (value: boolean) => {
      const { items, total } = (await own.get(`/master/tasks?has_pr=${value}`)).json();
      expect(items).toHaveLength(total);
      return total;
    };
    const counts = async () => [await has(true), await has(false)];
    const pr_url = 'https://git.example/pull/7';
    const card = await own.card(board_id, { pr_url });
    await own.card(board_id);
    expect(await counts()).toEqual([1, 1]);
    await own.patch(`/tasks/${card.id}`, { pr_number: 7 });
    await own.patch(`/tasks/${card.id}`, { pr_url: null });
    expect(await counts()).toEqual([1, 1]);
    await own.patch(`/tasks/${card.id}`, { pr_number: null });
    expect(await counts()).toEqual([0, 2]);
    await own.patch(`/tasks/${card.id}`, { pr_url, column: 'Done' });
    expect(await counts()).toEqual([1, 1]);
    await own.call('DELETE', `/tasks/${card.id}`);
    expect(await counts()).toEqual([0, 1]);
  });

  it('GET /api/v1/board/master/tasks orders cards of one timestamp by id', async () => {
    const own = boardCaller(world, (await world.workspace()).bearer);
    const board = await own.board();
    for (let i = 0; i < 5; i++) await own.card(board.board_id);
    const ids = (await own.get('/master/tasks')).json().items.map(({ id }: FullCard) => id);
    expect(ids).toEqual([...ids].sort());
  });
});
