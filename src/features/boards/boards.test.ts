import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { boardStore } from './board/boards.store.js';
import type { Board } from './boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from './boards.test-support.js';

let world: World;
let brandId: number;
let ours: BoardCaller;
let theirs: BoardCaller;

beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  brandId = workspace.brand.brand_id;
  ours = boardCaller(world, workspace.bearer);
  theirs = boardCaller(world, (await world.workspace()).bearer);
});
afterAll(() => world.stop());

describe('POST /api/v1/board/boards', () => {
  it('returns 201 with the board and the default columns', async () => {
    const response = await ours.call('POST', '/boards', { name: 'Mobile App' });
    expect(response.statusCode).toBe(201);
    const board = response.json() as Board;
    expect(Object.keys(board)).toEqual([
      'board_id',
      'name',
      'key',
      'board_type',
      'columns',
      'created_at',
      'your_role',
    ]);
    expect(board).toMatchObject({ name: 'Mobile App', key: 'MA', board_type: 'build' });
    expect(board.columns.map(({ name, status }) => `${name}/${status}`)).toEqual([
      'Backlog/pending',
      'In Progress/in_progress',
      'Review/in_review',
      'Blocked/blocked',
      'Done/done',
    ]);
  });

  it('accepts custom columns and the other board types', async () => {
    const board = await ours.board({ board_type: 'crm', columns: [{ name: ' Leads ', status: 'pending' }] });
    expect(board.board_type).toBe('crm');
    expect(board.columns).toEqual([{ id: expect.any(String), name: 'Leads', status: 'pending' }]);
    expect((await ours.board({ board_type: 'general' })).board_type).toBe('general');
  });

  it('gives every board of a workspace its own key, even when many are created at once', async () => {
    const boards = await Promise.all(Array.from({ length: 20 }, () => ours.board({ name: 'Same Name' })));
    expect(new Set(boards.map(({ key }) => key)).size).toBe(20);
  });

  it.each([
    ['no name', {}, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['an unknown board type', { name: 'x', board_type: 'kanban' }, 'board_type'],
    ['no columns', { name: 'x', columns: [] }, 'columns'],
    ['a column without a status', { name: 'x', columns: [{ name: 'a' }] }, 'status'],
    ['an unknown status', { name: 'x', columns: [{ name: 'a', status: 'open' }] }, 'status'],
    [
      'two columns with the same name',
      {
        name: 'x',
        columns: [
          { name: 'A', status: 'done' },
          { name: ' a', status: 'pending' },
        ],
      },
      'columns',
    ],
    ['a comma in a column name', { name: 'x', columns: [{ name: 'a, b', status: 'done' }] }, 'comma'],
    ['a blank column name', { name: 'x', columns: [{ name: ' ', status: 'done' }] }, 'blank'],
    ['an unknown key', { name: 'x', colour: 'red' }, 'colour'],
  ])('refuses %s with a 422 that names it', async (_what, payload, field) => {
    const response = await ours.call('POST', '/boards', payload);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail).toContain(field);
  });

  it('returns 401 without a credential', async () => {
    const response = await world.inject({
      method: 'POST',
      url: '/api/v1/board/boards',
      payload: { name: 'x' },
    });
    expect(response.statusCode).toBe(401);
  });
});

describe('GET /api/v1/board/boards', () => {
  it('lists only the boards of the workspace, with total', async () => {
    const mine = boardCaller(world, (await world.workspace()).bearer);
    const [first, second] = [await mine.board({ name: 'First' }), await mine.board({ name: 'Second' })];
    const response = await mine.get('/boards');
    expect(response.json()).toEqual({ boards: [first, second], total: 2 });
    expect((await mine.get('/boards?per_page=1&page=2')).json()).toEqual({ boards: [second], total: 2 });
    expect((await mine.get('/boards?page=9')).json()).toEqual({ boards: [], total: 2 });
  });

  it.each(['per_page=0', 'per_page=501', 'page=0', 'page=1.5', 'per_page=ten'])(
    'returns 400 for %s',
    async (query) => {
      expect((await ours.get(`/boards?${query}`)).statusCode).toBe(400);
    },
  );
});

describe('GET /api/v1/board/boards/{board_id}', () => {
  it('returns the board as it was created', async () => {
    const board = await ours.board();
    expect((await ours.get(`/boards/${board.board_id}`)).json()).toEqual(board);
  });

  it("returns 403 for another workspace's board, and 404 for an unknown or malformed id", async () => {
    const board = await theirs.board();
    expect((await ours.get(`/boards/${board.board_id}`)).statusCode).toBe(403);
    expect((await ours.get(`/boards/${MISSING}`)).statusCode).toBe(404);
    expect((await ours.get('/boards/17')).statusCode).toBe(404);
  });
});

describe('PATCH /api/v1/board/boards/{board_id}', () => {
  it('renames the board and keeps its key', async () => {
    const board = await ours.board({ name: 'Old Name' });
    const response = await ours.patch(`/boards/${board.board_id}`, { name: 'New Title' });
    expect(response.json()).toEqual({ ...board, name: 'New Title' });
  });

  it('reorders, renames, adds and removes columns, and keeps those matched by id or name', async () => {
    const board = await ours.board();
    const [backlog, progress] = board.columns;
    const response = await ours.patch(`/boards/${board.board_id}`, {
      columns: [
        { name: 'in progress', status: 'in_progress' },
        { id: backlog!.id, name: 'Ideas', status: 'pending' },
        { name: 'Dropped', status: 'canceled' },
      ],
    });
    expect(response.statusCode).toBe(200);
    expect((response.json() as Board).columns).toEqual([
      { id: progress!.id, name: 'in progress', status: 'in_progress' },
      { id: backlog!.id, name: 'Ideas', status: 'pending' },
      { id: expect.any(String), name: 'Dropped', status: 'canceled' },
    ]);
  });

  it('swaps the names of two columns', async () => {
    const board = await ours.board({
      columns: [
        { name: 'A', status: 'pending' },
        { name: 'B', status: 'done' },
      ],
    });
    const [a, b] = board.columns;
    const columns = [
      { ...a!, name: 'B' },
      { ...b!, name: 'A' },
    ];
    expect((await ours.patch(`/boards/${board.board_id}`, { columns })).json()).toMatchObject({ columns });
  });

  it('refuses to remove a column that holds cards with 409', async () => {
    const board = await ours.board();
    await ours.card(board.board_id);
    const response = await ours.patch(`/boards/${board.board_id}`, { columns: board.columns.slice(1) });
    expect(response.statusCode).toBe(409);
    expect((await ours.get(`/boards/${board.board_id}`)).json()).toEqual(board);
  });

  it('gives the cards of a column its new status', async () => {
    const board = await ours.board();
    const card = await ours.card(board.board_id);
    const [first, ...others] = board.columns;
    await ours.patch(`/boards/${board.board_id}`, { columns: [{ ...first!, status: 'blocked' }, ...others] });
    expect((await ours.get(`/tasks/${card.id}`)).json()).toMatchObject({ status: 'blocked', version: 2 });
    expect((await ours.get('/master/tasks?status=blocked')).json().items[0]).toMatchObject({ id: card.id });
  });

  it('updates the tallies once per statement, and correctly, when thousands of cards change their status', async () => {
    const board = await ours.board({ board_type: 'general' });
    const [backlog, progress] = board.columns;
    await ours.card(board.board_id);
    await ours.card(board.board_id, { column: 'In Progress', pr_number: 3 });
    await sql`
      insert into cards select copy.* from cards k cross join generate_series(3, 1000) n
      cross join lateral jsonb_populate_record(k, jsonb_build_object('card_id', gen_random_uuid(), 'number', k.number + 2 * n)) copy
      where k.board_id = ${board.board_id}
    `.execute(world.db);
    const restated = [
      { columnId: backlog!.id, from: 'pending', to: 'done' },
      { columnId: progress!.id, from: 'in_progress', to: 'blocked' },
    ];
    const { rows } = await world.db.transaction().execute(async (tx) => {
      await boardStore(tx, brandId).restateCards(board.board_id, restated, world.clock.now());
      return sql<{ written: number }>`
        select n_tup_ins + n_tup_upd as written from pg_stat_xact_user_tables where relname = 'card_tallies'
      `.execute(tx);
    });
    // The session's statistics may still include a few earlier writes.
    expect(rows[0]!.written).toBeLessThan(100);
    const count = async (query: string) =>
      (await ours.get(`/master/tasks?limit=1&board_ids=${board.board_id}&${query}`)).json().total;
    expect(
      await Promise.all(['status=done', 'status=blocked&has_pr=true', 'status=pending'].map(count)),
    ).toEqual([999, 999, 0]);
  });

  it('writes one board.updated entry, and none when nothing changes', async () => {
    const board = await ours.board({ name: 'Quiet' });
    await ours.patch(`/boards/${board.board_id}`, {});
    await ours.patch(`/boards/${board.board_id}`, { name: 'Quiet', columns: board.columns });
    await ours.patch(`/boards/${board.board_id}`, { name: 'Loud', columns: board.columns.slice(0, 2) });
    const { items } = (await ours.get(`/activity/boards/${board.board_id}`)).json();
    expect(items.map(({ action }: { action: string }) => action)).toEqual(['board.updated', 'board.created']);
    expect(items[0].changes.name).toEqual({ from: 'Quiet', to: 'Loud' });
    expect(Object.keys(items[0].changes)).toEqual(['name', 'columns']);
  });

  it("returns 403 for another workspace's board and 422 for null or unknown keys", async () => {
    const foreign = await theirs.board();
    const own = await ours.board();
    expect((await ours.patch(`/boards/${foreign.board_id}`, { name: 'x' })).statusCode).toBe(403);
    expect((await ours.patch(`/boards/${own.board_id}`, { name: null })).statusCode).toBe(422);
    expect((await ours.patch(`/boards/${own.board_id}`, { key: 'X' })).json().detail).toContain('key');
    const columns = [{ ...own.columns[0]!, name: 'Back,log' }, ...own.columns.slice(1)];
    const comma = await ours.patch(`/boards/${own.board_id}`, { columns });
    expect([comma.statusCode, comma.json().detail]).toEqual([
      422,
      'columns.0.name must not be blank and must not contain a comma',
    ]);
  });
});

describe('DELETE /api/v1/board/boards/{board_id}', () => {
  const remove = (boardId: string, caller = ours) => caller.call('DELETE', `/boards/${boardId}`);

  it('returns 204 and deletes everything on the board', async () => {
    const board = await ours.board();
    const card = await ours.card(board.board_id, { instructions: 'Long', labels: ['x'] });
    await ours.card(board.board_id, { parent_id: card.id, blocked_by: [card.id] });
    await ours.comment(card.id);
    const elsewhere = await ours.card((await ours.board()).board_id, { blocked_by: [card.id] });
    expect((await remove(board.board_id)).statusCode).toBe(204);
    const { board_id } = board;
    for (const path of [
      `/boards/${board_id}`,
      `/boards/${board_id}/tasks`,
      `/boards/${board_id}/export`,
      `/boards/${board_id}/guests`,
      `/activity/boards/${board_id}`,
      `/activity/boards/${board_id}/stream`,
      `/tasks/${card.id}`,
      `/tasks/${card.id}/comments`,
      `/master/tasks?board_ids=${board_id}`,
    ]) {
      expect([path, (await ours.get(path)).statusCode]).toEqual([path, 404]);
    }
    expect((await ours.call('POST', `/boards/${board_id}/tasks`, { title: 'x' })).statusCode).toBe(404);
    expect((await remove(board_id)).statusCode).toBe(404);
    expect((await ours.get(`/tasks/${elsewhere.id}`)).json().blocked_by).toEqual([]);
    for (const table of ['cards', 'board_activity', 'board_columns', 'card_tallies'] as const) {
      const rows = await world.db
        .selectFrom(table)
        .select('board_id')
        .where('board_id', '=', board_id)
        .execute();
      expect(rows).toEqual([]);
    }
  });

  it('never reuses its key for another board', async () => {
    const key = async () => (await ours.board({ name: 'Quite Unusual' })).key;
    const board = await ours.board({ name: 'Quite Unusual' });
    expect(board.key).toBe('QU');
    await remove(board.board_id);
    expect(await key()).toBe('QU2');
    const last = await ours.board({ name: 'Quite Unusual' });
    await remove(last.board_id);
    expect(await key()).toBe('QU4');
    const stranger = boardCaller(world, (await world.workspace()).bearer);
    expect((await stranger.board({ name: 'Quite Unusual' })).key).toBe('QU');
  });

  it("removes its guests' access at once", async () => {
    const workspace = await world.workspace();
    const admins = boardCaller(world, workspace.bearer);
    const [going, staying] = [await admins.board(), await admins.board()];
    const [one, both] = [await world.person(), await world.person()];
    const invite = ({ board_id }: Board, { user_id }: { user_id: number }) =>
      admins.call('PUT', `/boards/${board_id}/guests/${user_id}`, { role: 'viewer' });
    await invite(going, one);
    await invite(going, both);
    await invite(staying, both);
    const signIn = async (person: typeof one) =>
      boardCaller(world, { cookie: await world.signIn(person, workspace.brand) });
    const [gone, kept] = [await signIn(one), await signIn(both)];
    expect((await remove(going.board_id, admins)).statusCode).toBe(204);
    expect((await gone.get('/boards')).statusCode).toBe(401);
    expect((await kept.get('/boards')).json()).toMatchObject({
      boards: [{ board_id: staying.board_id }],
      total: 1,
    });
  });

  it('is for admins of the workspace only', async () => {
    const workspace = await world.workspace();
    const board = await boardCaller(world, workspace.bearer).board();
    const member = await world.member(workspace.brand);
    const members = boardCaller(world, {
      authorization: `Bearer ${await world.token(workspace.brand, member)}`,
    });
    const refusal = await remove(board.board_id, members);
    expect([refusal.statusCode, refusal.json()]).toEqual([403, { detail: 'Brand admin access required' }]);
    expect((await remove(board.board_id)).statusCode).toBe(403);
    expect((await remove(MISSING)).statusCode).toBe(404);
    expect((await remove('17')).statusCode).toBe(404);
    expect((await members.get(`/boards/${board.board_id}`)).statusCode).toBe(200);
  });

  it('records the person who deleted the board', async () => {
    const board = await ours.board({ name: 'Forgotten' });
    await remove(board.board_id);
    const { items } = await world.operator<{ items: { action: string; subject: string }[] }>('GET', '/audit');
    expect(items[0]).toMatchObject({
      action: 'board.deleted',
      subject: `board:${board.board_id}`,
      details: { name: 'Forgotten', key: board.key },
    });
  });
});
