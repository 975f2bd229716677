import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { rowsReadBy } from '../../../../tests/support/rows-read.js';
import type { Tx } from '../../../platform/database/database.js';
import { embeddingQueue } from './similarity.store.js';

const LESSONS = 2000;
const project = '00000000-0000-4000-8000-000000000001';
const at = new Date(0);

let database: TestDatabase;

/** Full tables without statistics, as after a first push. Every other lesson already has its vectors. */
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  for (const table of ['lessons', 'lesson_vectors'])
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = off)`.execute(db);
  await sql`insert into brands (brand_id, name, plan, scope_ceiling, created_at) overriding system value
    select n, 'B', 'team', '{}', ${at} from generate_series(1, 2) as n`.execute(db);
  await sql`insert into projects (project_id, brand_id, name, created_at, updated_at) values (${project}, 1, 'P', ${at}, ${at})`.execute(
    db,
  );
  await sql`
    insert into lessons (brand_id, project_id, lesson_id, path, origin, type, title, body, pinned, status, content_hash, text_hashes,
      created_at, updated_at)
    select 1, ${project}, 'q/' || n, 'lessons/q/' || n || '.md', 'pushed', 'rule', 'T', 'B', false, 'live', '',
      array['body' || n, 'titled' || n], ${at}, ${at} from generate_series(1, ${LESSONS}) as n`.execute(db);
  await sql`
    insert into lesson_vectors (brand_id, model, text_hash, dimensions, vector)
    select 1, 'm', kind || n, 1, ''::bytea from generate_series(2, ${LESSONS}, 2) as n, unnest(array['body', 'titled']) as kind
    union all select 1, 'm', 'body1', 1, ''::bytea
    union all select 1, 'm', 'gone' || n, 1, ''::bytea from generate_series(1, ${LESSONS}) as n
    union all select 2, 'm', 'body2', 1, ''::bytea
    union all select 1, 'other', 'body2', 1, ''::bytea`.execute(db);
});
afterAll(() => database.drop());

const rowsRead = (settings: string[], work: (tx: Tx) => Promise<unknown>) =>
  rowsReadBy(database.db, ['lessons', 'lesson_vectors'], settings, work);

const plans: [string, string[]][] = [
  ['the plan of a table without statistics', []],
  ['only nested loops', ['enable_hashjoin', 'enable_mergejoin', 'enable_hashagg']],
  ['no index', ['enable_indexscan', 'enable_bitmapscan', 'enable_indexonlyscan']],
];

describe('Lessons without vectors', () => {
  it.each(plans)('are found by reading each row a few times: %s', async (_, settings) => {
    const read = await rowsRead(settings, (tx) => embeddingQueue(tx).listWaiting('m', 0, LESSONS));
    expect(read).toBeLessThan(LESSONS * 10);
  });
});

describe('Unused vectors', () => {
  it.each(plans)('are deleted by reading each row a few times: %s', async (_, settings) => {
    const read = await rowsRead(settings, (tx) => embeddingQueue(tx).dropUnused('m'));
    expect(read).toBeLessThan(LESSONS * 20);
  });

  it('belong to other models, deleted texts or texts of other workspaces', async () => {
    await embeddingQueue(database.db).dropUnused('m');
    const { rows } = await sql<{ brand_id: number; model: string; text_hash: string }>`
      select brand_id, model, text_hash from lesson_vectors`.execute(database.db);
    expect(rows).toHaveLength(LESSONS + 1);
    expect(
      rows.filter((row) => row.brand_id !== 1 || row.model !== 'm' || /gone/.test(row.text_hash)),
    ).toEqual([]);
  });
});
