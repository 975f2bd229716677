import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boardCaller } from '../src/features/boards/boards.test-support.js';
import { startTestApp, type World } from './support/app.js';

const MANY = 12_000;

let world: World;
let home: Awaited<ReturnType<World['workspace']>>;

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace();
  // What is known of the words is what the test has learned.
  await sql`alter table card_words set (autovacuum_enabled = false)`.execute(world.db);
  const ours = boardCaller(world, home.bearer);
  const { board_id } = await ours.board();
  await ours.card(board_id, { title: 'Card number 1' });
  await sql`
    insert into cards select other.* from cards k, generate_series(2, ${MANY}) n,
      jsonb_populate_record(k, jsonb_build_object('card_id', gen_random_uuid(), 'number', n, 'title', 'Card number ' || n,
        'updated_at', k.updated_at - n * interval '1 second')) other`.execute(world.db);
  await sql`update boards set last_number = ${MANY}`.execute(world.db);
  await ours.card(board_id, { title: 'Card 9999' });
});
afterAll(() => world.stop());

/** The words by which texts are looked up; the others are looked for in what is found. */
async function lookedUp(text: string): Promise<string[]> {
  const { rows } = await sql<{ rare: string }>`
    select rare_card_words(search_query(${home.brand.brand_id}, '!', ${text}))::text as rare`.execute(
    world.db,
  );
  return [...rows[0]!.rare.matchAll(/!(\w+)/g)].map(([, word]) => word!);
}

async function find(text: string): Promise<string[]> {
  const url = `/api/v1/search?kinds=card&limit=20&q=${encodeURIComponent(text)}`;
  const answer = await world.inject({ url, headers: { cookie: home.cookie } });
  expect(answer.statusCode, answer.body).toBe(200);
  const [group] = (answer.json() as { groups: { hits: { title: string }[] }[] }).groups;
  return (group?.hits ?? []).map(({ title }) => title).sort();
}

describe('words of which some stand in very many cards', () => {
  const questions: [text: string, rare: string, titles: string[]][] = [
    ['number 9999', '9999', ['Card number 9999']],
    [
      'card numb 777',
      '777',
      ['Card number 777', ...Array.from({ length: 10 }, (_, n) => `Card number 777${n}`)],
    ],
    ['number nowhere', 'nowhere', []],
  ];

  it.each(questions)('%s: all are looked up as long as nothing is known of them', async (text, _, titles) => {
    expect((await lookedUp(text)).sort()).toEqual(text.split(' ').sort());
    expect(await find(text)).toEqual(titles);
  });

  it.each(questions)('%s: only %s is once it is known, and the same is found', async (text, rare, titles) => {
    await sql`analyze card_words`.execute(world.db);
    expect(await lookedUp(text)).toEqual([rare]);
    expect(await find(text)).toEqual(titles);
  });

  it('are all looked up where none is rarer than the others', async () => {
    expect(await lookedUp('card number')).toHaveLength(2);
    expect(await lookedUp('some other')).toHaveLength(2);
  });
});
