import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import { isDeep } from '../../../../tests/support/deep.js';
import type { ActivityEntry, Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';

let world: World;
let ours: BoardCaller;
let theirs: BoardCaller;
let admin: TestPerson;
let bearer: { authorization: string };

beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  ({ admin, bearer } = workspace);
  ours = boardCaller(world, bearer);
  theirs = boardCaller(world, (await world.workspace()).bearer);
});
afterAll(() => world.stop());

interface Page {
  items: ActivityEntry[];
  next_cursor: string;
}

const ask = (boardId: string, query = '') => ours.get(`/activity/boards/${boardId}${query}`);
const page = async (boardId: string, limit: number, since?: string): Promise<Page> =>
  (await ask(boardId, `?limit=${limit}${since ? `&since=${since}` : ''}`)).json();
const actions = ({ items }: Page) => items.map(({ action }) => action);

async function boardWithEntries(count: number): Promise<Board> {
  const board = await ours.board();
  for (let i = 1; i < count; i++) await ours.card(board.board_id, { title: `Card ${i}` });
  return board;
}

describe('GET /api/v1/board/activity/boards/{board_id}', () => {
  it('returns {items, next_cursor}, newest first, each with id, action, created_at, task_id, ref, actor, changes', async () => {
    const board = await ours.board();
    const card = await ours.card(board.board_id);
    await ours.patch(`/tasks/${card.id}`, { title: 'Renamed' });
    await ours.patch(`/tasks/${card.id}`, { status: 'done', branch: 'x' });
    await ours.comment(card.id, 'Nice');
    await ours.call('DELETE', `/tasks/${card.id}`);
    const answer = await page(board.board_id, 50);
    expect(Object.keys(answer)).toEqual(['items', 'next_cursor']);
    expect(actions(answer)).toEqual([
      'task.deleted',
      'task.commented',
      'task.moved',
      'task.updated',
      'task.created',
      'board.created',
    ]);
    expect(answer.items[2]).toEqual({
      id: expect.any(String),
      action: 'task.moved',
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      task_id: card.id,
      ref: card.ref,
      actor: { user_id: admin.user_id, name: admin.full_name, agent_id: null },
      changes: {
        branch: { from: null, to: 'x' },
        status: { from: 'pending', to: 'done' },
        column: { from: 'Backlog', to: 'Done' },
      },
    });
    expect(answer.items[5]).toMatchObject({ task_id: null, ref: null });
  });

  it('returns 50 by default and up to 200', async () => {
    const board = await boardWithEntries(60);
    expect((await ask(board.board_id)).json().items).toHaveLength(50);
    expect((await page(board.board_id, 200)).items).toHaveLength(60);
  });

  it('continues with new entries, then older ones', async () => {
    const board = await boardWithEntries(6);
    const first = await page(board.board_id, 3);
    const late = [
      await ours.card(board.board_id, { title: 'late 1' }),
      await ours.card(board.board_id, { title: 'late 2' }),
    ];
    const second = await page(board.board_id, 4, first.next_cursor);
    expect(second.items.slice(0, 2).map(({ task_id }) => task_id)).toEqual([late[1]!.id, late[0]!.id]);
    const third = await page(board.board_id, 4, second.next_cursor);
    expect([...second.items, ...third.items].at(-1)?.action).toBe('board.created');
    expect(first.items.length + second.items.length + third.items.length).toBe(8);
  });

  it('keeps returning a cursor and only new entries once all were read', async () => {
    const board = await boardWithEntries(2);
    let cursor = (await page(board.board_id, 50)).next_cursor;
    expect(await page(board.board_id, 50, cursor)).toEqual({ items: [], next_cursor: cursor });
    const card = await ours.card(board.board_id);
    const next = await page(board.board_id, 50, cursor);
    expect(next.items.map(({ task_id }) => task_id)).toEqual([card.id]);
    cursor = next.next_cursor;
    expect((await page(board.board_id, 50, cursor)).items).toEqual([]);
  });

  it('returns the same page when a cursor is used twice without writes between', async () => {
    const board = await boardWithEntries(6);
    const { next_cursor } = await page(board.board_id, 2);
    expect(await page(board.board_id, 2, next_cursor)).toEqual(await page(board.board_id, 2, next_cursor));
  });

  it('neither duplicates nor skips entries with the same timestamp, and orders by created_at and id', async () => {
    await world.freeze();
    const board = await boardWithEntries(9);
    await world.freeze(false);
    const read: ActivityEntry[] = [];
    let cursor: string | undefined;
    for (let i = 0; i < 5; i++) {
      const { items, next_cursor } = await page(board.board_id, 2, cursor);
      read.push(...items);
      cursor = next_cursor;
    }
    expect(new Set(read.map(({ created_at }) => created_at)).size).toBe(1);
    expect(new Set(read.map(({ id }) => id)).size).toBe(9);
    expect(read.map(({ id }) => id)).toEqual(
      read
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    );
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'since=abc', 'since=', 'since=a&since=b'])(
    'returns 400 for %s',
    async (query) => {
      const board = await ours.board();
      expect((await ask(board.board_id, `?${query}`)).statusCode).toBe(400);
    },
  );

  it('returns 400 for a cursor of another board, or an altered one', async () => {
    const [board, other] = [await ours.board(), await ours.board()];
    const { next_cursor } = await page(other.board_id, 5);
    const response = await ask(board.board_id, `?since=${next_cursor}`);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ detail: 'since is not a cursor this endpoint issued' });
    const altered = `${next_cursor.slice(0, -1)}${next_cursor.endsWith('A') ? 'B' : 'A'}`;
    expect((await ask(other.board_id, `?since=${altered}`)).statusCode).toBe(400);
  });

  it("returns 404 for an unknown board and 403 for another workspace's", async () => {
    expect((await ask(MISSING)).statusCode).toBe(404);
    expect((await ask((await theirs.board()).board_id)).statusCode).toBe(403);
  });

  it('has no entry for a refused write', async () => {
    const board = await ours.board();
    const card = await ours.card(board.board_id);
    await ours.patch(`/tasks/${card.id}`, { column: 'Done', status: 'pending' });
    await ours.patch(`/tasks/${card.id}`, { title: 'x' }, { 'if-match': '"7"' });
    await ours.patch(`/tasks/${card.id}`, { parent_id: card.id });
    expect(actions(await page(board.board_id, 50))).toEqual(['task.created', 'board.created']);
  });

  it('Several readers get each entry exactly once while two nodes write', async () => {
    const second = await startTestApp({ database: world.database });
    try {
      await world.freeze();
      const board = await ours.board();
      const nodes = [ours, boardCaller(second, bearer)];
      const cards = await Promise.all(
        Array.from({ length: 8 }, (_, i) => nodes[i % 2]!.card(board.board_id)),
      );
      const writesEach = isDeep ? 300 : 20;
      let writing = cards.length;
      const write = async (card: { id: string }, node: BoardCaller) => {
        for (let i = 0; i < writesEach; i++) {
          const response = await node.patch(`/tasks/${card.id}?return=receipt`, { tokens_in: i + 1 });
          if (response.statusCode !== 200) throw new Error(response.body);
        }
        writing -= 1;
      };
      const follow = async (node: BoardCaller, limit: number) => {
        const read: ActivityEntry[] = [];
        let since = '';
        for (let drained = false; !drained; ) {
          const quiet = writing === 0;
          const { items, next_cursor }: Page = (
            await node.get(`/activity/boards/${board.board_id}?limit=${limit}${since}`)
          ).json();
          const ids = items.map(({ id }) => id);
          expect(ids).toEqual(ids.toSorted().reverse());
          read.push(...items);
          since = `&since=${next_cursor}`;
          drained = quiet && items.length === 0;
        }
        return read;
      };
      const [first, other] = await Promise.all([
        follow(nodes[0]!, 7),
        follow(nodes[1]!, 50),
        ...cards.map((card, i) => write(card, nodes[i % 2]!)),
      ]);
      const total = 1 + cards.length * (writesEach + 1);
      for (const read of [first!, other!] as ActivityEntry[][]) {
        expect(read).toHaveLength(total);
        expect(new Set(read.map(({ id }) => id)).size).toBe(total);
      }
      // The feed must list the changes of one card in the order of their commits.
      const feed = (first as ActivityEntry[]).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      for (const card of cards) {
        const values = feed
          .filter((entry) => entry.task_id === card.id && entry.action === 'task.updated')
          .map((entry) => entry.changes['tokens_in']?.to);
        expect(values).toEqual(Array.from({ length: writesEach }, (_, i) => i + 1));
      }
    } finally {
      await world.freeze(false);
      await second.stop();
    }
  });
});
