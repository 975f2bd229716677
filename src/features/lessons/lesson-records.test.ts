import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.js';
import { rowsReadBy } from '../../../tests/support/rows-read.js';
import { lessonRecords } from './records/lesson-records.store.js';

const ANCHORS = 2000;
const TABLES = ['lessons', 'lesson_anchors', 'code_nodes'];
const project = '00000000-0000-4000-8000-000000000001';
const other = '00000000-0000-4000-8000-000000000002';
const at = new Date(0);

let database: TestDatabase;

/**
 * Full tables with statistics from when they held one lesson, as after a first push and index run. Every
 * other anchor has code.
 */
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  for (const table of TABLES)
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = off)`.execute(db);
  await sql`insert into brands (brand_id, name, plan, scope_ceiling, created_at) overriding system value
    values (1, 'B', 'team', '{}', ${at})`.execute(db);
  await sql`insert into projects (project_id, brand_id, name, created_at, updated_at)
    select unnest(${[project, other]}::uuid[]), 1, 'P', ${at}::timestamptz, ${at}::timestamptz`.execute(db);
  await addLessons(other, 1);
  await sql`
    insert into lesson_anchors (brand_id, project_id, lesson_no, position, written, path, kind)
    select 1, project_id, lesson_no, 0, lesson_id, lesson_id, 'file' from lessons`.execute(db);
  await sql`
    insert into code_nodes (project_id, node_no, node_id, kind, path, live) values (${other}, 1, gen_random_uuid(), 'folder', '/', true)`.execute(
    db,
  );
  for (const table of TABLES) await sql`analyze ${sql.table(table)}`.execute(db);
  await addLessons(project, ANCHORS);
  await sql`
    insert into lesson_anchors (brand_id, project_id, lesson_no, position, written, path, kind)
    select 1, project_id, lesson_no, 0, lesson_id, lesson_id, 'file' from lessons where project_id = ${project}`.execute(
    db,
  );
  await sql`
    insert into code_nodes (project_id, node_no, node_id, kind, path, live)
    select ${project}::uuid, n, gen_random_uuid(), case n % 4 when 0 then 'folder' else 'file' end,
      'q/' || n || case n % 4 when 0 then '/' else '' end, true from generate_series(2, ${ANCHORS} * 2, 2) as n
    union all
    select ${project}::uuid, n + 100000, gen_random_uuid(), 'file', 'r/' || n, false from generate_series(1, ${ANCHORS}) as n
    union all
    select ${project}::uuid, n + 200000, gen_random_uuid(), 'file', 'r/' || n, true from generate_series(2, ${ANCHORS}, 2) as n`.execute(
    db,
  );
  await sql`
    insert into lesson_anchors (brand_id, project_id, lesson_no, position, written, path, kind, node_no)
    select 1, project_id, lesson_no, 1, 'r', 'r', 'file', 100000 + substr(lesson_id, 3)::int
    from lessons where project_id = ${project}`.execute(db);
});
afterAll(() => database.drop());

const addLessons = (projectId: string, count: number) =>
  sql`
  insert into lessons (brand_id, project_id, lesson_id, path, origin, type, title, body, pinned, status, content_hash, text_hashes,
    created_at, updated_at)
  select 1, ${projectId}, 'q/' || n, 'lessons/q/' || n || '.md', 'pushed', 'rule', 'T', 'B', false, 'live', '', '{}', ${at}, ${at}
  from generate_series(1, ${count}) as n`.execute(database.db);

describe('Resolving anchors', () => {
  it('reads each node only a few times, even without statistics', async () => {
    const read = await rowsReadBy(database.db, TABLES, [], async (tx) => {
      const records = lessonRecords(tx, 1, project);
      await records.settleAnchors();
      await records.settleStaleness();
    });
    expect(read).toBeLessThan(ANCHORS * 30);
  });

  it('binds to the named file, or to the folder of that name', async () => {
    await lessonRecords(database.db, 1, project).settleAnchors();
    const { rows } = await sql<{ path: string; kind: string }>`
      select path, kind from lesson_anchors where project_id = ${project} and node_no is not null and position = 0`.execute(
      database.db,
    );
    expect(rows).toHaveLength(ANCHORS / 2);
    expect(rows.filter(({ path, kind }) => path.endsWith('/') !== (kind === 'folder'))).toEqual([]);
    expect(rows.filter(({ kind }) => kind === 'folder')).toHaveLength(ANCHORS / 4);
  });

  it('binds to code that returned after its removal, and to its current place', async () => {
    await lessonRecords(database.db, 1, project).settleAnchors();
    const { rows } = await sql<{ live: boolean; count: number }>`
      select n.live, count(*)::int as count from lesson_anchors a
      join code_nodes n on n.project_id = a.project_id and n.node_no = a.node_no and n.path = a.path
      where a.project_id = ${project} and a.position = 1 group by n.live order by n.live`.execute(
      database.db,
    );
    expect(rows).toEqual([
      { live: false, count: ANCHORS / 2 },
      { live: true, count: ANCHORS / 2 },
    ]);
  });
});
