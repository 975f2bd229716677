import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CodeWorld, type Project } from '../../../tests/support/code-world.js';
import { itUsually as it, itDeeply } from '../../../tests/support/deep.js';
import { indexQueue } from './indexing/index-queue.store.js';

let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start();
});
afterAll(() => code.stop());

async function queuedProject(): Promise<Project> {
  const repository = code.repository();
  repository.save({ 'a.ts': '' });
  return code.attach(repository);
}

/** Opens the stream of a project and reads its first event. */
async function openStream(project: Project, headers: Record<string, string>) {
  const response = await code.world.inject({
    method: 'GET',
    url: `/api/v1/projects/${project.id}/index/events`,
    headers,
    payloadAsStream: true,
  });
  expect(response.statusCode).toBe(200);
  const chunks = (response.stream() as Readable)[Symbol.asyncIterator]();
  let text = '';
  const readUntil = async (sign: RegExp) => {
    while (!sign.test(text)) {
      const { value, done } = await chunks.next();
      if (done) break;
      text += value;
    }
    return text;
  };
  await readUntil(/event: index\n.*\n\n/);
  return { readToEnd: () => readUntil(/(?!)/) };
}

describe('GET /api/v1/projects/{project_id}/index/events', () => {
  const member = async () => {
    const person = await code.world.member(code.workspace.brand);
    const { token_id, token } = await code.world.operator<{ token_id: string; token: string }>(
      'POST',
      `/brands/${code.workspace.brand.brand_id}/tokens`,
      { user_id: person.user_id, scopes: ['code:read'], name: 'stream', expires_at: inAnHour() },
    );
    return { person, tokenId: token_id, bearer: { authorization: `Bearer ${token}` } };
  };
  const inAnHour = () => new Date(code.world.clock.now().getTime() + 3_600_000).toISOString();

  it.each([
    ['its token is revoked', ({ tokenId }) => code.world.operator('DELETE', `/tokens/${tokenId}`)],
    [
      'the person leaves the workspace',
      ({ person }) =>
        code.world.operator('DELETE', `/brands/${code.workspace.brand.brand_id}/members/${person.user_id}`),
    ],
  ] satisfies [string, (who: Awaited<ReturnType<typeof member>>) => Promise<unknown>][])(
    'ends when %s',
    async (_, end) => {
      const reader = await member();
      const stream = await openStream(await queuedProject(), reader.bearer);
      await end(reader);
      expect((await stream.readToEnd()).match(/event: index/g)).toHaveLength(1);
    },
  );

  it('ends when its session ends', async () => {
    const { person } = await member();
    const cookie = await code.world.signIn(person, code.workspace.brand);
    const stream = await openStream(await queuedProject(), { cookie });
    await code.call('POST', '/api/v1/auth/logout', undefined, { cookie });
    expect((await stream.readToEnd()).match(/event: index/g)).toHaveLength(1);
  });

  it('ends when its token expires', async () => {
    const { bearer } = await member();
    const project = await queuedProject();
    const stream = await openStream(project, bearer);
    await code.world.advance(3601);
    await code.world.runJob('project-index-wanted');
    expect((await stream.readToEnd()).match(/event: index/g)).toHaveLength(1);
  });

  it('ends when the project is deleted', async () => {
    const { bearer } = await member();
    const project = await queuedProject();
    const stream = await openStream(project, bearer);
    await code.call('DELETE', `/api/v1/projects/${project.id}`);
    await stream.readToEnd();
  });
});

describe('Index run that another one overtakes', () => {
  it('stores nothing, and the next run is complete', async () => {
    const project = await code.project({ 'a.ts': 'export function f() {}' });
    // Simulates another node that stores its result just before this one.
    await sql`
      create function overtake() returns trigger language plpgsql as $$ begin
        update projects set index_version = index_version + 1 where project_id = new.project_id;
        return new;
      end $$`.execute(code.world.db);
    await sql`
      create trigger overtake before update on code_indexes for each row
      when (new.progress ->> 'phase' = 'writing') execute function overtake()`.execute(code.world.db);
    project.repository.save({ 'b.ts': 'export function g() {}' });
    expect(await project.index()).toMatchObject({
      status: 'failed',
      files: 1,
      error: 'Another index run stored its result first',
    });
    expect((await project.nodes()).map(({ path }) => path)).toEqual(['/', 'a.ts', 'a.ts#f']);
    await sql`drop function overtake cascade`.execute(code.world.db);
    expect(await project.index()).toMatchObject({ status: 'ready', files: 2 });
    expect((await project.nodes()).map(({ path }) => path)).toEqual([
      '/',
      'a.ts',
      'a.ts#f',
      'b.ts',
      'b.ts#g',
    ]);
  });
});

describe('Index run during another one', () => {
  it('waits for the other run and then stores nothing', async () => {
    const project = await code.project({ 'a.ts': 'export function f() {}' });
    const before = await project.nodes();
    project.repository.save({ 'b.ts': 'export function g() {}' });
    const index = await code.world.db.transaction().execute(async (other) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`index:${project.id}`}, 0))`.execute(other);
      const indexing = project.index();
      await expect
        .poll(async () => {
          const { rows } = await sql`
            select from pg_locks where locktype = 'advisory' and not granted
              and database = (select oid from pg_database where datname = current_database())`.execute(
            code.world.db,
          );
          return rows.length;
        })
        .toBe(1);
      await sql`update projects set index_version = index_version + 1 where project_id = ${project.id}`.execute(
        other,
      );
      return { indexing };
    });
    expect(await index.indexing).toMatchObject({
      status: 'failed',
      error: 'Another index run stored its result first',
    });
    expect(await project.nodes()).toEqual(before);
    expect(await project.index()).toMatchObject({ status: 'ready', files: 2 });
  });
});

describe('Index run', () => {
  const passesOf = async (project: Project) =>
    (
      await sql<{ status: string }>`select status from code_indexes where project_id = ${project.id}`.execute(
        code.world.db,
      )
    ).rows.length;

  itDeeply('reads all files again after an update of the extractor', async () => {
    const project = await code.project({ 'a.ts': 'export function f() {}' });
    // As an older version of the service left it, without anything in this process's memory.
    await sql`
      update projects set ready_extractor = 0, index_version = index_version + 1
      where project_id = ${project.id}`.execute(code.world.db);
    await sql`update code_facts set extractor = 0, facts = '{"symbols":[]}' where project_id = ${project.id}`.execute(
      code.world.db,
    );
    expect(await project.index()).toMatchObject({ status: 'ready' });
    const { rows } = await sql<{ old: number }>`
      select count(*)::int as old from code_facts where project_id = ${project.id} and extractor = 0`.execute(
      code.world.db,
    );
    expect(rows[0]!.old).toBe(0);
    expect((await project.nodes()).map(({ path }) => path)).toContain('a.ts#f');
  });

  itDeeply('repairs a partly removed mirror', async () => {
    const project = await code.project({ 'a.ts': '' });
    const mirrors = join(code.world.config.dataDir, 'mirrors');
    rmSync(join(mirrors, `${project.id}.git`, 'HEAD'));
    project.repository.save({ 'b.ts': '' });
    expect(await project.index()).toMatchObject({ status: 'ready', files: 2 });
    rmSync(join(mirrors, 'gitconfig'));
    expect(await project.index()).toMatchObject({ status: 'ready' });
    expect(readdirSync(mirrors).filter((name) => name.startsWith('new-'))).toEqual([]);
  });

  it('ignores file extensions that are property names of objects', async () => {
    const project = await code.project({
      'a.constructor': 'export function f() {}',
      'b.toString': '',
      'c.__proto__': '',
      'd.ts': 'export function g() {}',
    });
    expect((await project.nodes()).map(({ path }) => path)).toEqual([
      '/',
      'a.constructor',
      'b.toString',
      'c.__proto__',
      'd.ts',
      'd.ts#g',
    ]);
  });

  it('deletes old runs', async () => {
    const project = await code.project({ 'a.ts': '' });
    await sql`
      insert into code_indexes (index_id, project_id, status, queued_at)
      select gen_random_uuid(), ${project.id}, 'failed', '2020-01-01'::timestamptz + n * interval '1 day'
      from generate_series(1, 50) n`.execute(code.world.db);
    await project.index();
    expect(await passesOf(project)).toBe(21);
    expect((await project.nodes()).length).toBeGreaterThan(0);
  });

  it('serves every workspace before the second project of one', async () => {
    const other = await code.another();
    for (let n = 0; n < 3; n++) await queuedProject();
    await other.attach(other.repository());
    for (const list of [
      await indexQueue(code.world.db).listAll(),
      await indexQueue(code.world.db).listOpen(['queued', 'running']),
    ])
      expect(
        list
          .slice(0, 2)
          .map(({ brand_id }) => brand_id)
          .sort(),
      ).toEqual([code, other].map(({ workspace }) => workspace.brand.brand_id).sort());
  });
});

describe('Project deleted during its index run', () => {
  async function expectNothingLeft(project: Project, phase: string, other: Project): Promise<void> {
    await sql`
      create function vanish() returns trigger language plpgsql as $$ begin
        delete from projects where project_id = old.project_id;
        return null;
      end $$`.execute(code.world.db);
    await sql
      .raw(`
      create trigger vanish after update on code_indexes for each row
      when (new.progress ->> 'phase' = '${phase}' and new.project_id = '${project.id}') execute function vanish()`)
      .execute(code.world.db);
    await code.world.runJob('project-index-wanted');
    expect((await code.call('GET', `/api/v1/projects/${project.id}`)).status).toBe(404);
    expect((await code.call('GET', `/api/v1/projects/${other.id}/index`)).body).toMatchObject({
      status: 'ready',
    });
    const { rows } = await sql`select from code_nodes where project_id = ${project.id}`.execute(
      code.world.db,
    );
    expect(rows).toEqual([]);
    await sql`drop function vanish cascade`.execute(code.world.db);
  }

  it.each(['fetching', 'reading', 'linking', 'writing'])(
    'while it is %s leaves nothing behind and affects no other project',
    async (phase) => expectNothingLeft(await queuedProject(), phase, await queuedProject()),
  );

  it.each(['linking', 'writing'])(
    'while a later run is %s waits for none of its nodes and leaves nothing behind',
    async (phase) => {
      const project = await code.project({ 'a.ts': 'export function f() { return 1; }', 'gone.ts': '' });
      project.repository
        .write({ 'a.ts': 'export function f() { return 2; }', 'b.ts': 'export function g() {}' })
        .remove('gone.ts')
        .commit();
      await code.call('POST', `/api/v1/projects/${project.id}/index`);
      await expectNothingLeft(project, phase, await queuedProject());
    },
  );
});
