import { parseArgs } from 'node:util';
import pg from 'pg';
import { findDatabaseUrl } from './database.js';
import { createCorpus, PEOPLE } from './memory-corpus.js';
import { runBench, startService } from './processes.js';
import { reportRow } from './report.js';
import type { BenchWorld } from './row.js';
import { describeTimes } from './times.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- search [options]

Searches a workspace with very many cards beside many others: words that stand everywhere, rare ones, beginnings of words, refs.

  --cards <n>       cards of the workspace (100000)
  --neighbours <n>  other workspaces (500)
  --each <n>        cards of each of them (200)
  --times <n>       how often each question is asked (50)`;

const { values: options } = parseArgs({
  options: {
    cards: { type: 'string', default: '100000' },
    neighbours: { type: 'string', default: '500' },
    each: { type: 'string', default: '200' },
    times: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
});

/** Copies a few texts many times, with one unique word per card. */
const COPY_CARDS = `
  insert into cards
  select copy.* from cards first join boards b using (board_id) cross join generate_series(2, $2::int) n
  cross join lateral jsonb_populate_record(first, jsonb_build_object(
    'card_id', gen_random_uuid(), 'number', n, 'position', n, 'title', ($3::text[])[1 + n % cardinality($3::text[])],
    'updated_at', first.created_at - make_interval(secs => n))) copy
  where b.brand_id = any($1::int[])`;

const ADD_BODIES = `
  insert into card_bodies (card_id, instructions, result, export_bytes)
  select k.card_id, concat_ws(' ', ($2::text[])[1 + k.number % cardinality($2::text[])], 'unique' || md5(k.card_id::text)), null, 100
  from cards k where k.brand_id = any($1::int[]) and k.number > 1`;

const COPY_WORKSPACES = `
  with made as (
    insert into brands (name, plan, scope_ceiling, created_at)
    select 'Neighbour ' || n, 'team', '{}', now() from generate_series(1, $2::int) n returning brand_id
  ), boarded as (
    insert into boards (board_id, brand_id, name, key, board_type, last_activity_at, created_at)
    select gen_random_uuid(), brand_id, 'Board', 'BOA', 'build', now(), now() from made returning board_id, brand_id
  ), columned as (
    insert into board_columns (column_id, board_id, position, name, name_key, status)
    select gen_random_uuid(), board_id, 0, 'Backlog', 'backlog', 'pending' from boarded returning column_id, board_id
  )
  insert into cards
  select copy.* from cards first cross join (boarded join columned using (board_id))
  cross join lateral jsonb_populate_record(first, jsonb_build_object('card_id', gen_random_uuid(), 'board_id', boarded.board_id,
    'brand_id', boarded.brand_id, 'column_id', columned.column_id)) copy
  where first.brand_id = $1 returning brand_id`;

async function fill(world: BenchWorld): Promise<void> {
  const board = await world.call('POST', '/api/v1/board/boards', { name: 'Bench board' });
  await world.call('POST', `/api/v1/board/boards/${board['board_id']}/tasks`, { title: 'The first of many' });
  const corpus = createCorpus(5);
  const sentences = Array.from({ length: 997 }, () => corpus.sentence(PEOPLE));
  const titles = sentences.map(({ title }) => title);
  const bodies = sentences.map(({ body }, at) => `${body} ${sentences[(at + 400) % 997]!.body}`);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    const others = await client.query(COPY_WORKSPACES, [world.brandId, Number(options.neighbours)]);
    const neighbours = others.rows.map(({ brand_id }) => brand_id);
    for (const [brands, cards] of [
      [neighbours, options.each],
      [[world.brandId], options.cards],
    ]) {
      await client.query(COPY_CARDS, [brands, Number(cards), titles]);
      await client.query(ADD_BODIES, [brands, bodies]);
    }
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

const QUESTIONS = [
  'the',
  'th',
  'guitar',
  'gui',
  'unique0',
  'unique0a1b',
  'old guitar',
  'nothing like it',
  'BB-777',
  '777',
];

async function measure(dataDir: string): Promise<void> {
  const { url, adminKey } = await startService(dataDir, { EMBEDDER: 'none' });
  const world = await makeWorld(url, adminKey, await findDatabaseUrl(dataDir));
  await fill(world);
  for (const question of QUESTIONS) {
    const times: number[] = [];
    for (let i = 0; i < Number(options.times); i += 1) {
      const startedAt = performance.now();
      await world.call('GET', `/api/v1/search?q=${encodeURIComponent(question)}`);
      times.push(performance.now() - startedAt);
    }
    reportRow(question, describeTimes(times));
  }
}

await runBench(options.help ? help : undefined, measure);
