import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import { type Things, thingsOf } from '../../../../tests/support/card-things.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import { namesAt } from './card-fields.js';
import type { FullCard } from './cards.schemas.js';

let world: World;
let ours: BoardCaller;
let theirs: BoardCaller;
let admin: TestPerson;
let board: Board;
let things: Things;

beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  admin = workspace.admin;
  ours = boardCaller(world, workspace.bearer);
  theirs = boardCaller(world, (await world.workspace()).bearer);
  board = await ours.board({ name: 'Product Build' });
  things = thingsOf(world, workspace);
});
afterAll(() => world.stop());

const tasks = (query = '', boardId = board.board_id) => ours.get(`/boards/${boardId}/tasks${query}`);

describe('POST /api/v1/board/boards/{board_id}/tasks', () => {
  it('returns 201 with the full card, its fields in order', async () => {
    const card = await ours.card(board.board_id, { title: 'First' });
    expect(Object.keys(card)).toEqual(namesAt('full'));
    expect(card).toMatchObject({
      ref: `${board.key}-${card.number}`,
      board: board.name,
      board_id: board.board_id,
      task_type: 'coding',
      status: 'pending',
      column: { id: board.columns[0]!.id, name: 'Backlog' },
      assignee: null,
      reporter: { user_id: admin.user_id, name: admin.full_name },
      labels: [],
      instructions: null,
      description_excerpt: null,
      version: 1,
    });
  });

  it('accepts people by number or in the form in which they are returned', async () => {
    const card = await ours.card(board.board_id, {
      assignee: { user_id: admin.user_id },
      reporter: { user_id: admin.user_id, name: 'Somebody else' },
      watchers: [admin.user_id, admin.user_id],
    });
    const person = { user_id: admin.user_id, name: admin.full_name };
    expect(card).toMatchObject({ assignee: person, reporter: person, watchers: [person] });
  });

  it('places the card by column or status, and returns 409 when the two disagree', async () => {
    const column = async (fields: object) => {
      const { column, status } = await ours.card(board.board_id, fields);
      return `${column.name}/${status}`;
    };
    expect(await column({ column: ' rEview ' })).toBe('Review/in_review');
    expect(await column({ status: 'done' })).toBe('Done/done');
    expect(await column({ status: 'canceled' })).toBe('Backlog/canceled');
    expect(await column({ column_id: board.columns[1]!.id, status: 'in_progress' })).toBe(
      'In Progress/in_progress',
    );
    const response = await ours.call('POST', `/boards/${board.board_id}/tasks`, {
      title: 'x',
      column: 'Done',
      status: 'pending',
    });
    expect(response.statusCode).toBe(409);
  });

  it('keeps the first 200 whole characters of instructions as the excerpt', async () => {
    const { description_excerpt } = await ours.card(board.board_id, { instructions: '🦉'.repeat(300) });
    expect(description_excerpt).toBe('🦉'.repeat(200));
  });

  it('writes the search words once, with all texts of the card', async () => {
    await sql`create table word_writes (text_id uuid)`.execute(world.db);
    await sql`
      create function note_word_write() returns trigger language plpgsql as
        'begin insert into word_writes values (new.text_id); return null; end'`.execute(world.db);
    await sql`
      create trigger word_writes after insert or update on card_words for each row execute function note_word_write()`.execute(
      world.db,
    );
    for (const fields of [{}, { instructions: 'Paint the harbour' }, { instructions: '' }]) {
      const { id } = await ours.card(board.board_id, { title: 'Lighthouse', ...fields });
      const { rows } = await sql<{ words: string }>`
        select w.words::text as words from word_writes join card_words w using (text_id) where text_id = ${id}`.execute(
        world.db,
      );
      expect([fields, rows.length]).toEqual([fields, 1]);
      expect(rows[0]!.words).toContain('!lighthouse');
      expect(rows[0]!.words.includes('/harbour')).toBe(
        'instructions' in fields && fields.instructions !== '',
      );
    }
    await sql`drop trigger word_writes on card_words`.execute(world.db);
  });

  it('accepts a title of 1 to 500 characters and bodies up to 1 MiB each', async () => {
    const status = async (fields: object) =>
      (await ours.call('POST', `/boards/${board.board_id}/tasks`, { title: 'x', ...fields })).statusCode;
    expect(await status({ title: 'é'.repeat(500) })).toBe(201);
    expect(await status({ title: 'é'.repeat(501) })).toBe(422);
    expect(await status({ title: '' })).toBe(422);
    expect(await status({ instructions: 'x'.repeat(1_048_576) })).toBe(201);
    expect(await status({ result: 'x'.repeat(1_048_577) })).toBe(422);
    expect(await status({ result: 'é'.repeat(524_289) })).toBe(422);
  });

  it.each([
    ['agent_context.profile', { agent_context: { profile: 'claude.none' } }],
    ['agent_context', { agent_context: { x: 'y'.repeat(20_000) } }],
    ['column', { column: 'Nowhere' }],
    ['column', { column: null }],
    ['column', { column: {} }],
    ['column', { column: 'Done', column_name: 'Review' }],
    ['status', { status: 'finished' }],
    ['status', { status: null }],
    ['task_type', { task_type: 'chores' }],
    ['pr_number', { pr_number: '5' }],
    ['pr_number', { pr_number: 2_147_483_648 }],
    ['labels', { labels: 'urgent' }],
    ['labels', { labels: [1] }],
    ['due_at', { due_at: 'tomorrow' }],
    ['due_at', { due_at: '2016-12-31T23:59:60Z' }],
    ['due_at', { due_at: '0000-01-01T00:00:00Z' }],
    ['pr_url', { pr_url: 'javascript:alert(1)' }],
    ['parent_id', { parent_id: MISSING }],
    ['blocked_by', { blocked_by: [MISSING] }],
    ['assignee', { assignee: { user_id: 999_999 } }],
    ['title', { title: ['x'] }],
    ['title', { title: 'a\u0000b' }],
    ['ref', { ref: 'X-1' }],
    ['return', { return: 'receipt' }],
  ])('returns 422 for a bad %s and names it', async (field, fields) => {
    const response = await ours.call('POST', `/boards/${board.board_id}/tasks`, { title: 'x', ...fields });
    expect(response.statusCode).toBe(422);
    expect(response.json().detail).toContain(field);
  });

  it('refuses an assignee of another workspace', async () => {
    const stranger = await world.person();
    const response = await ours.call('POST', `/boards/${board.board_id}/tasks`, {
      title: 'x',
      assignee: stranger.user_id,
    });
    expect(response.statusCode).toBe(422);
  });

  it('assigns numbers without gaps or repeats, even to simultaneous requests, and does not reuse them after a deletion', async () => {
    const own = await ours.board();
    const cards = await Promise.all(Array.from({ length: 30 }, () => ours.card(own.board_id)));
    expect(cards.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
    const last = cards.find(({ number }) => number === 30)!;
    await ours.call('DELETE', `/tasks/${last.id}`);
    expect((await ours.card(own.board_id)).number).toBe(31);
  });

  it("returns 403 on another workspace's board and 404 on an unknown one", async () => {
    const foreign = await theirs.board();
    expect((await ours.call('POST', `/boards/${foreign.board_id}/tasks`, { title: 'x' })).statusCode).toBe(
      403,
    );
    expect((await ours.call('POST', `/boards/${MISSING}/tasks`, { title: 'x' })).statusCode).toBe(404);
  });
});

describe('GET /api/v1/board/boards/{board_id}/tasks', () => {
  let listed: Board;
  let cards: FullCard[];
  beforeAll(async () => {
    listed = await ours.board({ name: 'Listed' });
    cards = [];
    for (const [title, column] of [
      ['a', 'Done'],
      ['b', 'Backlog'],
      ['c', 'Review'],
      ['d', 'Backlog'],
      ['e', 'Backlog'],
    ]) {
      cards.push(
        await ours.card(listed.board_id, { title, column, instructions: `Long ${title}`, result: 'r' }),
      );
    }
    await ours.patch(`/tasks/${cards[4]!.id}`, { position: 0 });
  });

  const titles = async (query: string) =>
    (await tasks(query, listed.board_id))
      .json()
      .items.map(({ title }: FullCard) => title)
      .join('');

  it('returns {items, total, page, per_page} ordered by column position, card position, id', async () => {
    const page = (await tasks('', listed.board_id)).json();
    expect(Object.keys(page)).toEqual(['items', 'total', 'page', 'per_page']);
    expect(page).toMatchObject({ total: 5, page: 1, per_page: 50 });
    expect(await titles('')).toBe('ebdca');
  });

  it('pages without skipping or repeating, at every size', async () => {
    for (const size of [1, 2, 3, 4, 5, 6]) {
      const pages = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((page) => titles(`?per_page=${size}&page=${page}`)),
      );
      expect(pages.join('')).toBe('ebdca');
    }
    expect((await tasks('?page=999999999999999', listed.board_id)).json()).toMatchObject({
      items: [],
      total: 5,
    });
  });

  it('returns every card once by cursor, in the order of their numbers, while they move', async () => {
    const busy = await ours.board({ name: 'By cursor' });
    const cards: FullCard[] = [];
    for (let i = 0; i < 7; i++) cards.push(await ours.card(busy.board_id, { position: -i }));
    const plain = (await tasks('?per_page=3', busy.board_id)).json();
    expect(Object.keys(plain)).toEqual(['items', 'total', 'page', 'per_page']);

    for (const detail of ['summary', 'standard', 'full', 'summary&with=number']) {
      const seen: string[] = [];
      let cursor: string | null = '';
      const totals: number[] = [];
      while (cursor !== null) {
        const answer = await tasks(`?detail=${detail}&per_page=3&cursor=${cursor}`, busy.board_id);
        expect(answer.statusCode, answer.body).toBe(200);
        const page = answer.json();
        expect(Object.keys(page)).toEqual(['items', 'total', 'page', 'per_page', 'next_cursor']);
        expect(page).toMatchObject({ page: 1, per_page: 3 });
        totals.push(page.total);
        for (const { id } of page.items) {
          seen.push(id);
          const column = seen.length % 2 ? 'Done' : 'Review';
          await ours.patch(`/tasks/${id}`, { column });
        }
        cursor = page.next_cursor;
      }
      expect(totals).toEqual([7, 7, 7]);
      expect(seen).toEqual(cards.map(({ id }) => id));
    }
    const whole = (await tasks('?per_page=7&cursor=', busy.board_id)).json();
    expect(whole).toMatchObject({ total: 7, next_cursor: null });
    const empty = await ours.board({ name: 'Nothing by cursor' });
    expect((await tasks('?cursor=', empty.board_id)).json()).toEqual({
      items: [],
      total: 0,
      page: 1,
      per_page: 50,
      next_cursor: null,
    });
  });

  it('returns 400 for a cursor that is altered, of another board, or combined with a page', async () => {
    const busy = await ours.board({ name: 'False cursors' });
    for (let i = 0; i < 2; i++) await ours.card(busy.board_id);
    const { next_cursor: cursor } = (await tasks('?per_page=1&cursor=', busy.board_id)).json();
    for (const [query, of] of [
      [`?cursor=${cursor}`, board.board_id],
      [`?cursor=${cursor}A`, busy.board_id],
      ['?cursor=2', busy.board_id],
    ] as const) {
      const answer = await tasks(query, of);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().detail).toBe('cursor is not a cursor this endpoint issued');
    }
    expect((await tasks(`?page=2&cursor=${cursor}`, busy.board_id)).statusCode).toBe(400);
    expect((await tasks(`?page=1&cursor=${cursor}`, busy.board_id)).statusCode).toBe(200);
  });

  it('returns 65 fields at standard, which is the default byte for byte', async () => {
    const plain = await tasks('', listed.board_id);
    expect(Object.keys(plain.json().items[0])).toEqual(namesAt('standard'));
    expect((await tasks('?detail=standard&unknown=1', listed.board_id)).body).toBe(plain.body);
  });

  it('returns the named fields at summary and adds the bodies at full, without omitting a card', async () => {
    const summary = (await tasks('?detail=summary', listed.board_id)).json();
    const full = (await tasks('?detail=full', listed.board_id)).json();
    expect(Object.keys(summary.items[0])).toEqual(namesAt('summary'));
    expect(Object.keys(full.items[0])).toEqual(namesAt('full'));
    expect(full.items[1]).toMatchObject({ title: 'b', instructions: 'Long b', result: 'r' });
    const ids = (page: { items: FullCard[] }) => page.items.map(({ id }) => id);
    expect(ids(summary)).toEqual(ids(full));
    expect(full.items).toContainEqual((await ours.get(`/tasks/${cards[0]!.id}`)).json());
  });

  itDeeply('streams a page of many mebibytes in chunks and loses nothing', async () => {
    const own = await ours.board();
    const instructions = 'x'.repeat(1_048_576);
    for (let i = 0; i < 9; i++)
      await ours.card(own.board_id, { title: `${i}`, ...(i !== 4 && { instructions }) });
    const response = await tasks('?detail=full', own.board_id);
    expect(response.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
    expect(response.headers).not.toHaveProperty('content-length');
    const page = response.json();
    expect(Object.keys(page)).toEqual(['items', 'total', 'page', 'per_page']);
    expect(page).toMatchObject({ total: 9, page: 1, per_page: 50 });
    expect(page.items.map(({ title }: FullCard) => title).join('')).toBe('012345678');
    for (const card of page.items) {
      expect(Object.keys(card)).toEqual(namesAt('full'));
      expect(card.instructions).toBe(card.title === '4' ? null : instructions);
    }
  });

  it('counts correctly after moves, changes and deletions', async () => {
    const own = await ours.board();
    const made = await Promise.all([1, 2, 3].map(() => ours.card(own.board_id)));
    await ours.patch(`/tasks/${made[0]!.id}`, { column: 'Done', pr_number: 3 });
    await ours.patch(`/tasks/${made[0]!.id}`, { pr_number: null });
    await ours.call('DELETE', `/tasks/${made[1]!.id}`);
    expect((await tasks('', own.board_id)).json().total).toBe(2);
  });

  it.each([
    'detail=all',
    'detail=',
    'per_page=0',
    'per_page=501',
    'per_page=abc',
    'page=0',
    'page=-1',
    'page=1.5',
    'detail=full&detail=summary',
  ])('returns 400 for %s', async (query) => {
    const response = await tasks(`?${query}`, listed.board_id);
    expect(response.statusCode).toBe(400);
    expect(response.json().detail).toContain(query.split('=')[0]);
  });

  it("returns 403 for another workspace's board and 404 for an unknown one, after checking the query", async () => {
    const foreign = await theirs.board();
    expect((await tasks('', foreign.board_id)).statusCode).toBe(403);
    expect((await tasks('', MISSING)).statusCode).toBe(404);
    expect((await tasks('', 'no-uuid')).statusCode).toBe(404);
    expect((await tasks('?detail=x', MISSING)).statusCode).toBe(400);
  });

  it.each(['summary', 'standard', 'full'])(
    "returns 403 for another workspace's board that has cards, at %s, by page and by cursor",
    async (detail) => {
      const foreign = await theirs.board();
      await theirs.card(foreign.board_id);
      for (const order of ['', '&cursor=']) {
        const response = await tasks(`?detail=${detail}${order}`, foreign.board_id);
        expect([response.statusCode, response.json().items]).toEqual([403, undefined]);
      }
    },
  );
});

describe('GET /api/v1/board/tasks/{task_id}', () => {
  it('returns the full card with its version as ETag', async () => {
    const card = await ours.card(board.board_id);
    const response = await ours.get(`/tasks/${card.id}`);
    expect(response.json()).toEqual(card);
    expect(response.headers['etag']).toBe('"1"');
  });

  it("returns 404 for another workspace's card, a missing one and a malformed id", async () => {
    const foreign = await theirs.card((await theirs.board()).board_id);
    for (const id of [foreign.id, MISSING, 'x'])
      expect((await ours.get(`/tasks/${id}`)).statusCode).toBe(404);
  });

  it('shows children and blocking cards from both sides', async () => {
    const parent = await ours.card(board.board_id);
    const child = await ours.card(board.board_id, { parent_id: parent.id, blocked_by: [parent.id] });
    expect((await ours.get(`/tasks/${parent.id}`)).json()).toMatchObject({
      child_ids: [child.id],
      blocks: [child.id],
    });
    expect(child).toMatchObject({ parent_id: parent.id, blocked_by: [parent.id] });
    await ours.call('DELETE', `/tasks/${parent.id}`);
    expect((await ours.get(`/tasks/${child.id}`)).json()).toMatchObject({ parent_id: null, blocked_by: [] });
  });
});

describe('DELETE /api/v1/board/tasks/{task_id}', () => {
  it('returns 204, deletes the card and keeps its activity', async () => {
    const own = await ours.board();
    const card = await ours.card(own.board_id);
    await ours.comment(card.id);
    expect((await ours.call('DELETE', `/tasks/${card.id}`)).statusCode).toBe(204);
    expect((await ours.get(`/tasks/${card.id}`)).statusCode).toBe(404);
    expect((await ours.call('DELETE', `/tasks/${card.id}`)).statusCode).toBe(404);
    const { items } = (await ours.get(`/activity/boards/${own.board_id}`)).json();
    expect(items.map(({ action, ref }: { action: string; ref: string }) => [action, ref])).toEqual([
      ['task.deleted', card.ref],
      ['task.commented', card.ref],
      ['task.created', card.ref],
      ['board.created', null],
    ]);
  });
});

describe('The finished cards of an agent', () => {
  it('are its cards in done, in the order of their last change, across pages', async () => {
    const own = await ours.board();
    const [agentId, otherAgent] = [await things.agent(), await things.agent()];
    for (const title of ['one', 'two', 'three']) {
      const card = await ours.card(own.board_id, {
        title,
        assignee_agent_id: agentId,
        instructions: `Do ${title}`,
      });
      await ours.patch(`/tasks/${card.id}`, { status: 'done', result: `Did ${title}` });
    }
    await ours.card(own.board_id, { title: 'open', assignee_agent_id: agentId });
    await ours.card(own.board_id, { title: 'of another', assignee_agent_id: otherAgent, status: 'done' });
    const { brand_id: brandId } = await ours.card(own.board_id);
    const first = await world.app.boards.listFinishedCards({ brandId, agentId, limit: 2 });
    expect(first.map(({ title, result }) => [title, result])).toEqual([
      ['one', 'Did one'],
      ['two', 'Did two'],
    ]);
    const { updated_at: updatedAt, id } = first[1]!;
    const rest = await world.app.boards.listFinishedCards({ brandId, agentId, after: { updatedAt, id } });
    expect(rest.map(({ title }) => title)).toEqual(['three']);
    expect(await world.app.boards.listFinishedCards({ brandId: brandId + 1, agentId })).toEqual([]);
  });
});
