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
  // Turns off autovacuum, so that the statistics change only when a test runs analyze.
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

/** Creates memories that differ only in a number. */
async function remember(): Promise<void> {
  const save = async (title: string, body: string) => {
    const answer = await world.inject({
      method: 'POST',
      url: '/api/v1/memory/memories',
      headers: home.bearer,
      payload: { agent_id: 'ada', kind: 'fact', title, body },
    });
    expect(answer.statusCode, answer.body).toBe(201);
  };
  await save('Memory number 1', 'Release 1 was cut.');
  await sql`
    insert into memories select other.* from memories m, generate_series(2, ${MANY}) n,
      jsonb_populate_record(m, jsonb_build_object('memory_id', gen_random_uuid(), 'title', 'Memory number ' || n,
        'body', 'Release ' || n || ' was cut.', 'updated_at', m.updated_at - n * interval '1 second')) other`.execute(
    world.db,
  );
  await save('Another 9999', 'Like 8888.');
}

/** Returns the words looked up in the index. The remaining words are filtered in the rows found. */
async function lookedUp(text: string): Promise<string[]> {
  const { rows } = await sql<{ rare: string }>`
    select rare_words(search_query(${home.brand.brand_id}, '!', ${text}), 'card_words'::regclass)::text as rare`.execute(
    world.db,
  );
  return [...rows[0]!.rare.matchAll(/!(\w+)/g)].map(([, word]) => word!);
}

async function find(text: string, kind = 'card'): Promise<string[]> {
  const url = `/api/v1/search?kinds=${kind}&limit=20&q=${encodeURIComponent(text)}`;
  const answer = await world.inject({ url, headers: { cookie: home.cookie } });
  expect(answer.statusCode, answer.body).toBe(200);
  const [group] = (answer.json() as { groups: { hits: { title: string }[] }[] }).groups;
  return (group?.hits ?? []).map(({ title }) => title).sort();
}

describe('Card search with very common words', () => {
  const questions: [text: string, rare: string, titles: string[]][] = [
    ['number 9999', '9999', ['Card number 9999']],
    [
      'card numb 777',
      '777',
      ['Card number 777', ...Array.from({ length: 10 }, (_, n) => `Card number 777${n}`)],
    ],
    ['number nowhere', 'nowhere', []],
  ];

  it.each(questions)('%s: looks up all words as long as there are no statistics', async (text, _, titles) => {
    expect((await lookedUp(text)).sort()).toEqual(text.split(' ').sort());
    expect(await find(text)).toEqual(titles);
  });

  it.each(questions)(
    '%s: with statistics looks up only %s, and finds the same cards',
    async (text, rare, titles) => {
      await sql`analyze card_words`.execute(world.db);
      expect(await lookedUp(text)).toEqual([rare]);
      expect(await find(text)).toEqual(titles);
    },
  );

  it('looks up all words if none is rarer than the others', async () => {
    expect(await lookedUp('card number')).toHaveLength(2);
    expect(await lookedUp('some other')).toHaveLength(2);
  });
});

it('memory search finds a common and a rare word, in titles and in bodies', async () => {
  await remember();
  await sql`analyze memories`.execute(world.db);
  expect(await find('number 9999', 'memory')).toEqual(['Memory number 9999']);
  expect(await find('release 8888', 'memory')).toEqual(['Memory number 8888']);
  expect(await find('release nowhere', 'memory')).toEqual([]);
});

describe('Title filter with very common parts of words', () => {
  const list = async (q: string) => {
    const url = `/api/v1/board/master/tasks?limit=50&q=${encodeURIComponent(q)}`;
    const answer = await world.inject({ url, headers: { cookie: home.cookie } });
    expect(answer.statusCode, answer.body).toBe(200);
    const { items, total } = answer.json() as { items: { title: string }[]; total: number };
    return { titles: items.map(({ title }) => title).sort(), total };
  };
  const rareOf = async (...words: string[]) => {
    const { rows } = await sql<{ rare: string[] | null; before: string[] }>`
      select rare_parts_of_titles(${home.brand.brand_id}, ${words}::text[]) as rare,
        rare_title_words(${home.brand.brand_id}, ${words}::text[]) as before`.execute(world.db);
    const { rare, before } = rows[0]!;
    expect(before).toEqual(rare ?? words);
    return rare;
  };

  it('looks up the rare parts, and finds every match', async () => {
    expect(await rareOf('numb', '9999')).toEqual(['9999']);
    expect(await rareOf('UMBE', '9999')).toEqual(['9999']);
    expect(await rareOf('numb', 'card')).toBeNull();
    expect(await list('numb card')).toMatchObject({ total: MANY });
    expect(await list('numb')).toMatchObject({ total: MANY });
    expect(await list('9999')).toEqual({ titles: ['Card 9999', 'Card number 9999'], total: 2 });
    expect(await list('umbe 9999')).toEqual({ titles: ['Card number 9999'], total: 1 });
    expect(await list('CARD umbe 999')).toMatchObject({ total: 21 });
    expect(await list('umbe nowhere')).toEqual({ titles: [], total: 0 });
  });
});
