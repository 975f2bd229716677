import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import type { FullCard } from './cards.schemas.js';

let world: World;
let ours: BoardCaller;
let board: Board;
let cards: FullCard[];

beforeAll(async () => {
  world = await startTestApp();
  ours = boardCaller(world, (await world.workspace()).bearer);
});
afterAll(() => world.stop());

beforeEach(async () => {
  board = await ours.board();
  cards = [];
  for (const title of ['a', 'b', 'c', 'd']) cards.push(await ours.card(board.board_id, { title }));
});

const place = (card: FullCard | string, body: object) =>
  ours.patch(`/tasks/${typeof card === 'string' ? card : card.id}?return=receipt`, body);
const list = async (column = 'Backlog'): Promise<FullCard[]> =>
  (await ours.get(`/boards/${board.board_id}/tasks?per_page=500`))
    .json()
    .items.filter((card: FullCard) => card.column.name === column);
const order = async (column?: string) => (await list(column)).map(({ title }) => title).join('');
const entries = async () =>
  (await ours.get(`/activity/boards/${board.board_id}?limit=200`)).json().items as {
    action: string;
    changes: Record<string, { from: unknown; to: unknown }>;
  }[];

describe('PATCH {position}', () => {
  it('puts a card between two others, in the list, the receipt and the activity', async () => {
    const answer = await place(cards[3]!, { position: 1.5 });
    expect(answer.json().changed).toEqual({ position: { from: 4, to: 1.5 } });
    expect(await order()).toBe('adbc');
    expect((await entries())[0]).toMatchObject({
      action: 'task.updated',
      changes: { position: { from: 4, to: 1.5 } },
    });
  });
});

describe('PATCH {before} and {after}', () => {
  it('puts a card directly before or after another one, with one activity entry', async () => {
    const [a, b, c, d] = cards as [FullCard, FullCard, FullCard, FullCard];
    const before = (await entries()).length;
    expect((await place(d, { before: b.id })).json()).toMatchObject({
      changed: { position: { from: 4, to: 1.5 } },
    });
    expect(await order()).toBe('adbc');
    await place(a, { after: c.id.toUpperCase() });
    expect(await order()).toBe('dbca');
    await place(c, { before: d.id });
    expect(await order()).toBe('cdba');
    const told = (await entries()).slice(0, -before);
    expect(told.map(({ action }) => action)).toEqual(Array(3).fill('task.updated'));
    expect(Object.keys(told[0]!.changes)).toEqual(['position']);
  });

  it('writes nothing when the card already has that position', async () => {
    const before = (await entries()).length;
    expect((await place(cards[1]!, { after: cards[0]!.id })).json().changed).toEqual({});
    expect((await place(cards[1]!, { before: cards[2]!.id })).json().changed).toEqual({});
    expect(await entries()).toHaveLength(before);
  });

  it('can be combined with a move to another column', async () => {
    await place(cards[0]!, { column: 'Review' });
    const moved = await place(cards[3]!, { column: 'Review', before: cards[0]!.id });
    expect(moved.json()).toMatchObject({ from_column: 'Backlog', to_column: 'Review' });
    expect(await order('Review')).toBe('da');
    expect((await entries())[0]!.action).toBe('task.moved');
  });

  it('makes a gap between cards with equal or adjacent positions', async () => {
    for (const card of cards.slice(0, 3)) await place(card, { position: 3 });
    const tied = await order();
    await place(cards[3]!, { after: cards.find(({ title }) => title === tied[0])!.id });
    expect(await order()).toBe(`${tied[0]}d${tied[1]}${tied[2]}`);
    await place(cards[0]!, { position: 1 });
    await place(cards[1]!, { position: 1 + Number.EPSILON });
    await place(cards[2]!, { before: cards[1]!.id });
    expect(await order()).toBe('acbd');
  });

  it('moves the smaller group among many cards of one position, on either side', async () => {
    await sql`
      insert into cards select other.* from cards k, generate_series(10, 500) n,
        jsonb_populate_record(k, jsonb_build_object('card_id', gen_random_uuid(), 'number', n)) other
      where k.card_id = ${cards[0]!.id}`.execute(world.db);
    await sql`update cards set position = 7 where board_id = ${board.board_id}`.execute(world.db);
    const ids = async () => {
      const { rows } = await sql<{ card_id: string; position: number }>`
        select card_id, position from cards where board_id = ${board.board_id} order by position, card_id`.execute(
        world.db,
      );
      return rows;
    };
    const tied = await ids();
    for (const [index, most] of [
      [3, 5],
      [tied.length - 4, 10],
    ] as const) {
      const before = (await ids()).map(({ card_id }) => card_id);
      const moving = before[200]!;
      expect((await place(moving, { after: before[index]! })).statusCode).toBe(200);
      const after = await ids();
      const expected = before.filter((id) => id !== moving);
      expected.splice(expected.indexOf(before[index]!) + 1, 0, moving);
      expect(after.map(({ card_id }) => card_id)).toEqual(expected);
      expect(after.filter(({ position }) => position !== 7).length).toBeLessThanOrEqual(most);
    }
  });

  itDeeply('puts each of a hundred cards inserted at one place exactly there', async () => {
    const [first, last] = cards as [FullCard, FullCard];
    const titles: string[] = [];
    const extra = await Promise.all(
      Array.from({ length: 100 }, (_, n) => ours.card(board.board_id, { title: `${n}` })),
    );
    for (const card of extra) {
      expect((await place(card, { after: first.id })).statusCode).toBe(200);
      titles.unshift(card.title);
    }
    const listed = await list();
    expect(listed.slice(0, 101).map(({ title }) => title)).toEqual(['a', ...titles]);
    for (const card of extra) await place(card, { before: last.id });
    const again = (await list()).map(({ title }) => title);
    expect(again.slice(0, 102)).toEqual(['a', ...titles.toReversed(), 'b']);
    const untouched = listed.find(({ id }) => id === cards[3]!.id)!;
    expect(untouched).toMatchObject({ version: 1, updated_at: cards[3]!.updated_at });
  });

  it('keeps the order of numbers so large that few lie between them', async () => {
    const first = 1e15 - 4;
    const others = 'ponmlkjihgfedcbaz'.split('');
    const column = { column: 'Review' };
    await place(cards[0]!, { ...column, position: first });
    for (const [index, title] of others.entries())
      await ours.card(board.board_id, { ...column, title, position: first + (others.length - index) / 8 });
    await place(cards[1]!, { ...column, after: cards[0]!.id });
    expect(await order('Review')).toBe(`ab${others.toReversed().join('')}`);
  });

  it('puts both cards of two simultaneous requests next to the neighbor', async () => {
    const [a, b, c, d] = cards as [FullCard, FullCard, FullCard, FullCard];
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all([place(c, { after: a.id }), place(d, { after: a.id })]);
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
      expect(['acdb', 'adcb']).toContain(await order());
      await Promise.all([place(c, { after: b.id }), place(d, { after: b.id })]);
      expect(['abcd', 'abdc']).toContain(await order());
    }
  });

  it('returns 422 for a neighbor in another column or board, for the card itself and for an unknown one', async () => {
    const elsewhere = await ours.card((await ours.board()).board_id);
    await place(cards[0]!, { column: 'Done' });
    for (const neighbour of [cards[0]!.id, elsewhere.id, cards[1]!.id, MISSING])
      for (const side of ['before', 'after'] as const) {
        const answer = await place(cards[1]!, { [side]: neighbour });
        expect([answer.statusCode, answer.json().detail]).toEqual([
          422,
          `${side} must name another card of the column in which the card will stand`,
        ]);
      }
    expect((await place(cards[1]!, { before: 'first' })).statusCode).toBe(422);
    expect((await place(cards[1]!, { before: cards[2]!.id, position: 1 })).statusCode).toBe(422);
    expect((await place(cards[1]!, { before: cards[2]!.id, after: cards[3]!.id })).statusCode).toBe(422);
  });
});
