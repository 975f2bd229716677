import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { personStore } from '../src/features/identity/people/people.store.js';
import { browseStore } from '../src/features/memory/browse/browse.store.js';
import { brandStore } from '../src/features/workspaces/brands/brands.store.js';
import type { Tables } from '../src/platform/database/database.js';
import { startTestApp, type World } from './support/app.js';

const MANY = 20_000;

let world: World;
let pool: pg.Pool;
let db: Kysely<Tables>;
let brandId: number;
let asked: { sql: string; parameters: readonly unknown[] }[] = [];

beforeAll(async () => {
  world = await startTestApp();
  const { brand, bearer } = await world.workspace();
  brandId = brand.brand_id;
  const made = await world.inject({
    method: 'POST',
    url: '/api/v1/memory/memories',
    headers: bearer,
    payload: { agent_id: 'scout', kind: 'fact', title: 'First', body: 'Of many' },
  });
  expect(made.statusCode, made.body).toBe(201);
  await sql`
    insert into memories select other.* from memories m, generate_series(1, ${MANY}) n,
      jsonb_populate_record(m, jsonb_build_object('memory_id', gen_random_uuid(), 'body', md5(n::text))) other`.execute(
    world.db,
  );
  await sql`
    insert into users (email, account_name, full_name, kind, created_at)
    select md5(n::text) || '@example.test', md5(n::text) || '@example.test', 'Person ' || n, 'person', now()
    from generate_series(1, ${MANY}) n`.execute(world.db);
  await sql`
    insert into brands overriding system value select other.* from brands b, generate_series(1, ${MANY}) n,
      jsonb_populate_record(b, jsonb_build_object('brand_id', 100000 + n, 'name', md5(n::text))) other
    where b.brand_id = ${brandId}`.execute(world.db);
  await sql`analyze memories, users, brands`.execute(world.db);
  pool = new pg.Pool({ ...world.database.connection, max: 1 });
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      asked.push(query);
    },
  });
});
afterAll(async () => {
  await db.destroy();
  await world.stop();
});

/** Returns the query plan of each statement that the work runs. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  asked = [];
  await work();
  const plans: string[] = [];
  for (const { sql: text, parameters } of [...asked]) {
    const { rows } = await pool.query(`explain ${text}`, [...parameters]);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  return plans;
}

describe('Substring search with q uses an index', () => {
  const part = 'c4ca4238a0b9';
  const listMemories = () =>
    browseStore(db, brandId).listPage({ agentId: 'scout', q: part }, undefined, 51, new Date());

  it.each([
    ['memories', 'memories_by_part', () => browseStore(db, brandId).count({ agentId: 'scout', q: part })],
    ['a page of memories', 'memories_by_part', listMemories],
    ['people', 'users_by_part', () => personStore(db).countPeople(part)],
    ['a page of people', 'users_by_part', () => personStore(db).listPeople({ q: part, after: 0, limit: 51 })],
    ['workspaces', 'brands_by_part', () => brandStore(db).countBrands(part)],
    ['a page of workspaces', 'brands_by_part', () => brandStore(db).listBrands({ q: part, limit: 51 })],
  ])('%s', async (_what, index, work) => {
    const plans = await plansOf(work);
    expect(plans).toHaveLength(1);
    expect(plans[0]).toContain(index);
  });
});
