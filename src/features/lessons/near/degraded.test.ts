import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson, type Project } from '../../../../tests/support/code-world.js';

let code: CodeWorld;
let project: Project;

beforeAll(async () => {
  code = await CodeWorld.start();
  project = await code.project({
    'a.ts': 'export function f() {}',
    'lessons/d/x.md': lesson('anchors: [a.ts]'),
  });
});
afterAll(() => code.stop());

const near = () =>
  code.call<{ degraded: string; reached_nodes: number }>('POST', '/api/v1/memory/entries:near', {
    project_id: project.id,
    paths: ['a.ts'],
  });

function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  return code.world.db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
    return work();
  });
}

describe('POST /api/v1/memory/entries:near', () => {
  it('returns 200 with degraded code_index_unavailable when the code index does not respond', async () => {
    const { status, body } = await whileLocked('projects', near);
    expect(status).toBe(200);
    expect(body).toEqual({
      entries: [],
      reached_nodes: 0,
      damped: [],
      truncated: false,
      degraded: 'code_index_unavailable',
    });
  });

  it('returns 200 with degraded memory_unavailable when the lessons do not respond', async () => {
    const { status, body } = await whileLocked('lessons', near);
    expect(status).toBe(200);
    expect(body).toMatchObject({ entries: [], degraded: 'memory_unavailable' });
    expect(body.reached_nodes).toBeGreaterThan(0);
    expect((await near()).body.degraded).toBeNull();
  });

  it.each([
    ['code_nodes', 'parent_no'],
    ['lessons', 'body'],
  ])(
    'returns 500 when a query over %s is invalid, because only unavailable data degrades',
    async (table, column) => {
      const rename = (from: string, to: string) =>
        sql`alter table ${sql.table(table)} rename column ${sql.ref(from)} to ${sql.ref(to)}`.execute(
          code.world.db,
        );
      // A new commit invalidates the caches.
      await project.save({ 'b.ts': `export const ${table} = 1;\n` });
      await rename(column, 'renamed');
      const answer = await near();
      await rename('renamed', column);
      expect(answer).toEqual({ status: 500, body: { detail: 'Internal error' } });
      expect((await near()).body.degraded).toBeNull();
    },
  );
});
