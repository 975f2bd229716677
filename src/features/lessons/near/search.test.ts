import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson, type Project } from '../../../../tests/support/code-world.js';
import { anchors, lessonCaller } from '../../../../tests/support/lesson-caller.js';
import type { SearchAnswer } from '../lessons.schemas.js';

let code: CodeWorld;
let ask: ReturnType<typeof lessonCaller>;

beforeAll(async () => {
  code = await CodeWorld.start();
  ask = lessonCaller(code);
});
afterAll(() => code.stop());

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

  it('for a file: matches its own anchor, its symbols and the folders above, nearest first, pinned before all', async () => {
    expect(await ask.found(project, 'src/deep/a.ts')).toEqual([
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

  it('for a symbol: matches its own anchor, its file, enclosing and nested symbols, and the folders above', async () => {
    expect(await ask.found(project, 'src/deep/a.ts#A.b')).toEqual([
      ['s/pinned', 'folder'],
      ['s/method', 'anchor'],
      ['s/class', 'symbol'],
      ['s/file', 'symbol'],
      ['s/two', 'symbol'],
      ['s/deep', 'folder'],
      ['s/src', 'folder'],
      ['s/root', 'folder'],
    ]);
    expect(await ask.found(project, 'src/deep/a.ts#A')).toContainEqual(['s/method', 'symbol']);
  });

  it('for a folder, with or without its slash: matches its own anchor and the folders above', async () => {
    const expected = [
      ['s/pinned', 'folder'],
      ['s/deep', 'anchor'],
      ['s/src', 'folder'],
      ['s/two', 'folder'],
      ['s/root', 'folder'],
    ];
    expect(await ask.found(project, 'src/deep/')).toEqual(expected);
    expect(await ask.found(project, 'src/deep')).toEqual(expected);
    expect(await ask.found(project, `src/deep/${'x/'.repeat(1500)}`)).toEqual(
      expected.map(([id]) => [id, 'folder']),
    );
    expect(await ask.found(project, '/')).toEqual([
      ['s/pinned', 'anchor'],
      ['s/root', 'anchor'],
    ]);
  });

  it('returns the full lesson, counts the total before limit, and echoes the parameters in query', async () => {
    const answer = await ask.search(
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
    expect(await ask.search(project, 'anchor=src/deep/a.ts&limit=1')).toMatchObject({
      total: 9,
      items: [{ id: 's/pinned' }],
    });
    expect((await ask.search(project, 'anchor=src/deep/a.ts&type=gotcha')).items.map(({ id }) => id)).toEqual(
      ['s/pinned'],
    );
  });

  it("searches all projects of the workspace without project_id, never another workspace's", async () => {
    const other = await code.another();
    const { body } = await other.call<SearchAnswer>(
      'GET',
      '/api/v1/memory/entries/search?anchor=src/deep/a.ts',
    );
    expect(body.total).toBe(0);
    expect(
      (await code.call<SearchAnswer>('GET', '/api/v1/memory/entries/search?anchor=src/deep/a.ts')).body.total,
    ).toBeGreaterThanOrEqual(9);
    expect(
      (await other.call('GET', `/api/v1/memory/entries/search?anchor=a&project_id=${project.id}`)).status,
    ).toBe(404);
  });

  it('without an anchor: returns all stale lessons by id, pinned first, with a total beyond the limit', async () => {
    const own = await code.project({
      'gone.ts': '',
      'lessons/t/c.md': lesson('anchors: [gone.ts]\npinned: true'),
      'lessons/t/b.md': anchors('gone.ts'),
      'lessons/t/a.md': anchors('gone.ts').replace('rule', 'gotcha'),
      'lessons/t/live.md': anchors('/'),
    });
    own.repository.remove('gone.ts').commit();
    await own.index();
    const told = async (query: string) => {
      const { items, total } = await ask.search(own, `stale=true${query}`);
      return [items.map(({ id }) => id), total];
    };
    expect(await told('')).toEqual([['t/c', 't/a', 't/b'], 3]);
    expect(await told('&limit=2')).toEqual([['t/c', 't/a'], 3]);
    expect(await told('&limit=3')).toEqual([['t/c', 't/a', 't/b'], 3]);
    expect(await told('&type=gotcha')).toEqual([['t/a'], 1]);
    expect(await told('&q=t/b')).toEqual([['t/b'], 1]);
    expect(await told('&q=nowhere')).toEqual([[], 0]);
    const other = await code.another();
    const { body } = await other.call<SearchAnswer>('GET', '/api/v1/memory/entries/search?stale=true');
    expect(body).toMatchObject({ items: [], total: 0 });
  });

  it('reflects pushes, index runs and deletions since the last request', async () => {
    const own = await code.project({
      'here.ts': '',
      'lessons/n/r.md': lesson('anchors: [here.ts]', 'First.'),
    });
    const told = async (query: string) => {
      const { items, warnings } = await ask.search(own, query);
      return [items.map(({ body }) => body.trim()), warnings];
    };
    const everything = async () => [await told('anchor=here.ts'), await told('stale=true')];
    const live = [
      [['First.'], []],
      [[], []],
    ];
    expect([await everything(), await everything()]).toEqual([live, live]);

    const pushed = { path: 'lessons/n/p.md', content: lesson('anchors: [here.ts]', 'Pushed.') };
    await code.call('POST', '/api/v1/memory/entries:sync', { project_id: own.id, files: [pushed] });
    expect((await everything())[0]).toEqual([['Pushed.', 'First.'], []]);

    own.repository.write({ 'lessons/n/r.md': lesson('anchors: [here.ts]', 'Second.') }).commit();
    await own.index();
    expect((await everything())[0]).toEqual([['Pushed.', 'Second.'], []]);

    own.repository.remove('here.ts').commit();
    await own.index();
    const gone = [
      [['Pushed.', 'Second.'], ['here.ts resolves to no live code']],
      [['Pushed.', 'Second.'], []],
    ];
    expect([await everything(), await everything()]).toEqual([gone, gone]);

    await code.call('DELETE', `/api/v1/projects/${own.id}`);
    const again = `/api/v1/memory/entries/search?anchor=here.ts&project_id=${own.id}`;
    expect((await code.call('GET', again)).status).toBe(404);
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
