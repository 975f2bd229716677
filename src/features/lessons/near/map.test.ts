import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../../../../tests/support/code-world.js';
import { anchors } from '../../../../tests/support/lesson-caller.js';
import type { GraphAnswer, TreeAnswer } from '../lessons.schemas.js';

let code: CodeWorld;
let project: Project;

beforeAll(async () => {
  code = await CodeWorld.start();
  project = await code.project({
    'src/a.ts': "import { b } from './b.js';\nexport function a() { return b(); }\n",
    'src/b.ts': 'export function b() { return 1; }\nexport class Box { open() {} }\n',
    'src/old.ts': 'export const old = 1;\n',
    'lib/far.ts': 'export {};\n',
    'top.ts': 'export {};\n',
    'lessons/map/on-a.md': anchors('src/a.ts'),
    'lessons/map/on-open.md': anchors('src/b.ts#Box.open'),
    'lessons/map/on-src.md': anchors('src/'),
    'lessons/map/on-both.md': anchors('src/a.ts', 'src/b.ts'),
    'lessons/map/on-old.md': anchors('src/old.ts'),
  });
  project.repository.remove('src/old.ts');
  await project.save({ 'src/new.ts': 'export class Other { some = "thing else" }\n' });
});
afterAll(() => code.stop());

const at = (place: string, query: Record<string, string>) =>
  `/api/v1/projects/${project.id}/${place}?${new URLSearchParams(query)}`;
const graph = (query: Record<string, string>) => code.call<GraphAnswer>('GET', at('graph', query));
const tree = (query: Record<string, string>) => code.call<TreeAnswer>('GET', at('tree', query));

describe('GET /api/v1/projects/{project_id}/tree', () => {
  it('lists the children of the root, folders first, with the lessons on and below each', async () => {
    const { status, body } = await tree({});
    expect(status).toBe(200);
    expect([body.path, body.total]).toEqual(['/', 4]);
    expect(
      body.items.map(({ kind, path, name, lessons, stale_lessons }) => [
        kind,
        path,
        name,
        lessons,
        stale_lessons,
      ]),
    ).toEqual([
      ['folder', 'lessons/', 'lessons', 0, 0],
      ['folder', 'lib/', 'lib', 0, 0],
      // A lesson with two anchors counts once, and a lesson without code counts where its code was.
      ['folder', 'src/', 'src', 5, 1],
      ['file', 'top.ts', 'top.ts', 0, 0],
    ]);
    expect(body.items[2]!.node_id).toBe(await project.nodeId('src/'));
  });

  it('lists the files of a folder and the symbols of a file', async () => {
    const inSrc = (await tree({ path: 'src' })).body;
    expect(inSrc.path).toBe('src/');
    expect(inSrc.items.map(({ path, lessons }) => [path, lessons])).toEqual([
      ['src/a.ts', 2],
      ['src/b.ts', 2],
      ['src/new.ts', 0],
    ]);
    const inFile = (await tree({ path: 'src/b.ts' })).body.items;
    expect(inFile.map(({ kind, path, name, lessons }) => [kind, path, name, lessons])).toEqual([
      ['symbol', 'src/b.ts#Box', 'Box', 1],
      ['symbol', 'src/b.ts#b', 'b', 0],
    ]);
  });

  it('404 for an unknown path and 422 without a path', async () => {
    expect((await tree({ path: 'src/nowhere.ts' })).status).toBe(404);
    expect((await tree({ path: '../src' })).status).toBe(422);
  });
});

describe('GET /api/v1/projects/{project_id}/graph', () => {
  it('returns the nodes around a file with links and lessons', async () => {
    const { status, body } = await graph({ path: 'src/a.ts', depth: '1', kinds: 'import' });
    expect(status).toBe(200);
    expect(body.center).toBe(await project.nodeId('src/a.ts'));
    expect(
      body.nodes.map(({ kind, path, symbol, hops, lessons }) => [kind, path, symbol, hops, lessons]),
    ).toEqual(
      expect.arrayContaining([
        ['file', 'src/a.ts', null, 0, 2],
        ['file', 'src/b.ts', null, 1, 2],
        ['symbol', 'src/b.ts', 'b', 1, 0],
      ]),
    );
    expect(body.nodes).toHaveLength(3);
    expect(body.edges).toEqual(
      expect.arrayContaining([
        { from: body.center, to: await project.nodeId('src/b.ts'), kind: 'import' },
        { from: body.center, to: await project.nodeId('src/b.ts#b'), kind: 'symbol_import' },
      ]),
    );
    expect(body.truncated).toBe(false);
  });

  it('sets truncated when there are more nodes than limit', async () => {
    const { body } = await graph({ path: '/', depth: '1', limit: '2' });
    expect([body.nodes.length, body.truncated]).toEqual([2, true]);
    const shown = new Set(body.nodes.map(({ node_id }) => node_id));
    for (const { from, to } of body.edges) expect([shown.has(from), shown.has(to)]).toEqual([true, true]);
  });

  it.each([
    ['depth 0', { depth: '0' }],
    ['depth 4', { depth: '4' }],
    ['limit 401', { limit: '401' }],
    ['an unknown kind', { kinds: 'import,inherits' }],
  ])('422: %s', async (_, query) => {
    expect((await graph(query as Record<string, string>)).status).toBe(422);
  });

  it('409 before the first index, 404 for another workspace, 403 without both scopes', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const fresh = await code.attach(repository);
    expect((await code.call('GET', `/api/v1/projects/${fresh.id}/graph`)).status).toBe(409);
    const other = await code.another();
    expect((await other.call('GET', at('graph', {}))).status).toBe(404);
    for (const scopes of [['memory:read'], ['code:read']] as const) {
      const token = await code.world.token(code.workspace.brand, code.workspace.admin, [...scopes]);
      const headers = { authorization: `Bearer ${token}` };
      expect((await code.call('GET', at('tree', {}), undefined, headers)).status).toBe(403);
    }
  });
});
