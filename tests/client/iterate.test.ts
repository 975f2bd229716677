import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Board, Guildhall } from '../../client/src/index.js';
import { type ClientWorld, startClientWorld, startScriptedServer } from './client-world.js';

let here: ClientWorld;
let client: Guildhall;

beforeAll(async () => {
  here = await startClientWorld();
  client = here.client;
});
afterAll(() => here.stop());

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function boardWith(count: number): Promise<{ board: Board; ids: string[] }> {
  const board = await client.createBoard({ name: 'Cards', board_type: 'build' });
  const ids: string[] = [];
  for (const number of numbers(count))
    ids.push((await client.createTask({ board_id: board.board_id, title: `Card ${number}` })).id);
  return { board, ids };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const sorted = (texts: string[]) => [...texts].sort();

describe('client.iterate', () => {
  it('yields each item once from numbered pages', async () => {
    const { board, ids } = await boardWith(7);
    const cards = await collect(client.iterate('listBoardTasks', { board_id: board.board_id, per_page: 3 }));
    expect(sorted(cards.map(({ id }) => id))).toEqual(sorted(ids));
    expect(
      await collect(client.iterate('listBoardTasks', { board_id: board.board_id, per_page: 7 })),
    ).toHaveLength(7);
  });

  it('yields each item once from numbered pages while cards are deleted', async () => {
    const { board, ids } = await boardWith(9);
    const seen: string[] = [];
    for await (const { id } of client.iterate('listBoardTasks', { board_id: board.board_id, per_page: 3 })) {
      seen.push(id);
      if (seen.length === 3) for (const gone of seen.slice(0, 2)) await client.deleteTask({ task_id: gone });
    }
    expect(sorted(seen)).toEqual(sorted(ids));
  });

  it('yields each item once from a board whose cards the reader moves', async () => {
    const { board, ids } = await boardWith(16);
    const seen: string[] = [];
    for await (const { id } of client.iterate('listBoardTasks', { board_id: board.board_id, per_page: 5 })) {
      seen.push(id);
      await client.updateTask({ task_id: id, column: seen.length % 2 ? 'Done' : 'Review' });
    }
    expect(sorted(seen)).toEqual(sorted(ids));
  });

  it('yields each item once from a board, starting at a given page', async () => {
    const { board, ids } = await boardWith(5);
    const fields = { board_id: board.board_id, per_page: 2, page: 2 };
    const cards = await collect(client.iterate('listBoardTasks', fields));
    expect(cards.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  it('yields each item once from numbered pages while an item is added', async () => {
    const boards = await Promise.all(
      numbers(5).map((number) => client.createBoard({ name: `B${number}`, board_type: 'crm' })),
    );
    const seen: string[] = [];
    for await (const board of client.iterate('listBoards', { per_page: 2 })) {
      if (seen.length === 1) await client.createBoard({ name: 'Late', board_type: 'crm' });
      seen.push(board.board_id);
    }
    expect(new Set(seen).size).toBe(seen.length);
    for (const { board_id } of boards) expect(seen).toContain(board_id);
  });

  it('yields each item once from pages with a cursor', async () => {
    const { board, ids } = await boardWith(5);
    const found = await collect(client.iterate('findTasks', { board_ids: board.board_id, limit: 2 }));
    expect(sorted(found.map(({ id }) => id))).toEqual(sorted(ids));
  });

  it('yields each item once from a feed whose cursor never ends', async () => {
    const { board } = await boardWith(5);
    const entries = await collect(
      client.iterate('listBoardActivity', { board_id: board.board_id, limit: 2 }),
    );
    expect(entries.map(({ action }) => action)).toEqual([
      ...numbers(5).map(() => 'task.created'),
      'board.created',
    ]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(6);
  });

  it('yields each item once from pages by last record, in an answer that is a bare list', async () => {
    const [profile] = await client.listCoderProfiles();
    const key = profile!.key;
    for (const number of numbers(5)) await client.overrideCoderProfile({ key, limit_value: 40 + number });
    const changes = await collect(client.iterate('listCoderProfileHistory', { key, limit: 2 }));
    expect(changes.map(({ new_value }) => new_value)).toEqual(['45', '44', '43', '42', '41']);
  });

  it('yields nothing from an empty list', async () => {
    const board = await client.createBoard({ name: 'Empty', board_type: 'build' });
    expect(await collect(client.iterate('listBoardTasks', { board_id: board.board_id }))).toEqual([]);
  });
});

it('client.iterate stops requesting when the reader stops, and throws the error of a page', async () => {
  const { board } = await boardWith(4);
  let pages = 0;
  const counting = {
    onResponse: () => {
      pages += 1;
    },
  };
  for await (const card of client.iterate(
    'listBoardTasks',
    { board_id: board.board_id, per_page: 1 },
    counting,
  )) {
    expect(card.id).toBeTruthy();
    break;
  }
  expect(pages).toBe(1);
  const missing = client.iterate('listBoardTasks', { board_id: crypto.randomUUID() });
  await expect(collect(missing)).rejects.toMatchObject({ status: 404, detail: 'Board not found' });
  const controller = new AbortController();
  controller.abort(new Error('Enough'));
  const aborted = client.iterate('listBoards', {}, { signal: controller.signal });
  await expect(collect(aborted)).rejects.toThrow('Enough');
});

it("client.iterate rejects with the signal's reason, even in the middle of a page", async () => {
  const { board } = await boardWith(4);
  const controller = new AbortController();
  const told: string[] = [];
  const reading = (async () => {
    const fields = { board_id: board.board_id };
    for await (const card of client.iterate('listBoardTasks', fields, { signal: controller.signal })) {
      told.push(card.id);
      controller.abort(new Error('Enough'));
    }
  })();
  await expect(reading).rejects.toThrow('Enough');
  expect(told).toHaveLength(1);
});

it.each([{}, [], null, 'pages'])('client.iterate rejects %j instead of a list', async (body) => {
  const server = await startScriptedServer([{ status: 200, body: JSON.stringify(body) }]);
  const reading = collect(new Guildhall({ url: server.url }).iterate('listBoards'));
  await expect(reading).rejects.toMatchObject({
    name: 'GuildhallError',
    detail: expect.stringContaining('no list'),
  });
  await server.stop();
});

it('client.iterate rejects operations that are not lists', () => {
  expect(() => client.iterate('getBoard' as 'listBoards')).toThrow('getBoard is not a list');
  expect(() => client.iterate('constructor' as 'listBoards')).toThrow('There is no operation constructor');
});
