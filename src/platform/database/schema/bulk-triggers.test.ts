import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';

const FEW = 500;
const MORE = 4;
/** With four times the rows, linear work takes 4 times as long and quadratic work 16 times. */
const MOST_GROWTH = 8;

let database: TestDatabase;
let client: pg.PoolClient;

/** Uses one connection with generic plans made for one row, and tables whose statistics show one row. */
beforeAll(async () => {
  database = await createTestDatabase();
  client = await database.pool.connect();
  await client.query(`
    insert into brands (brand_id, name, plan, scope_ceiling, created_at) overriding system value values (1, 'B', 'team', '{}', now());
    insert into agents (agent_id, name, brand_id, created_at) values ('ada', 'Ada', 1, now())`);
  for (const table of ['cards', 'card_words', 'memories', 'memory_vectors', 'memory_unembedded'])
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
  for (const { fill, write } of Object.values(writes)) {
    await fill(1);
    await client.query(write);
    await clear();
  }
  await makeBoard(1);
  await addMemories(1);
  await client.query('analyze');
});
afterAll(async () => {
  client.release();
  await database.drop();
});

const clear = () => client.query('delete from boards; delete from memories; delete from memory_vectors');

/** Creates a board where every card but the first is a child of the first. */
async function makeBoard(cards: number): Promise<void> {
  await client.query(`
    with board as (
      insert into boards (board_id, brand_id, name, key, board_type, last_activity_at, created_at)
      values (gen_random_uuid(), 1, 'B', left(gen_random_uuid()::text, 8), 'build', now(), now()) returning board_id
    ), columns as (
      insert into board_columns (column_id, board_id, position, name, name_key, status)
      select gen_random_uuid(), board_id, 0, 'To do', 'to do', 'pending' from board returning board_id, column_id
    )
    insert into cards
    select card.* from columns c cross join generate_series(0, ${cards}) n
    cross join lateral jsonb_populate_record(null::cards, jsonb_build_object(
      'card_id', gen_random_uuid(), 'board_id', c.board_id, 'brand_id', 1, 'number', n, 'column_id', c.column_id, 'title', 'Card ' || n,
      'task_type', 'coding', 'status', 'pending', 'position', n, 'priority', 'normal', 'labels', '[]'::jsonb, 'watcher_user_ids',
      '[]'::jsonb, 'time_spent_minutes', 0, 'agent_context', '{}'::jsonb, 'attempt', 0, 'max_attempts', 3, 'cost_usd', 0, 'tokens_in', 0,
      'tokens_out', 0, 'comment_count', 0, 'attachment_count', 0, 'checklist_done', 0, 'checklist_total', 0, 'archived', false,
      'created_at', now(), 'updated_at', now(), 'version', 1)) card`);
  await client.query(
    'update cards k set parent_id = top.card_id from cards top where top.number = 0 and k.board_id = top.board_id and k.number > 0',
  );
}

async function addMemories(count: number): Promise<void> {
  await client.query(`
    insert into memories (memory_id, brand_id, agent_id, kind, title, body, importance, set_confidence, created_at, updated_at, last_verified_at)
    select gen_random_uuid(), 1, 'ada', 'fact', 'Memory ' || n, 'Known of ' || n, 'normal', 0.8, now(), now(), now()
    from generate_series(1, ${count}) n`);
  await client.query(`
    insert into memory_vectors (agent_id, brand_id, model, text_hash, dimensions, vector)
    select agent_id, brand_id, 'm', text_hash, 1, '' from memories`);
}

const writes: Record<string, { fill: (rows: number) => Promise<void>; write: string }> = {
  'cards that follow their column': { fill: makeBoard, write: `update cards set status = 'done'` },
  'a card with others below it': { fill: makeBoard, write: 'delete from cards where number = 0' },
  'a board': { fill: makeBoard, write: 'delete from boards' },
  'changed memories': { fill: addMemories, write: `update memories set body = body || '.'` },
  'deleted memories': { fill: addMemories, write: 'delete from memories' },
};

/**
 * Returns the CPU milliseconds of this connection's server process where the system reports them, otherwise
 * wall-clock time.
 */
async function computed(): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  try {
    return Number(readFileSync(`/proc/${rows[0].pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

async function time({ fill, write }: (typeof writes)[string], rows: number): Promise<number> {
  await clear();
  await fill(rows);
  const before = await computed();
  await client.query(write);
  return (await computed()) - before;
}

describe('Bulk writes of four times the rows take about four times as long', () => {
  it.each(Object.keys(writes))('%s', async (name) => {
    const growths: number[] = [];
    // Three rounds, to allow for noise on a busy machine.
    for (let round = 0; round < 3; round += 1) {
      const few = await time(writes[name]!, FEW);
      growths.push((await time(writes[name]!, FEW * MORE)) / few);
    }
    expect(Math.min(...growths)).toBeLessThan(MOST_GROWTH);
  });
});
