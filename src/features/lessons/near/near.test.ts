import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson, type Project } from '../../../../tests/support/code-world.js';
import { anchors, lessonCaller } from '../../../../tests/support/lesson-caller.js';
import type { NearAnswer } from '../lessons.schemas.js';

let code: CodeWorld;
let ask: ReturnType<typeof lessonCaller>;

beforeAll(async () => {
  code = await CodeWorld.start();
  ask = lessonCaller(code);
});
afterAll(() => code.stop());

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

  const hops = (answer: NearAnswer) => answer.entries.map(({ id, hops }) => [id.replace('near/', ''), hops]);

  it('reads only the start nodes with depth 0', async () => {
    const answer = await ask.near(project, { paths: ['src/a.ts'], depth: 0 });
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

  it('returns each lesson once at its nearest node, pinned first, then by fewer hops', async () => {
    const answer = await ask.near(project, {
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

  it('prefers the more exact node (the symbol) for equal hops', async () => {
    const answer = await ask.near(project, {
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

  it('follows imports backward with direction in', async () => {
    expect(
      hops(await ask.near(project, { paths: ['src/d.ts'], depth: 2, kinds: ['import'], direction: 'in' })),
    ).toEqual([
      ['on-d', 0],
      ['on-c', 1],
      ['on-a', 2],
    ]);
  });

  it('follows contains upward with direction in, and a reached folder returns only lessons anchored on itself', async () => {
    const answer = await ask.near(project, {
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

  it('returns everything below a start node, with hops 0 and the node as via', async () => {
    const answer = await ask.near(project, { paths: ['src'], depth: 0 });
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

  it('stops at a reached node with more than hub_cap edges of one kind, but never at a start node', async () => {
    const answer = await ask.near(project, {
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
    const last = await ask.near(project, { paths: ['src/a.ts'], depth: 1, kinds: ['contains'], hub_cap: 4 });
    expect(last.damped.map(({ path }) => path)).toEqual(['src/']);
    const exact = await ask.near(project, { paths: ['src/a.ts'], depth: 1, kinds: ['contains'], hub_cap: 5 });
    expect(exact.damped).toEqual([]);
    expect(
      (await ask.near(project, { paths: ['src/'], depth: 1, kinds: ['contains'], hub_cap: 1 })).damped.map(
        ({ path }) => path,
      ),
    ).not.toContain('src/');
  });

  it('accepts node_ids as starts and skips ids that do not resolve to live code', async () => {
    const answer = await ask.near(project, {
      node_ids: [await project.nodeId('src/c.ts'), '00000000-0000-4000-8000-000000000000'],
      paths: ['nowhere.ts', 'src/a.ts#nothing', 'x'.repeat(5000)],
      depth: 0,
    });
    expect(hops(answer)).toEqual([['on-c', 0]]);
    expect(await ask.near(project, { paths: ['nowhere.ts'] })).toEqual({
      entries: [],
      reached_nodes: 0,
      damped: [],
      truncated: false,
      degraded: null,
    });
  });

  it('sets truncated when more lessons matched than limit', async () => {
    expect(await ask.near(project, { paths: ['/'], depth: 0, limit: 7 })).toMatchObject({ truncated: true });
    const all = await ask.near(project, { paths: ['/'], depth: 0, limit: 8 });
    expect([all.entries.length, all.truncated]).toEqual([8, false]);
  });

  it.each([
    ['no starting point', {}],
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
    ['an invalid node id', { node_ids: ['x'] }],
    ['a number as a string', { paths: ['a'], depth: '1' }],
  ])('422: %s', async (_, question) => {
    expect(await ask.nearStatus({ project_id: project.id, ...question })).toBe(422);
  });

  it('404 for a missing project, one of another workspace or one without a repository', async () => {
    const other = await code.another();
    const bare = await code.call<{ project_id: string }>('POST', '/api/v1/projects', { name: 'Bare' });
    expect(await ask.nearStatus({ project_id: '00000000-0000-4000-8000-000000000000', paths: ['a'] })).toBe(
      404,
    );
    expect(await ask.nearStatus({ project_id: bare.body.project_id, paths: ['a'] })).toBe(404);
    expect(
      (await other.call('POST', '/api/v1/memory/entries:near', { project_id: project.id, paths: ['a'] }))
        .status,
    ).toBe(404);
    expect(await ask.nearStatus({ project_id: 'x', paths: ['a'] })).toBe(422);
  });

  it('200 with degraded no_ready_index before the first index', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const fresh = await code.attach(repository);
    expect(await ask.near(fresh, { paths: ['a.ts'] })).toEqual({
      entries: [],
      reached_nodes: 0,
      damped: [],
      truncated: false,
      degraded: 'no_ready_index',
    });
  });

  it('requires memory:read and code:read', async () => {
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

describe('A start file with the call edge', () => {
  let project: Project;

  beforeAll(async () => {
    project = await code.project({
      'src/a.ts': [
        "import { b } from './b.js';",
        'export function first() { return second(); }',
        'export function second() { return b(); }',
        '',
      ].join('\n'),
      'src/b.ts': "import { c } from './c.js';\nexport function b() { return c(); }\n",
      'src/c.ts': 'export function c() { return 1; }\n',
      'src/user.ts': "import { first } from './a.js';\nexport class User { act() { return first(); } }\n",
      'lessons/call/on-b.md': anchors('src/b.ts#b'),
      'lessons/call/on-c.md': anchors('src/c.ts#c'),
      'lessons/call/on-second.md': anchors('src/a.ts#second'),
      'lessons/call/on-user.md': anchors('src/user.ts#User.act'),
    });
  });

  const reached = (answer: NearAnswer) =>
    answer.entries.map(({ id, hops, path_to }) => [
      id.replace('call/', ''),
      hops,
      path_to.map(({ path, edge }) => `${edge} ${path}`).join(' '),
    ]);

  it('has the callees of its symbols one hop away', async () => {
    const answer = await ask.near(project, {
      paths: ['src/a.ts'],
      depth: 1,
      kinds: ['call'],
      direction: 'out',
    });
    expect(reached(answer)).toEqual([
      ['on-second', 0, 'null src/a.ts'],
      ['on-b', 1, 'null src/a.ts call src/b.ts#b'],
    ]);
  });

  it('needs a hop for each further call, and a file that is only reached adds no calls', async () => {
    const further = await ask.near(project, { paths: ['src/a.ts'], depth: 2, kinds: ['call'] });
    expect(reached(further).map(([id, hops]) => [id, hops])).toEqual([
      ['on-second', 0],
      ['on-b', 1],
      ['on-user', 1],
      ['on-c', 2],
    ]);
    const imported = await ask.near(project, {
      paths: ['src/user.ts'],
      depth: 2,
      kinds: ['import', 'call'],
      direction: 'out',
    });
    expect(imported.entries.map(({ id }) => id)).not.toContain('call/on-c');
    const without = await ask.near(project, { paths: ['src/a.ts'], depth: 1, kinds: ['contains'] });
    expect(without.entries.map(({ id }) => id)).not.toContain('call/on-b');
  });
});

describe('Degree of a node', () => {
  it('counts an import and a symbol_import between the same two files once', async () => {
    const names = ['one', 'two', 'three'];
    const project = await code.project({
      'start.ts': "import './hub.js';\n",
      'hub.ts': `import { ${names.join(', ')} } from './many.js';\nimport { four } from './barrel.js';\n`,
      'many.ts': names.map((name) => `export function ${name}() {}\n`).join(''),
      'barrel.ts': "export { four } from './four.js';\n",
      'four.ts': 'export function four() {}\n',
    });
    const damped = async (hubCap: number) =>
      (
        await ask.near(project, { paths: ['start.ts'], depth: 1, kinds: ['import'], hub_cap: hubCap })
      ).damped.map(({ path, degree }) => [path, degree]);
    // start.ts, many.ts, barrel.ts, and four.ts#four, whose file the hub does not import itself.
    expect(await damped(3)).toEqual([['hub.ts', 4]]);
    expect(await damped(4)).toEqual([]);
  });
});

describe('Walk limit', () => {
  it('stops at 1,000 nodes, and sets truncated only when nodes were left out', async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}.txt`, '']));
    const project = await code.project(files(999));
    const whole = await ask.near(project, { paths: ['/'], depth: 1, kinds: ['contains'] });
    expect([whole.reached_nodes, whole.truncated]).toEqual([1000, false]);
    await project.save({ 'one-more.txt': '' });
    const cut = await ask.near(project, { paths: ['/'], depth: 1, kinds: ['contains'] });
    expect([cut.reached_nodes, cut.truncated]).toEqual([1000, true]);
  });
});
