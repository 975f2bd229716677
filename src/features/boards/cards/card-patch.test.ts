import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import type { Tx } from '../../../platform/database/database.js';
import { boardStore } from '../board/boards.store.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import { FIELD_NAMES } from './card-fields.js';
import type { FullCard, Receipt } from './cards.schemas.js';

let world: World;
let ours: BoardCaller;
let theirs: BoardCaller;
let admin: TestPerson;
let brandId: number;
let board: Board;

beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  admin = workspace.admin;
  brandId = workspace.brand.brand_id;
  ours = boardCaller(world, workspace.bearer);
  theirs = boardCaller(world, (await world.workspace()).bearer);
  board = await ours.board();
});
afterAll(() => world.stop());

const receipt = async (cardId: string, payload: object): Promise<Receipt> =>
  (await ours.patch(`/tasks/${cardId}?return=receipt`, payload)).json();
const read = async (cardId: string): Promise<FullCard> => (await ours.get(`/tasks/${cardId}`)).json();
const entries = async (boardId: string) =>
  (await ours.get(`/activity/boards/${boardId}?limit=200`)).json().items;

describe('PATCH /api/v1/board/tasks/{task_id}', () => {
  it('returns the full card, by default and with return=full', async () => {
    const card = await ours.card(board.board_id);
    const response = await ours.patch(`/tasks/${card.id}`, { title: 'Renamed' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(await read(card.id));
    expect(response.json()).toMatchObject({ title: 'Renamed', version: 2 });
    expect((await ours.patch(`/tasks/${card.id}?return=full`, { title: 'Again' })).json()).toMatchObject({
      version: 3,
    });
  });

  it('returns {task_id, changed, from_column, to_column} with return=receipt', async () => {
    const card = await ours.card(board.board_id);
    expect(await receipt(card.id, { status: 'in_progress', branch: 'feat/a' })).toEqual({
      task_id: card.id,
      changed: {
        branch: { from: null, to: 'feat/a' },
        status: { from: 'pending', to: 'in_progress' },
        column: { from: 'Backlog', to: 'In Progress' },
      },
      from_column: 'Backlog',
      to_column: 'In Progress',
    });
  });

  it('returns null for both columns when the card did not move', async () => {
    const card = await ours.card(board.board_id);
    expect(await receipt(card.id, { title: 'x' })).toEqual({
      task_id: card.id,
      changed: { title: { from: 'A card', to: 'x' } },
      from_column: null,
      to_column: null,
    });
  });

  it('ignores a return key inside the body', async () => {
    const card = await ours.card(board.board_id);
    const response = await ours.patch(`/tasks/${card.id}`, { return: 'receipt', title: 'x' });
    expect(response.statusCode).toBe(200);
    expect(Object.keys(response.json())).toHaveLength(FIELD_NAMES.length);
    expect((await ours.patch(`/tasks/${card.id}`, { return: [1] })).json()).toMatchObject({ version: 2 });
  });

  it.each(['return=all', 'return=', 'return=receipt&return=full'])('returns 400 for %s', async (query) => {
    const card = await ours.card(board.board_id);
    expect((await ours.patch(`/tasks/${card.id}?${query}`, { title: 'x' })).statusCode).toBe(400);
  });

  it('keeps absent fields, clears with null, and sets a value', async () => {
    const card = await ours.card(board.board_id, {
      branch: 'a',
      pr_number: 5,
      due_at: '2027-01-01T00:00:00Z',
      labels: ['x'],
    });
    const { changed } = await receipt(card.id, { branch: null, labels: null, pr_number: 6 });
    expect(changed).toEqual({
      branch: { from: 'a', to: null },
      labels: { from: ['x'], to: [] },
      pr_number: { from: 5, to: 6 },
    });
    expect(await read(card.id)).toMatchObject({
      branch: null,
      pr_number: 6,
      labels: [],
      due_at: '2027-01-01T00:00:00.000Z',
    });
  });

  it('writes nothing when nothing changes, and the receipt has changed: {}', async () => {
    const own = await ours.board();
    const card = await ours.card(own.board_id, {
      assignee: admin.user_id,
      due_at: '2027-01-01T00:00:00Z',
      agent_context: { profile: 'pi.hard', deep: { b: 1, a: 2 } },
      labels: ['a'],
      instructions: 'x',
    });
    const same = {
      title: card.title,
      status: 'pending',
      column: card.column,
      assignee: card.assignee,
      due_at: '2027-01-01T01:00:00+01:00',
      agent_context: { deep: { a: 2, b: 1 }, profile: 'pi.hard' },
      labels: ['a', 'a'],
      instructions: 'x',
      branch: null,
    };
    for (const payload of [same, {}]) {
      expect(await receipt(card.id, payload)).toEqual({
        task_id: card.id,
        changed: {},
        from_column: null,
        to_column: null,
      });
    }
    expect(await read(card.id)).toEqual(card);
    expect(await entries(own.board_id)).toHaveLength(2);
  });

  it('returns full values in the receipt, and their start in the feed', async () => {
    const own = await ours.board();
    const card = await ours.card(own.board_id, { instructions: 'a'.repeat(5000) });
    const { changed } = await receipt(card.id, { instructions: 'b'.repeat(5000), result: 'fine' });
    expect(changed['instructions']).toEqual({ from: 'a'.repeat(5000), to: 'b'.repeat(5000) });
    expect(Object.keys(changed)).toEqual(['instructions', 'result']);
    const [entry] = await entries(own.board_id);
    expect(entry.changes.instructions).toEqual({ from: 'a'.repeat(200), to: 'b'.repeat(200) });
    expect(await read(card.id)).toMatchObject({ description_excerpt: 'b'.repeat(200), result: 'fine' });
  });

  it('can undo a change with the values from its receipt', async () => {
    const card = await ours.card(board.board_id, { branch: 'a', labels: ['x'], estimate_points: 3 });
    const { changed } = await receipt(card.id, {
      branch: 'b',
      labels: [],
      estimate_points: null,
      column: 'Done',
      title: 'y',
    });
    const undo = Object.fromEntries(Object.entries(changed).map(([field, { from }]) => [field, from]));
    await ours.patch(`/tasks/${card.id}`, undo);
    const { version: _v, updated_at: _u, ...before } = card;
    expect(await read(card.id)).toMatchObject(before);
  });

  it('needs two steps to undo the move of a canceled card, because its old column and status disagree', async () => {
    const card = await ours.card(board.board_id, { column: 'Review' });
    await ours.patch(`/tasks/${card.id}`, { status: 'canceled' });
    const { changed } = await receipt(card.id, { column: 'Done' });
    expect(changed).toEqual({
      status: { from: 'canceled', to: 'done' },
      column: { from: 'Review', to: 'Done' },
    });
    const undo = { column: 'Review', status: 'canceled' };
    expect((await ours.patch(`/tasks/${card.id}`, undo)).statusCode).toBe(409);
    await ours.patch(`/tasks/${card.id}`, { column: undo.column });
    await ours.patch(`/tasks/${card.id}`, { status: undo.status });
    expect(await read(card.id)).toMatchObject({ column: { name: 'Review' }, status: 'canceled' });
  });

  describe('Column and status', () => {
    const place = async (cardId: string, payload: object) => {
      const { column, status } = (await ours.patch(`/tasks/${cardId}`, payload)).json() as FullCard;
      return `${column?.name}/${status}`;
    };

    it('naming a column, in each of its forms, moves the card and sets the status', async () => {
      const card = await ours.card(board.board_id);
      const done = board.columns[4]!;
      const forms = [
        { column: ' done ' },
        { column: { id: done.id } },
        { column: { name: 'DONE' } },
        { column_id: done.id },
        { column_name: 'Done' },
      ];
      for (const form of forms) {
        await ours.patch(`/tasks/${card.id}`, { column: 'Backlog' });
        expect(await place(card.id, form)).toBe('Done/done');
      }
    });

    it('naming a status moves the card to the first column of that status', async () => {
      const own = await ours.board({
        columns: [
          { name: 'New', status: 'pending' },
          { name: 'Build', status: 'in_progress' },
          { name: 'Polish', status: 'in_progress' },
        ],
      });
      const card = await ours.card(own.board_id);
      expect(await place(card.id, { status: 'in_progress' })).toBe('Build/in_progress');
      expect(await place(card.id, { column: 'Polish' })).toBe('Polish/in_progress');
      expect(await place(card.id, { status: 'in_progress' })).toBe('Polish/in_progress');
    });

    it("a status without a column keeps the card's column, and naming the column resets the status", async () => {
      const card = await ours.card(board.board_id, { column: 'Review' });
      expect(await place(card.id, { status: 'canceled' })).toBe('Review/canceled');
      expect(await place(card.id, { column: 'Review' })).toBe('Review/in_review');
    });

    it('a column and a status that disagree return 409 and change nothing', async () => {
      const card = await ours.card(board.board_id);
      const response = await ours.patch(`/tasks/${card.id}`, {
        title: 'x',
        column: 'Done',
        status: 'in_review',
      });
      expect(response.statusCode).toBe(409);
      expect(response.json()).toEqual({ detail: 'Column and status disagree' });
      expect(await read(card.id)).toEqual(card);
      expect(await place(card.id, { column: 'Done', status: 'done' })).toBe('Done/done');
    });

    it('an unknown column returns 422', async () => {
      const card = await ours.card(board.board_id);
      const foreign = (await ours.board()).columns[0]!.id;
      for (const payload of [
        { column: 'Nope' },
        { column_id: foreign },
        { column: { id: 'x' } },
        { column: 5 },
        { column: null },
      ]) {
        expect((await ours.patch(`/tasks/${card.id}`, payload)).statusCode).toBe(422);
      }
    });

    it('moves keep the times of start and completion', async () => {
      const card = await ours.card(board.board_id);
      const started = (await ours.patch(`/tasks/${card.id}`, { status: 'in_progress' })).json();
      expect(started).toMatchObject({ started_at: started.updated_at, completed_at: null });
      const done = (await ours.patch(`/tasks/${card.id}`, { status: 'done' })).json();
      expect(done).toMatchObject({ started_at: started.started_at, completed_at: done.updated_at });
      expect((await ours.patch(`/tasks/${card.id}`, { status: 'pending' })).json().completed_at).toBeNull();
    });
  });

  describe('If-Match', () => {
    const patchIf = (cardId: string, tag: string, payload: object = { title: 'mine' }) =>
      ours.patch(`/tasks/${cardId}`, payload, { 'if-match': tag });

    it('makes a change conditional on the version, and * always matches', async () => {
      const card = await ours.card(board.board_id);
      expect((await patchIf(card.id, '"1"')).statusCode).toBe(200);
      expect((await patchIf(card.id, '"1"')).statusCode).toBe(412);
      expect((await patchIf(card.id, '*', { title: 'star' })).statusCode).toBe(200);
      expect((await patchIf(card.id, '"1", "3"', { title: 'listed' })).statusCode).toBe(200);
      for (const tag of ['W/"4"', '4', 'x', '"5"'])
        expect((await patchIf(card.id, tag)).statusCode).toBe(412);
    });

    it('names the fields that differ in the 412', async () => {
      const card = await ours.card(board.board_id);
      await ours.patch(`/tasks/${card.id}`, { branch: 'b' });
      await ours.patch(`/tasks/${card.id}`, { column: 'Done' });
      const { detail } = (await patchIf(card.id, '"1"')).json();
      expect(detail).toMatchObject({
        error: 'version_mismatch',
        current_version: 3,
        changed_fields: ['branch', 'column', 'status'],
      });
    });

    it('is checked before the 409, and also when nothing would change', async () => {
      const card = await ours.card(board.board_id);
      expect((await patchIf(card.id, '"9"', { column: 'Done', status: 'pending' })).statusCode).toBe(412);
      expect((await patchIf(card.id, '"1"', { column: 'Done', status: 'pending' })).statusCode).toBe(409);
      expect((await patchIf(card.id, '"9"', {})).statusCode).toBe(412);
    });

    it('lets exactly one of fifty writers succeed', async () => {
      const card = await ours.card(board.board_id);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => patchIf(card.id, '"1"', { title: `writer ${i}` })),
      );
      expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
      expect(answers.filter(({ statusCode }) => statusCode === 412)).toHaveLength(49);
    });
  });

  it('loses no update of fifty writers to different fields', async () => {
    const card = await ours.card(board.board_id);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        ours.patch(`/tasks/${card.id}`, i % 2 ? { tokens_in: i + 1 } : { tokens_out: i + 1 }),
      ),
    );
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect((await read(card.id)).version).toBe(51);
  });

  it('counts every concurrent comment', async () => {
    const card = await ours.card(board.board_id);
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 2 ? ours.comment(card.id) : ours.patch(`/tasks/${card.id}`, { branch: `b${i}` }),
      ),
    );
    expect(await read(card.id)).toMatchObject({ comment_count: 30, version: 31 });
  });

  describe('While another transaction holds the board', () => {
    const waiting = async () => {
      const { rows } = await sql<{ waiting: number }>`
        select count(*) as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%update cards k%'
      `.execute(world.db);
      return rows[0]!.waiting;
    };

    /** Changes the board after a PATCH was prepared and before it is written. */
    async function overtake(own: Board, cardId: string, patch: object, change: (tx: Tx) => Promise<unknown>) {
      let answer: Promise<{ statusCode: number }> | undefined;
      await world.db.transaction().execute(async (tx) => {
        await boardStore(tx, brandId).lockBoard(own.board_id, admin.user_id);
        // Waits until the PATCH is blocked by the lock.
        answer = ours.patch(`/tasks/${cardId}`, patch).then((response) => response);
        await expect.poll(waiting, { timeout: 120_000 }).toBe(1);
        await change(tx);
      });
      expect((await answer!).statusCode).toBe(200);
      return read(cardId);
    }

    it('plans a prepared move again when the columns changed meanwhile', async () => {
      const own = await ours.board();
      const card = await ours.card(own.board_id);
      const restated = own.columns.map((column) =>
        column.name === 'Done' ? { ...column, status: 'in_review' as const } : column,
      );
      const moved = await overtake(own, card.id, { column: 'Done' }, (tx) =>
        boardStore(tx, brandId).saveColumns(own.board_id, restated),
      );
      expect(moved).toMatchObject({ column: { name: 'Done' }, status: 'in_review', completed_at: null });
    });

    it('keeps a comment that was counted after the change was prepared', async () => {
      const own = await ours.board();
      const card = await ours.card(own.board_id);
      const changed = await overtake(own, card.id, { branch: 'b' }, (tx) =>
        sql`update cards set comment_count = comment_count + 1 where card_id = ${card.id}`.execute(tx),
      );
      expect(changed).toMatchObject({ branch: 'b', comment_count: 1, version: 2 });
    });

    it('plans a prepared change again when the card changed meanwhile', async () => {
      const own = await ours.board();
      const card = await ours.card(own.board_id, { branch: 'a' });
      const changed = await overtake(own, card.id, { branch: 'b' }, (tx) =>
        sql`update cards set version = version + 1, branch = 'c' where card_id = ${card.id}`.execute(tx),
      );
      expect(changed).toMatchObject({ branch: 'b', version: 3 });
      const [entry] = await entries(own.board_id);
      expect(entry.changes).toEqual({ branch: { from: 'c', to: 'b' } });
    });
  });

  it('returns 422 for an unknown key and names it', async () => {
    const card = await ours.card(board.board_id);
    const response = await ours.patch(`/tasks/${card.id}`, { nonsense: 1 });
    expect([response.statusCode, response.json().detail]).toEqual([422, 'nonsense is not a known field']);
  });

  it('refuses null for title and status, and bodies that are not objects', async () => {
    const card = await ours.card(board.board_id);
    for (const payload of [
      { title: null },
      { status: null },
      [],
      'null',
      '"x"',
      '{',
      { labels: { 0: 'x' } },
    ]) {
      expect((await ours.patch(`/tasks/${card.id}`, payload)).statusCode).toBe(422);
    }
    expect((await ours.patch(`/tasks/${card.id}`, 'x', { 'content-type': 'text/plain' })).statusCode).toBe(
      415,
    );
  });

  it('refuses a parent that would form a cycle, and a card that blocks itself', async () => {
    const top = await ours.card(board.board_id);
    const below = await ours.card(board.board_id, { parent_id: top.id });
    const other = await ours.card((await ours.board()).board_id);
    for (const payload of [
      { parent_id: top.id },
      { parent_id: below.id },
      { parent_id: other.id },
      { blocked_by: [top.id] },
    ]) {
      expect((await ours.patch(`/tasks/${top.id}`, payload)).statusCode).toBe(422);
    }
    expect(
      (await receipt(top.id, { blocked_by: [other.id, below.id, below.id] })).changed['blocked_by']?.to,
    ).toHaveLength(2);
    expect((await receipt(top.id, { blocked_by: [below.id] })).changed['blocked_by']?.to).toEqual([below.id]);
  });

  it("returns 404 for another workspace's card and an unknown one, after checking the body", async () => {
    const foreign = await theirs.card((await theirs.board()).board_id);
    for (const id of [foreign.id, MISSING, 'nope']) {
      expect((await ours.patch(`/tasks/${id}`, { title: 'x' })).statusCode).toBe(404);
      expect((await ours.patch(`/tasks/${id}`, { nonsense: 1 })).statusCode).toBe(422);
    }
  });
});
