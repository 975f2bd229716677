import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, startTestApp, type World } from '../../../tests/support/app.js';
import { type Demo, seedDemo } from '../../demo/demo.js';
import { isSecretColumn, listWorkspaceTables } from '../../platform/database/schema/workspace-rows.js';

let world: World;
let demo: Demo;
let otherId: number;
const NAME = 'Acme Robotics';

beforeAll(async () => {
  world = await startTestApp();
  demo = await seedDemo(world.app);
  await world.runJob('project-index');
  await world.runJob('hire-provision');
  await world.runJob('memory-export');
  otherId = (await world.operator<{ brands: { brand_id: number }[] }>('GET', '/brands')).brands.find(
    ({ brand_id }) => brand_id !== demo.brandId,
  )!.brand_id;
});
afterAll(() => world.stop());

const admin = { 'x-admin-key': ADMIN_KEY };
const erase = (brandId: number | string, payload?: object) =>
  world.inject({ method: 'DELETE', url: `/api/v1/admin/brands/${brandId}`, headers: admin, payload });
const exportOf = (brandId: number | string) =>
  world.inject({ url: `/api/v1/admin/brands/${brandId}/export`, headers: admin });

async function countRows(brandId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await listWorkspaceTables(world.db)) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table.name)} where ${table.of(brandId)}`.execute(
      world.db,
    );
    counts[table.name] = rows[0]!.count;
  }
  return counts;
}

interface Line {
  table: string;
  row: Record<string, unknown>;
}

describe('GET /admin/brands/{brand_id}/export', () => {
  it('streams every row of the workspace from every table, and no others', async () => {
    const before = await countRows(demo.brandId);
    const response = await exportOf(demo.brandId);
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    const lines: Line[] = response.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ table: 'brands', row: { brand_id: demo.brandId, name: NAME } });
    const exported: Record<string, number> = Object.fromEntries(Object.keys(before).map((name) => [name, 0]));
    for (const { table } of lines) exported[table] = (exported[table] ?? 0) + 1;
    const { brands, users, ...tables } = exported;
    expect(tables).toEqual(before);
    expect([brands, (users ?? 0) > 1]).toEqual([1, true]);
    const filled = Object.values(before).filter((count) => count > 0);
    expect(filled.length).toBeGreaterThan(25);
    for (const { table, row } of lines) {
      if ('brand_id' in row) expect(row['brand_id'], table).toBe(demo.brandId);
      expect(Object.keys(row).filter(isSecretColumn), table).toEqual([]);
    }
  });

  it('contains no digest of a password or token', async () => {
    const { body } = await exportOf(demo.brandId);
    const { rows } = await world.database.pool.query(
      `select token_hash as secret from tokens union all select password_hash from users where password_hash is not null
       union all select token_lookup from desks where token_lookup is not null
       union all select key_sealed from desks where key_sealed is not null union all select token_hash from invitations`,
    );
    expect(rows.length).toBeGreaterThan(4);
    for (const { secret } of rows) expect(body).not.toContain(secret);
  });

  it('releases its database connection when the client disconnects', async () => {
    const lines = await world.app.dataRequests.exportWorkspace(demo.brandId);
    expect((await lines.next()).value).toContain('"brands"');
    await lines.return(undefined);
    const { rows } = await world.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
    );
    expect(rows).toEqual([]);
  });
});

describe('DELETE /admin/brands/{brand_id}', () => {
  it("requires the workspace's name", async () => {
    for (const body of [
      {},
      { name: '' },
      { name: 'Acme' },
      { name: NAME.toLowerCase() },
      { name: NAME, sure: true },
    ])
      expect((await erase(demo.brandId, body)).statusCode).toBe(422);
    for (const id of [999999, 'abc']) expect((await erase(id, { name: NAME })).statusCode).toBe(404);
    expect((await erase(demo.brandId, { name: 'Acme' })).json()).toEqual({
      detail: 'name must be the name of the workspace',
    });
  });

  it('closes the workspace at once, then removes all its data and nothing else', async () => {
    const { agentsDir, sourcesDir, dataDir } = world.config;
    const { rows: agents } = await world.database.pool.query(
      'select agent_id from agents where brand_id = $1',
      [demo.brandId],
    );
    const { rows: projects } = await world.database.pool.query(
      'select project_id from projects where brand_id = $1',
      [demo.brandId],
    );
    await mkdir(join(sourcesDir, String(demo.brandId)), { recursive: true });
    await mkdir(join(sourcesDir, String(otherId)), { recursive: true });
    await writeFile(join(sourcesDir, String(demo.brandId), 'talk.jsonl'), '{}');
    const folders = [
      ...agents.map(({ agent_id }) => join(agentsDir, agent_id)),
      ...projects.map(({ project_id }) => join(dataDir, 'mirrors', `${project_id}.git`)),
      join(sourcesDir, String(demo.brandId)),
    ].filter((folder) => existsSync(folder));
    expect(folders.length).toBeGreaterThan(1);
    const others = await countRows(otherId);
    const bearer = { authorization: `Bearer ${demo.token}` };

    const response = await erase(demo.brandId, { name: NAME });
    expect([response.statusCode, response.json()]).toEqual([202, { status: 'accepted' }]);
    expect((await world.inject({ url: '/api/v1/me/token', headers: bearer })).statusCode).toBe(401);
    expect(
      (await world.inject({ url: `/api/v1/admin/brands/${demo.brandId}`, headers: admin })).statusCode,
    ).toBe(404);
    expect((await erase(demo.brandId, { name: NAME })).statusCode).toBe(404);
    const mail = { email: demo.people[0]!.email, password: 'guildhall-demo' };
    const signIn = await world.inject({ method: 'POST', url: '/api/v1/auth/login', payload: mail });
    expect(signIn.statusCode).toBe(401);

    expect(await world.runJob('erase')).toMatchObject({ failed: 0 });
    const left = await countRows(demo.brandId);
    expect(Object.entries(left).filter(([, count]) => count > 0)).toEqual([]);
    expect(
      (await world.database.pool.query('select from brands where brand_id = $1', [demo.brandId])).rows,
    ).toEqual([]);
    for (const folder of folders) expect(existsSync(folder), folder).toBe(false);
    expect(existsSync(join(sourcesDir, String(otherId)))).toBe(true);
    expect(await countRows(otherId)).toEqual(others);
    expect(await world.runJob('erase')).toEqual({ job: 'erase', processed: 0, failed: 0 });
  });

  it('resumes after an interruption', async () => {
    const { brand, bearer } = await world.workspace();
    for (let number = 0; number < 3; number++)
      await world.inject({
        method: 'POST',
        url: '/api/v1/board/boards',
        headers: bearer,
        payload: { name: 'B' },
      });
    await erase(brand.brand_id, { name: brand.name });
    // Make the last step fail, after all other rows are gone.
    await world.database.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not yet'; end $$;
      create trigger not_yet before delete on brands for each row execute function refuse()`);
    expect(await world.runJob('erase')).toMatchObject({ processed: 0, failed: 1 });
    await world.database.pool.query('drop trigger not_yet on brands');
    expect(await world.runJob('erase')).toMatchObject({ processed: 1, failed: 0 });
    expect(
      (await world.database.pool.query('select from brands where brand_id = $1', [brand.brand_id])).rows,
    ).toEqual([]);
  });
});
