import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CodeWorld } from '../../../tests/support/code-world.js';
import { itUsually as it, itDeeply } from '../../../tests/support/deep.js';
import { ScratchRepository } from '../../../tests/support/scratch-repository.js';

let code: CodeWorld;
let home: string;

beforeAll(async () => {
  code = await CodeWorld.start();
  home = join(code.world.config.repositoriesDir, String(code.workspace.brand.brand_id));
  mkdirSync(home, { recursive: true });
});
afterAll(() => code.stop());

const create = (body: object, headers?: Record<string, string>) =>
  code.call<{ project_id: string; repository: unknown; detail: string }>(
    'POST',
    '/api/v1/projects',
    body,
    headers,
  );

describe('POST /api/v1/projects', () => {
  it('returns 201, also without a repository', async () => {
    const { status, body } = await create({ name: 'Plain' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Plain', repository: null });
  });

  it.each(['https://example.test/a.git', 'ssh://git@example.test/a.git', 'git@example.test:team/a.git'])(
    'accepts %s',
    async (url) => {
      const { status, body } = await create({ name: 'Remote', repository: { url, branch: 'main' } });
      expect(status).toBe(201);
      expect(body.repository).toEqual({ url, branch: 'main', host_key: null });
      await code.call('DELETE', `/api/v1/projects/${body.project_id}`);
    },
  );

  it.each([
    'http://example.test/a.git',
    'file:///etc',
    'ext::sh -c id',
    '-upload-pack=touch /tmp/x',
    '--upload-pack=x',
    'git://example.test/a.git',
    'ftp://example.test/a',
    'https://user:secret@example.test/a.git',
    'https://-oProxyCommand=x/a',
    'ssh://-oProxyCommand=x/a',
    'git@-host:a',
    'git@example.test:-a',
    '/etc',
    '../..',
    '/',
    '.',
    '   ',
    'fd::17',
    'a\nb',
  ])('returns 422 for %j', async (url) => {
    expect((await create({ name: 'Bad', repository: { url } })).status).toBe(422);
  });

  it.each(['-x', 'a..b', 'a b', 'refs~1', '', '/a', 'a.lock'])(
    'returns 422 for the branch %j',
    async (branch) => {
      expect(
        (await create({ name: 'Bad', repository: { url: 'https://example.test/a.git', branch } })).status,
      ).toBe(422);
    },
  );

  it('rejects a local path outside the folder of the workspace, also through links', async () => {
    const other = await code.another();
    const foreign = other.repository('theirs');
    symlinkSync(foreign.folder, join(home, 'link'));
    mkdirSync(join(home, 'borrowed'), { recursive: true });
    writeFileSync(join(home, 'borrowed/.git'), `gitdir: ${foreign.folder}/.git\n`);
    for (const url of [
      foreign.folder,
      join(home, 'link'),
      'link',
      join(home, 'borrowed'),
      join(home, '..'),
      home,
    ])
      expect((await create({ name: 'Bad', repository: { url } })).status, url).toBe(422);
  });

  it('lets only an admin attach a local path', async () => {
    const repository = code.repository('members');
    const member = await code.world.member(code.workspace.brand);
    const headers = { authorization: `Bearer ${await code.world.token(code.workspace.brand, member)}` };
    const { status, body } = await create({ name: 'Local', repository: { url: repository.folder } }, headers);
    expect([status, body.detail]).toEqual([403, 'Brand admin access required']);
    expect(
      (await create({ name: 'Remote', repository: { url: 'https://127.0.0.1:1/a.git' } }, headers)).status,
    ).toBe(201);
  });

  it('returns 201 for a missing branch or repository, and its index run fails', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const branch = await code.attach(repository, 'absent');
    const missing = await create({ name: 'Missing', repository: { url: join(home, 'nowhere') } });
    expect(missing.status).toBe(201);
    expect(await branch.index()).toMatchObject({
      status: 'failed',
      error: 'The branch absent does not exist',
      commit: null,
    });
    const { body } = await code.call('GET', `/api/v1/projects/${missing.body.project_id}/index`);
    expect(body).toMatchObject({ status: 'failed', commit: null });
    expect(JSON.stringify(body)).not.toContain(home);
  });

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: '  ' }],
    [{ name: 1 }],
    [{ name: 'x', extra: 1 }],
    [{ name: 'x', repository: 'url' }],
  ])('returns 422 for %j', async (body) => {
    expect((await create(body)).status).toBe(422);
  });
});

describe('GET /api/v1/projects', () => {
  it("lists {projects, total} of the caller's workspace only", async () => {
    const other = await code.another();
    await other.call('POST', '/api/v1/projects', { name: 'Theirs' });
    const { body } = await other.call<{ projects: { name: string }[]; total: number }>(
      'GET',
      '/api/v1/projects',
    );
    expect(body).toMatchObject({ total: 1, projects: [{ name: 'Theirs' }] });
  });

  it('requires code:read', async () => {
    const token = await code.world.token(code.workspace.brand, code.workspace.admin, ['memory:read']);
    const { status } = await code.call('GET', '/api/v1/projects', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(status).toBe(403);
  });
});

describe('GET /api/v1/projects/{project_id}', () => {
  it("every route returns 404 for another workspace's project", async () => {
    const other = await code.another();
    const { body } = await code.call<{ project_id: string }>('POST', '/api/v1/projects', { name: 'Mine' });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/index'],
      ['POST', '/index'],
      ['GET', '/nodes'],
      ['GET', '/index/events'],
      ['DELETE', ''],
    ] as const)
      expect((await other.call(method, `/api/v1/projects/${body.project_id}${path}`)).status).toBe(404);
    expect((await other.call('GET', '/api/v1/projects/nonsense')).status).toBe(404);
  });

  it('DELETE removes the project with all data read from it', async () => {
    const project = await code.project({
      'a.ts': 'export function f() {}',
      'b.ts': "import { f } from './a.js'; f();",
    });
    const countRows = async () => {
      const { rows } = await sql<{ nodes: number; edges: number; facts: number }>`
        select (select count(*) from code_nodes where project_id = ${project.id}) as nodes,
          (select count(*) from code_edges where project_id = ${project.id}) as edges,
          (select count(*) from code_facts where project_id = ${project.id}) as facts`.execute(code.world.db);
      return rows[0]!;
    };
    expect(await countRows()).toEqual({ nodes: 4, edges: 1, facts: 2 });
    const mirror = join(code.world.config.dataDir, 'mirrors', `${project.id}.git`);
    expect(existsSync(mirror)).toBe(true);
    expect((await code.call('DELETE', `/api/v1/projects/${project.id}`)).status).toBe(204);
    expect(await countRows()).toEqual({ nodes: 0, edges: 0, facts: 0 });
    expect(existsSync(mirror)).toBe(false);
    expect((await code.call('GET', `/api/v1/projects/${project.id}`)).status).toBe(404);
  });

  it('PATCH attaches a repository later', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': 'export function f() {}' });
    const { body } = await create({ name: 'Later' });
    const changed = await code.call('PATCH', `/api/v1/projects/${body.project_id}`, {
      repository: { url: repository.folder },
    });
    expect(changed.body).toMatchObject({ repository: { url: repository.folder, branch: null } });
    await code.world.runJob('project-index');
    expect((await code.call('GET', `/api/v1/projects/${body.project_id}/index`)).body).toMatchObject({
      status: 'ready',
      files: 1,
    });
  });
});

describe('POST /api/v1/projects/{project_id}/index', () => {
  it('returns 202 {index_id, status}', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const project = await code.attach(repository);
    const { status, body } = await code.call('POST', `/api/v1/projects/${project.id}/index`);
    expect(status).toBe(202);
    expect(body).toEqual({ index_id: expect.any(String), status: 'queued' });
  });

  it('returns 409 without a repository', async () => {
    const { body } = await create({ name: 'Bare' });
    expect((await code.call('POST', `/api/v1/projects/${body.project_id}/index`)).status).toBe(409);
  });

  itDeeply('creates one index run for 50 concurrent requests', async () => {
    const project = await code.project({ 'a.ts': '' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        code.call<{ index_id: string }>('POST', `/api/v1/projects/${project.id}/index`),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.index_id)).size).toBe(1);
  });
});

describe('GET /api/v1/projects/{project_id}/index', () => {
  it('shows the numbers of a ready index', async () => {
    const repository = code.repository();
    const commit = repository.save({
      'src/a.ts': "import { b } from './b.js';\nexport function a() { b(); }",
      'src/b.ts': 'export function b() {}',
    });
    const project = await code.attach(repository);
    expect(await project.index()).toMatchObject({
      status: 'ready',
      commit,
      files: 2,
      nodes: 6,
      edges: 8,
      lessons: 0,
      warnings: [],
      error: null,
    });
  });

  it('keeps the last ready index after a failed run', async () => {
    const project = await code.project({ 'a.ts': 'export function f() {}' });
    project.repository.git('branch', '-m', 'elsewhere');
    project.repository.git('symbolic-ref', 'HEAD', 'refs/heads/none');
    const failed = await project.index();
    expect(failed).toMatchObject({
      status: 'failed',
      files: 1,
      error: 'The repository has no default branch',
    });
    expect((await project.nodes()).map(({ path }) => path)).toContain('a.ts#f');
  });

  it('is ready without nodes for an empty repository', async () => {
    const project = await code.attach(code.repository());
    expect(await project.index()).toMatchObject({ status: 'ready', commit: null, files: 0, nodes: 0 });
  });

  itDeeply('the scheduled job finds new commits without a request', async () => {
    const project = await code.project({ 'a.ts': '' });
    project.repository.save({ 'b.ts': '' });
    await code.world.runJob('project-index');
    const { body } = await code.call('GET', `/api/v1/projects/${project.id}/index`);
    expect(body).toMatchObject({ status: 'ready', files: 2 });
  });
});

describe('GET /api/v1/projects/{project_id}/index/events', () => {
  it('reports the progress of the index run until it is finished', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const project = await code.attach(repository);
    const stream = code.call<string>('GET', `/api/v1/projects/${project.id}/index/events`);
    await code.world.runJob('project-index');
    const { status, body } = await stream;
    expect(status).toBe(200);
    expect(body).toMatch(/event: index\ndata: .*"status":"ready".*\n\nevent: end\ndata: {}\n\n$/);
  });
});

describe('GET /api/v1/projects/{project_id}/nodes', () => {
  it('lists folders, files and symbols with their paths', async () => {
    const project = await code.project({
      'src/a.ts': 'export class A { b() {} }\nnamespace N { export function c() {} }',
      'r.md': '',
    });
    const nodes = await project.nodes();
    expect(nodes.map(({ kind, path, symbol }) => [kind, path, symbol])).toEqual([
      ['folder', '/', null],
      ['file', 'r.md', null],
      ['folder', 'src/', null],
      ['file', 'src/a.ts', null],
      ['symbol', 'src/a.ts#A', 'A'],
      ['symbol', 'src/a.ts#A.b', 'A.b'],
      ['symbol', 'src/a.ts#c', 'c'],
    ]);
    const paths = async (query: string) => (await project.nodes(query)).map(({ path }) => path);
    expect(await paths('path=src/a.ts')).toEqual(['src/a.ts']);
    expect(await paths('prefix=src/a.ts%23')).toEqual(['src/a.ts#A', 'src/a.ts#A.b', 'src/a.ts#c']);
    expect(await paths('kind=folder')).toEqual(['/', 'src/']);
    expect(await paths('prefix=s&kind=file')).toEqual(['src/a.ts']);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'kind=module'])('returns 422 for %s', async (query) => {
    const { body } = await create({ name: 'Any' });
    expect((await code.call('GET', `/api/v1/projects/${body.project_id}/nodes?${query}`)).status).toBe(422);
  });

  it('counts all nodes in total and shows only live ones', async () => {
    const project = await code.project({ 'a.ts': 'export function f() {}', 'b.ts': '' });
    project.repository.remove('a.ts').commit();
    await project.index();
    const { body } = await code.call('GET', `/api/v1/projects/${project.id}/nodes?limit=1`);
    expect(body).toMatchObject({ total: 2, items: [{ path: '/', live: true }] });
  });

  it('keeps node ids of a renamed file and restores them after a revert', async () => {
    const text = 'export function f(a: number) { return a + 1; }\n';
    const project = await code.project({ 'a.ts': text, 'keep.ts': '' });
    const [file, symbol] = [await project.nodeId('a.ts'), await project.nodeId('a.ts#f')];
    project.repository.move('a.ts', 'src/b.ts').commit();
    await project.index();
    expect([await project.nodeId('src/b.ts'), await project.nodeId('src/b.ts#f')]).toEqual([file, symbol]);
    project.repository.remove('src/b.ts').commit();
    await project.index();
    project.repository.git('revert', '--no-edit', 'HEAD');
    await project.index();
    expect([await project.nodeId('src/b.ts'), await project.nodeId('src/b.ts#f')]).toEqual([file, symbol]);
  });
});

describe('Two nodes of the service', () => {
  it('resume an index run that another process left running', async () => {
    const project = await code.project({ 'a.ts': '' });
    project.repository.save({ 'b.ts': '' });
    const { body } = await code.call<{ index_id: string }>('POST', `/api/v1/projects/${project.id}/index`);
    await code.world.db
      .updateTable('code_indexes')
      .set({ status: 'running' })
      .where('index_id', '=', body.index_id)
      .execute();
    await code.world.runJob('project-index-wanted');
    const after = await code.call('GET', `/api/v1/projects/${project.id}/index`);
    expect(after.body).toMatchObject({ status: 'ready', files: 2, index_id: body.index_id });
  });
});

describe('Hook of the repository', () => {
  it('is never run', async () => {
    const repository = new ScratchRepository(join(home, 'hooked'));
    repository.save({ 'a.ts': '' });
    const proof = join(home, 'hook-ran');
    mkdirSync(join(repository.folder, '.git/hooks'));
    for (const name of ['post-checkout', 'reference-transaction', 'post-merge', 'pre-auto-gc'])
      writeFileSync(join(repository.folder, '.git/hooks', name), `#!/bin/sh\ntouch ${proof}\n`, {
        mode: 0o755,
      });
    repository.git('config', 'uploadpack.packObjectsHook', `touch ${proof};`);
    const project = await code.attach(repository);
    expect(await project.index()).toMatchObject({ status: 'ready' });
    expect(existsSync(proof)).toBe(false);
  });
});
