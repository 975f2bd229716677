import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson, type Project } from '../../../tests/support/code-world.js';

interface Entry {
  id: string;
  path: string;
  pinned: boolean;
  stale: boolean;
  stale_reason: string | null;
  matched_by: string;
  anchors: string[];
  moves: { from: string; to: string; commit: string }[];
  hops: number;
  via_node_id: string;
  path_to: { node_id: string; path: string; edge: string | null }[];
}
interface Near {
  entries: Entry[];
  reached_nodes: number;
  damped: { node_id: string; path: string; degree: number }[];
  truncated: boolean;
  degraded: string | null;
  detail: string;
}
interface Search {
  query: Record<string, unknown>;
  total: number;
  items: Entry[];
  warnings: string[];
}

let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start();
});
afterAll(() => code.stop());

const near = async (project: Project, question: object) =>
  (await code.call<Near>('POST', '/api/v1/memory/entries:near', { project_id: project.id, ...question }))
    .body;
const nearStatus = async (question: object) =>
  (await code.call('POST', '/api/v1/memory/entries:near', question)).status;
const search = async (project: Project, query: string) =>
  (await code.call<Search>('GET', `/api/v1/memory/entries/search?project_id=${project.id}&${query}`)).body;
const found = async (project: Project, anchor: string) =>
  (await search(project, `anchor=${encodeURIComponent(anchor)}`)).items.map((item) => [
    item.id,
    item.matched_by,
  ]);

const anchors = (...list: string[]) => lesson(`anchors: ${JSON.stringify(list)}`);

describe('POST /api/v1/memory/entries:near', () => {
  let project: Project;

  beforeAll(async () => {
    project = await code.project({
      'src/a.ts': "import { b } from './b.js';\nimport './c.js';\nexport function a() { return b(); }\n",
      'src/b.ts': 'export function b() { return 1; }\nexport class Box { open() {} }\n',
      'src/c.ts': "import './d.js';\n",
      'src/d.ts': 'export {};\n',
      'lib/far.ts': 'export {};\n',
      'lessons/near/on-a.md': anchors('src/a.ts'),
      'lessons/near/on-b.md': anchors('src/b.ts#b'),
      'lessons/near/on-box.md': anchors('src/b.ts#Box.open'),
      'lessons/near/on-c.md': anchors('src/c.ts'),
      'lessons/near/on-d.md': lesson('anchors: [src/d.ts]\npinned: true'),
      'lessons/near/on-src.md': anchors('src/'),
      'lessons/near/on-root.md': anchors('/'),
      'lessons/near/on-far.md': anchors('lib/far.ts'),
      'lessons/near/retired.md': lesson('anchors: [src/a.ts]\nstatus: retired'),
      'lessons/near/superseded.md': lesson(
        'anchors: [src/a.ts]\nstatus: superseded\nsuperseded_by: near/on-a',
      ),
    });
  });

  const hops = (answer: Near) => answer.entries.map(({ id, hops }) => [id.replace('near/', ''), hops]);

  it('depth 0 reads only the start nodes', async () => {
    const answer = await near(project, { paths: ['src/a.ts'], depth: 0 });
    expect(hops(answer)).toEqual([['on-a', 0]]);
    expect(answer).toMatchObject({ reached_nodes: 1, damped: [], truncated: false, degraded: null });
    expect(answer.entries[0]).toMatchObject({
      path: 'lessons/near/on-a.md',
      type: 'rule',
      body: 'Keep it short.',
      pinned: false,
      stale: false,
      stale_reason: null,
      via_node_id: await project.nodeId('src/a.ts'),
      path_to: [{ path: 'src/a.ts', edge: null }],
    });
  });

  it('returns lessons each once at its nearest node; pinned first, then fewer hops', async () => {
    const answer = await near(project, {
      paths: ['src/a.ts'],
      depth: 2,
      kinds: ['import'],
      direction: 'out',
    });
    expect(hops(answer)).toEqual([
      ['on-d', 2],
      ['on-a', 0],
      ['on-b', 1],
      ['on-box', 1],
      ['on-c', 1],
    ]);
  });

  it('at equal hops the more exact node (the symbol) is the nearest', async () => {
    const answer = await near(project, {
      paths: ['src/a.ts'],
      depth: 1,
      kinds: ['import'],
      direction: 'out',
    });
    const onB = answer.entries.find(({ id }) => id === 'near/on-b')!;
    expect(onB.via_node_id).toBe(await project.nodeId('src/b.ts#b'));
    expect(onB.path_to.map(({ path, edge }) => [path, edge])).toEqual([
      ['src/a.ts', null],
      ['src/b.ts#b', 'symbol_import'],
    ]);
    expect(answer.entries.find(({ id }) => id === 'near/on-box')!.via_node_id).toBe(
      await project.nodeId('src/b.ts'),
    );
  });

  it('direction in goes against imports', async () => {
    expect(
      hops(await near(project, { paths: ['src/d.ts'], depth: 2, kinds: ['import'], direction: 'in' })),
    ).toEqual([
      ['on-d', 0],
      ['on-c', 1],
      ['on-a', 2],
    ]);
  });

  it('contains: in is up, and a folder reached gives only the lessons anchored on itself', async () => {
    const answer = await near(project, {
      paths: ['src/a.ts'],
      depth: 2,
      kinds: ['contains'],
      direction: 'in',
    });
    expect(hops(answer)).toEqual([
      ['on-a', 0],
      ['on-src', 1],
      ['on-root', 2],
    ]);
    expect(answer.reached_nodes).toBe(3);
  });

  it('a start node contributes everything under it, with hops 0 and itself as via', async () => {
    const answer = await near(project, { paths: ['src'], depth: 0 });
    expect(hops(answer)).toEqual([
      ['on-d', 0],
      ['on-a', 0],
      ['on-b', 0],
      ['on-box', 0],
      ['on-c', 0],
      ['on-src', 0],
    ]);
    const start = await project.nodeId('src/');
    expect(new Set(answer.entries.map(({ via_node_id }) => via_node_id))).toEqual(new Set([start]));
    expect(answer.entries.every(({ path_to }) => path_to.length === 1)).toBe(true);
    expect(answer.reached_nodes).toBe(1);
  });

  it('follows calls when asked to', async () => {
    expect(hops(await near(project, { paths: ['src/a.ts#a'], depth: 1, kinds: ['call'] }))).toEqual([
      ['on-b', 1],
    ]);
  });

  it('a reached node with more edges than hub_cap of one kind is damped and not walked past; a start node is never a hub', async () => {
    const answer = await near(project, {
      paths: ['src/a.ts'],
      depth: 3,
      kinds: ['contains'],
      direction: 'both',
      hub_cap: 4,
    });
    expect(answer.damped).toEqual([{ node_id: await project.nodeId('src/'), path: 'src/', degree: 5 }]);
    expect(hops(answer)).toEqual([
      ['on-a', 0],
      ['on-src', 1],
    ]);
    const last = await near(project, { paths: ['src/a.ts'], depth: 1, kinds: ['contains'], hub_cap: 4 });
    expect(last.damped.map(({ path }) => path)).toEqual(['src/']);
    const exact = await near(project, { paths: ['src/a.ts'], depth: 1, kinds: ['contains'], hub_cap: 5 });
    expect(exact.damped).toEqual([]);
    expect(
      (await near(project, { paths: ['src/'], depth: 1, kinds: ['contains'], hub_cap: 1 })).damped.map(
        ({ path }) => path,
      ),
    ).not.toContain('src/');
  });

  it('node_ids start too; what does not resolve to live code is skipped', async () => {
    const answer = await near(project, {
      node_ids: [await project.nodeId('src/c.ts'), '00000000-0000-4000-8000-000000000000'],
      paths: ['nowhere.ts', 'src/a.ts#nothing', 'x'.repeat(5000)],
      depth: 0,
    });
    expect(hops(answer)).toEqual([['on-c', 0]]);
    expect(await near(project, { paths: ['nowhere.ts'] })).toEqual({
      entries: [],
      reached_nodes: 0,
      damped: [],
      truncated: false,
      degraded: null,
    });
  });

  it('truncated is true when more lessons matched than limit', async () => {
    expect(await near(project, { paths: ['/'], depth: 0, limit: 7 })).toMatchObject({ truncated: true });
    const all = await near(project, { paths: ['/'], depth: 0, limit: 8 });
    expect([all.entries.length, all.truncated]).toEqual([8, false]);
  });

  it.each([
    ['no start', {}],
    ['51 starts', { paths: Array.from({ length: 51 }, (_, n) => `f${n}`) }],
    ['depth 4', { paths: ['a'], depth: 4 }],
    ['depth -1', { paths: ['a'], depth: -1 }],
    ['hub_cap 0', { paths: ['a'], hub_cap: 0 }],
    ['hub_cap 201', { paths: ['a'], hub_cap: 201 }],
    ['limit 0', { paths: ['a'], limit: 0 }],
    ['limit 101', { paths: ['a'], limit: 101 }],
    ['an unknown kind', { paths: ['a'], kinds: ['symbol_import'] }],
    ['an unknown direction', { paths: ['a'], direction: 'up' }],
    ['an unknown field', { paths: ['a'], deep: 1 }],
    ['an invalid anchor', { paths: ['../a'] }],
    ['an empty anchor', { paths: [''] }],
    ['an absolute path', { paths: ['/src/a.ts'] }],
    ['an empty symbol', { paths: ['a.ts#'] }],
    ['a node id that is none', { node_ids: ['x'] }],
    ['a number as a string', { paths: ['a'], depth: '1' }],
  ])('422: %s', async (_, question) => {
    expect(await nearStatus({ project_id: project.id, ...question })).toBe(422);
  });

  it('50 starts are allowed', async () => {
    expect(
      await nearStatus({ project_id: project.id, paths: Array.from({ length: 50 }, (_, n) => `f${n}`) }),
    ).toBe(200);
  });

  it('404: project missing, of another brand, or without a repository', async () => {
    const other = await code.another();
    const bare = await code.call<{ project_id: string }>('POST', '/api/v1/projects', { name: 'Bare' });
    expect(await nearStatus({ project_id: '00000000-0000-4000-8000-000000000000', paths: ['a'] })).toBe(404);
    expect(await nearStatus({ project_id: bare.body.project_id, paths: ['a'] })).toBe(404);
    expect(
      (await other.call('POST', '/api/v1/memory/entries:near', { project_id: project.id, paths: ['a'] }))
        .status,
    ).toBe(404);
    expect(await nearStatus({ project_id: 'x', paths: ['a'] })).toBe(422);
  });

  it('200 with degraded no_ready_index before the first index', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const fresh = await code.attach(repository);
    expect(await near(fresh, { paths: ['a.ts'] })).toEqual({
      entries: [],
      reached_nodes: 0,
      damped: [],
      truncated: false,
      degraded: 'no_ready_index',
    });
  });

  it('needs memory:read and code:read', async () => {
    for (const scopes of [['memory:read'], ['code:read']] as const) {
      const token = await code.world.token(code.workspace.brand, code.workspace.admin, [...scopes]);
      const headers = { authorization: `Bearer ${token}` };
      expect(
        (
          await code.call(
            'POST',
            '/api/v1/memory/entries:near',
            { project_id: project.id, paths: ['a'] },
            headers,
          )
        ).status,
      ).toBe(403);
    }
  });
});

describe('the walk', () => {
  it('stops at 1,000 nodes, and truncated says so only when something was really left out', async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}.txt`, '']));
    const project = await code.project(files(999));
    const whole = await near(project, { paths: ['/'], depth: 1, kinds: ['contains'] });
    expect([whole.reached_nodes, whole.truncated]).toEqual([1000, false]);
    await project.save({ 'one-more.txt': '' });
    const cut = await near(project, { paths: ['/'], depth: 1, kinds: ['contains'] });
    expect([cut.reached_nodes, cut.truncated]).toEqual([1000, true]);
  });
});

describe('GET /api/v1/memory/entries/search', () => {
  let project: Project;

  beforeAll(async () => {
    project = await code.project({
      'src/deep/a.ts': 'export class A { b() {} c() {} }\nexport function f() {}\n',
      'src/other.ts': '',
      'lessons/s/file.md': anchors('src/deep/a.ts'),
      'lessons/s/class.md': anchors('src/deep/a.ts#A'),
      'lessons/s/method.md': lesson(
        'anchors: ["src/deep/a.ts#A.b"]\nscope: backend',
        'Mind the gap between words.',
      ),
      'lessons/s/function.md': anchors('src/deep/a.ts#f'),
      'lessons/s/deep.md': anchors('src/deep/'),
      'lessons/s/src.md': anchors('src'),
      'lessons/s/root.md': anchors('/'),
      'lessons/s/pinned.md': lesson('anchors: [/]\npinned: true').replace('rule', 'gotcha'),
      'lessons/s/two.md': anchors('src/', 'src/deep/a.ts'),
      'lessons/s/retired.md': lesson('anchors: [src/deep/a.ts]\nstatus: retired'),
    });
  });

  it('for a file: on it anchor, on its symbols symbol, on folders above folder, nearest first; pinned before all', async () => {
    expect(await found(project, 'src/deep/a.ts')).toEqual([
      ['s/pinned', 'folder'],
      ['s/file', 'anchor'],
      ['s/two', 'anchor'],
      ['s/class', 'symbol'],
      ['s/function', 'symbol'],
      ['s/method', 'symbol'],
      ['s/deep', 'folder'],
      ['s/src', 'folder'],
      ['s/root', 'folder'],
    ]);
  });

  it('for a symbol: on it anchor; on its file, an enclosing or nested symbol symbol; folders above folder', async () => {
    expect(await found(project, 'src/deep/a.ts#A.b')).toEqual([
      ['s/pinned', 'folder'],
      ['s/method', 'anchor'],
      ['s/class', 'symbol'],
      ['s/file', 'symbol'],
      ['s/two', 'symbol'],
      ['s/deep', 'folder'],
      ['s/src', 'folder'],
      ['s/root', 'folder'],
    ]);
    expect(await found(project, 'src/deep/a.ts#A')).toContainEqual(['s/method', 'symbol']);
  });

  it('for a folder, with or without its slash: on it anchor, above folder', async () => {
    const expected = [
      ['s/pinned', 'folder'],
      ['s/deep', 'anchor'],
      ['s/src', 'folder'],
      ['s/two', 'folder'],
      ['s/root', 'folder'],
    ];
    expect(await found(project, 'src/deep/')).toEqual(expected);
    expect(await found(project, 'src/deep')).toEqual(expected);
    expect(await found(project, `src/deep/${'x/'.repeat(1500)}`)).toEqual(
      expected.map(([id]) => [id, 'folder']),
    );
    expect(await found(project, '/')).toEqual([
      ['s/pinned', 'anchor'],
      ['s/root', 'anchor'],
    ]);
  });

  it('answers the full lesson; total counts before limit; query echoes the parameters', async () => {
    const answer = await search(
      project,
      'anchor=src/deep/a.ts%23A.b&limit=2&q=GAP+words&type=rule&scope=backend',
    );
    expect(answer).toMatchObject({
      query: {
        anchor: 'src/deep/a.ts#A.b',
        project_id: project.id,
        q: 'GAP words',
        type: 'rule',
        scope: 'backend',
        limit: 2,
        stale: false,
      },
      total: 1,
      warnings: [],
    });
    expect(answer.items[0]).toEqual({
      id: 's/method',
      path: 'lessons/s/method.md',
      type: 'rule',
      body: 'Mind the gap between words.',
      pinned: false,
      stale: false,
      stale_reason: null,
      anchors: ['src/deep/a.ts#A.b'],
      title: 'method',
      author: null,
      card: null,
      scope: 'backend',
      status: 'live',
      superseded_by: null,
      project_id: project.id,
      moves: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      matched_by: 'anchor',
    });
    expect(await search(project, 'anchor=src/deep/a.ts&limit=1')).toMatchObject({
      total: 9,
      items: [{ id: 's/pinned' }],
    });
    expect((await search(project, 'anchor=src/deep/a.ts&type=gotcha')).items.map(({ id }) => id)).toEqual([
      's/pinned',
    ]);
  });

  it('without project_id all projects of the brand are searched, never another brand’s', async () => {
    const other = await code.another();
    const { body } = await other.call<Search>('GET', '/api/v1/memory/entries/search?anchor=src/deep/a.ts');
    expect(body.total).toBe(0);
    expect(
      (await code.call<Search>('GET', '/api/v1/memory/entries/search?anchor=src/deep/a.ts')).body.total,
    ).toBeGreaterThanOrEqual(9);
    expect(
      (await other.call('GET', `/api/v1/memory/entries/search?anchor=a&project_id=${project.id}`)).status,
    ).toBe(404);
  });

  it.each([
    '',
    'anchor=',
    'anchor=a&limit=0',
    'anchor=a&limit=501',
    'anchor=a&limit=x',
    'anchor=a&project_id=x',
    'anchor=../a',
    'stale=maybe',
    'stale=false',
    'anchor=a%00b',
  ])('refuses ?%s with 422', async (query) => {
    expect((await code.call('GET', `/api/v1/memory/entries/search?${query}`)).status).toBe(422);
  });
});

describe('POST /api/v1/memory/anchors:lookup', () => {
  let project: Project;
  const lookup = async (question: object) =>
    (
      await code.call<{ counts: Record<string, number>; entries: Record<string, Entry[]> }>(
        'POST',
        '/api/v1/memory/anchors:lookup',
        question,
      )
    ).body;

  beforeAll(async () => {
    project = await code.project({
      'src/a.ts': 'export class A { b() {} }\n',
      'src/gone.ts': 'export function g() {}\n',
      'lessons/l/method.md': anchors('src/a.ts#A.b'),
      'lessons/l/file.md': anchors('src/a.ts'),
      'lessons/l/gone.md': anchors('src/gone.ts#g'),
      ...Object.fromEntries(
        Array.from({ length: 6 }, (_, n) => [
          `lessons/l/many${n}.md`,
          lesson(`anchors: [src/]\npinned: ${n === 5}`),
        ]),
      ),
    });
  });

  it('subtree counts what lies below, exact only the node; at most five lessons, pinned first', async () => {
    const [root, src, file, method] = await Promise.all(
      ['/', 'src/', 'src/a.ts', 'src/a.ts#A.b'].map((path) => project.nodeId(path)),
    );
    const unknown = '00000000-0000-4000-8000-000000000000';
    const subtree = await lookup({ project_id: project.id, node_ids: [root, src, file, method, unknown] });
    expect(subtree.counts).toEqual({ [root!]: 9, [src!]: 9, [file!]: 2, [method!]: 1 });
    expect(subtree.entries[src!]!.length).toBe(5);
    expect(subtree.entries[src!]![0]).toMatchObject({
      id: 'l/many5',
      pinned: true,
      stale: false,
      stale_reason: null,
    });
    const exact = await lookup({ project_id: project.id, node_ids: [root, src, file], match: 'exact' });
    expect(exact.counts).toEqual({ [src!]: 6, [file!]: 1 });
  });

  it('a removed node’s id still answers its stale lessons, while a live folder’s subtree leaves removed nodes out', async () => {
    const [src, gone] = [await project.nodeId('src/'), await project.nodeId('src/gone.ts#g')];
    project.repository.remove('src/gone.ts').commit();
    await project.index();
    const answer = await lookup({ project_id: project.id, node_ids: [src, gone] });
    expect(answer.counts).toEqual({ [src]: 8, [gone]: 1 });
    expect(answer.entries[gone]![0]).toMatchObject({ id: 'l/gone', stale: true });
  });

  it('422: more than 1,000 node_ids, an id not a UUID, or match not subtree or exact', async () => {
    const ids = (count: number) =>
      Array.from({ length: count }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
    const status = async (question: object) =>
      (await code.call('POST', '/api/v1/memory/anchors:lookup', { project_id: project.id, ...question }))
        .status;
    expect(await status({ node_ids: ids(1000) })).toBe(200);
    expect(await status({ node_ids: ids(1001) })).toBe(422);
    expect(await status({ node_ids: ['x'] })).toBe(422);
    expect(await status({ node_ids: [], match: 'some' })).toBe(422);
    expect(await status({})).toBe(422);
  });
});

describe('a lesson follows its code', () => {
  it('moved anchors keep the lesson live, with the trail on the full lesson', async () => {
    const text = 'export function f(a: number) { return a + 1; }\n';
    const project = await code.project({
      'src/a.ts': text,
      'src/keep.ts': '',
      'lessons/m/x.md': anchors('src/a.ts', 'src/a.ts#f'),
    });
    const first = project.repository.move('src/a.ts', 'src/b.ts').commit();
    const second = project.repository.move('src', 'lib').commit();
    await project.index();
    const [item] = (await search(project, 'anchor=lib/b.ts')).items;
    expect(item).toMatchObject({ id: 'm/x', stale: false, anchors: ['lib/b.ts', 'lib/b.ts#f'] });
    expect(item!.moves).toEqual([
      { from: 'src/a.ts', to: 'src/b.ts', commit: first },
      { from: 'src/a.ts#f', to: 'src/b.ts#f', commit: first },
      { from: 'src/b.ts', to: 'lib/b.ts', commit: second },
      { from: 'src/b.ts#f', to: 'lib/b.ts#f', commit: second },
    ]);
    expect((await search(project, 'anchor=src/a.ts')).total).toBe(0);
    await project.save({
      'lessons/m/x.md': lesson('anchors: [src/a.ts, "src/a.ts#f"]', 'Edited, anchors untouched.'),
    });
    expect((await search(project, 'anchor=lib/b.ts')).items[0]).toMatchObject({
      body: 'Edited, anchors untouched.',
      anchors: ['lib/b.ts', 'lib/b.ts#f'],
    });
  });

  it('a renamed folder moves its anchor', async () => {
    const project = await code.project({
      'src/x/a.ts': 'export function a() {}',
      'src/x/b.ts': 'export function b() {}',
      'lessons/m/folder.md': anchors('src/x'),
    });
    project.repository.move('src/x', 'src/y').commit();
    await project.index();
    expect((await search(project, 'anchor=src/y/')).items[0]).toMatchObject({
      id: 'm/folder',
      anchors: ['src/y/'],
      matched_by: 'anchor',
    });
  });

  it('stale with the full id of the commit that removed the code, also when several commits lie between two passes; live again when it comes back', async () => {
    const project = await code.project({
      'a.ts': 'export function f() { return 1; }\nexport function g() { return 2; }\n',
      'lessons/st/f.md': anchors('a.ts#f', '/'),
      'lessons/st/g.md': anchors('a.ts#g'),
      'lessons/st/both.md': anchors('a.ts#f', 'a.ts#g'),
    });
    const removing = project.repository.save({ 'a.ts': 'export function g() { return 2; }\n' });
    project.repository.save({ 'b.ts': '' });
    project.repository.save({ 'c.ts': '' });
    await project.index();
    const stale = await search(project, 'stale=true');
    expect(stale.items.map((item) => [item.id, item.stale, item.stale_reason, item.matched_by])).toEqual([
      ['st/f', true, `code removed in ${removing}`, null],
    ]);
    expect(
      (await search(project, 'anchor=a.ts')).items.map(({ id, stale: isStale }) => [id, isStale]),
    ).toEqual([
      ['st/both', false],
      ['st/f', true],
      ['st/g', false],
    ]);
    expect(
      (await search(project, 'stale=true&anchor=b.ts')).items.map(({ id, matched_by }) => [id, matched_by]),
    ).toEqual([['st/f', 'folder']]);
    expect(
      (await search(project, 'stale=true&anchor=a.ts%23g')).items.map(({ id, matched_by }) => [
        id,
        matched_by,
      ]),
    ).toEqual([['st/f', 'folder']]);
    await project.save({ 'a.ts': 'export function f() { return 3; }\nexport function g() { return 2; }\n' });
    expect((await search(project, 'stale=true')).total).toBe(0);
  });

  it('anchored only on folders it goes stale when all those folders are removed', async () => {
    const project = await code.project({
      'one/a.ts': '',
      'two/b.ts': 'export function b() {}',
      'keep.ts': '',
      'lessons/st/folders.md': anchors('one/', 'two/'),
    });
    project.repository.remove('one').commit();
    await project.index();
    expect((await search(project, 'stale=true')).total).toBe(0);
    const commit = project.repository.remove('two').commit();
    await project.index();
    expect((await search(project, 'stale=true')).items[0]).toMatchObject({
      id: 'st/folders',
      stale_reason: `code removed in ${commit}`,
    });
  });

  it('an anchor that never resolved keeps the lesson live, with a warning', async () => {
    const project = await code.project({
      'a.ts': 'export function f() {}',
      'lessons/u/x.md': anchors('a.ts#f', 'nowhere.ts'),
    });
    expect((await project.index()).warnings).toEqual([
      'lessons/u/x.md: the anchor "nowhere.ts" resolves to nothing',
    ]);
    await project.save({ 'a.ts': '' });
    expect((await search(project, 'stale=true')).total).toBe(0);
    await project.save({ 'nowhere.ts': '' });
    expect((await project.index()).warnings).toEqual([]);
  });

  it('a file that cannot be read is reported in warnings and keeps the last good version', async () => {
    const project = await code.project({
      'a.ts': '',
      'lessons/w/x.md': lesson('anchors: [a.ts]', 'Good.'),
      'lessons/w/never.md': 'no front matter',
      'lessons/top.md': 'x',
    });
    await project.save({ 'lessons/w/x.md': '---\ntype: [\n---\nBroken.' });
    const index = await project.index();
    expect(index).toMatchObject({ status: 'ready', lessons: 1 });
    expect(index.warnings.sort()).toEqual([
      'lessons/top.md: a lesson file is lessons/<area>/<slug>.md',
      'lessons/w/never.md: the front matter is missing',
      'lessons/w/x.md: the front matter is not valid YAML',
    ]);
    expect((await search(project, 'anchor=a.ts')).items[0]).toMatchObject({ body: 'Good.' });
    project.repository.remove('lessons/w/x.md').commit();
    await project.index();
    expect((await search(project, 'anchor=a.ts')).total).toBe(0);
  });

  it('retire and supersede take a lesson out of every read', async () => {
    const project = await code.project({ 'a.ts': '', 'lessons/r/x.md': anchors('a.ts') });
    expect((await search(project, 'anchor=a.ts')).total).toBe(1);
    await project.save({ 'lessons/r/x.md': lesson('anchors: [a.ts]\nstatus: retired') });
    expect((await search(project, 'anchor=a.ts')).total).toBe(0);
    expect((await near(project, { paths: ['a.ts'] })).entries).toEqual([]);
    expect((await project.index()).lessons).toBe(0);
  });
});

describe('POST /api/v1/projects/{project_id}/lessons:impact', () => {
  it('tells which lessons the diff would stale, move or touch', async () => {
    const project = await code.project({
      'a.ts': 'export function f() { return 1; }\n',
      'b.ts': 'export function g(x: number) { return x * 2; }\n',
      'c/d.ts': 'export function h() { return 3; }\n',
      'lessons/i/f.md': anchors('a.ts#f'),
      'lessons/i/b.md': anchors('b.ts'),
      'lessons/i/c.md': anchors('c/'),
    });
    const base = project.repository.git('rev-parse', 'HEAD');
    project.repository.git('checkout', '--quiet', '-b', 'feature');
    project.repository
      .write({ 'a.ts': '', 'c/d.ts': 'export function h() { return 4; }\n' })
      .move('b.ts', 'moved.ts');
    const head = project.repository.commit();
    const impact = (body: object) =>
      code.call<Record<string, { id: string }[]>>(
        'POST',
        `/api/v1/projects/${project.id}/lessons:impact`,
        body,
      );
    const { status, body } = await impact({ base: 'main', head: 'feature' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      base,
      head,
      stale: [{ id: 'i/f', anchors: ['a.ts#f'] }],
      moved: [{ id: 'i/b', moves: [{ from: 'b.ts', to: 'moved.ts' }] }],
      touched: [{ id: 'i/c', anchors: ['c/'] }],
    });
    expect((await impact({ base, head })).status).toBe(200);
    expect((await impact({ base: 'main', head: 'none' })).status).toBe(422);
    expect((await impact({ base: '--all', head: 'main' })).status).toBe(422);
    expect((await search(project, 'stale=true')).total).toBe(0);
  });
});
