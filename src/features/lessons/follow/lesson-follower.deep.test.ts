import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson } from '../../../../tests/support/code-world.js';
import { anchors, lessonCaller } from '../../../../tests/support/lesson-caller.js';

let code: CodeWorld;
let ask: ReturnType<typeof lessonCaller>;

beforeAll(async () => {
  code = await CodeWorld.start();
  ask = lessonCaller(code);
});
afterAll(() => code.stop());

describe('Lessons after code changes', () => {
  it('stay live when their anchors move, and the full lesson lists the moves', async () => {
    const text = 'export function f(a: number) { return a + 1; }\n';
    const project = await code.project({
      'src/a.ts': text,
      'src/keep.ts': '',
      'lessons/m/x.md': anchors('src/a.ts', 'src/a.ts#f'),
    });
    const first = project.repository.move('src/a.ts', 'src/b.ts').commit();
    const second = project.repository.move('src', 'lib').commit();
    await project.index();
    const [item] = (await ask.search(project, 'anchor=lib/b.ts')).items;
    expect(item).toMatchObject({ id: 'm/x', stale: false, anchors: ['lib/b.ts', 'lib/b.ts#f'] });
    expect(item!.moves).toEqual([
      { from: 'src/a.ts', to: 'src/b.ts', commit: first },
      { from: 'src/a.ts#f', to: 'src/b.ts#f', commit: first },
      { from: 'src/b.ts', to: 'lib/b.ts', commit: second },
      { from: 'src/b.ts#f', to: 'lib/b.ts#f', commit: second },
    ]);
    expect((await ask.search(project, 'anchor=src/a.ts')).total).toBe(0);
    await project.save({
      'lessons/m/x.md': lesson('anchors: [src/a.ts, "src/a.ts#f"]', 'Edited, anchors untouched.'),
    });
    expect((await ask.search(project, 'anchor=lib/b.ts')).items[0]).toMatchObject({
      body: 'Edited, anchors untouched.',
      anchors: ['lib/b.ts', 'lib/b.ts#f'],
    });
  });

  it('follow a renamed folder', async () => {
    const project = await code.project({
      'src/x/a.ts': 'export function a() {}',
      'src/x/b.ts': 'export function b() {}',
      'lessons/m/folder.md': anchors('src/x'),
    });
    project.repository.move('src/x', 'src/y').commit();
    await project.index();
    expect((await ask.search(project, 'anchor=src/y/')).items[0]).toMatchObject({
      id: 'm/folder',
      anchors: ['src/y/'],
      matched_by: 'anchor',
    });
  });

  it('become stale with the full id of the removing commit, also after several commits, and live again when the code returns', async () => {
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
    const stale = await ask.search(project, 'stale=true');
    expect(stale.items.map((item) => [item.id, item.stale, item.stale_reason, item.matched_by])).toEqual([
      ['st/f', true, `code removed in ${removing}`, null],
    ]);
    expect(
      (await ask.search(project, 'anchor=a.ts')).items.map(({ id, stale: isStale }) => [id, isStale]),
    ).toEqual([
      ['st/both', false],
      ['st/f', true],
      ['st/g', false],
    ]);
    expect(
      (await ask.search(project, 'stale=true&anchor=b.ts')).items.map(({ id, matched_by }) => [
        id,
        matched_by,
      ]),
    ).toEqual([['st/f', 'folder']]);
    expect(
      (await ask.search(project, 'stale=true&anchor=a.ts%23g')).items.map(({ id, matched_by }) => [
        id,
        matched_by,
      ]),
    ).toEqual([['st/f', 'folder']]);
    await project.save({ 'a.ts': 'export function f() { return 3; }\nexport function g() { return 2; }\n' });
    expect((await ask.search(project, 'stale=true')).total).toBe(0);
  });

  it('anchored only on folders become stale when all those folders are removed', async () => {
    const project = await code.project({
      'one/a.ts': '',
      'two/b.ts': 'export function b() {}',
      'keep.ts': '',
      'lessons/st/folders.md': anchors('one/', 'two/'),
    });
    project.repository.remove('one').commit();
    await project.index();
    expect((await ask.search(project, 'stale=true')).total).toBe(0);
    const commit = project.repository.remove('two').commit();
    await project.index();
    expect((await ask.search(project, 'stale=true')).items[0]).toMatchObject({
      id: 'st/folders',
      stale_reason: `code removed in ${commit}`,
    });
  });

  it('stay live with a warning when an anchor never resolved', async () => {
    const project = await code.project({
      'a.ts': 'export function f() {}',
      'lessons/u/x.md': anchors('a.ts#f', 'nowhere.ts'),
    });
    expect((await project.index()).warnings).toEqual([
      'lessons/u/x.md: the anchor "nowhere.ts" resolves to nothing',
    ]);
    await project.save({ 'a.ts': '' });
    expect((await ask.search(project, 'stale=true')).total).toBe(0);
    await project.save({ 'nowhere.ts': '' });
    expect((await project.index()).warnings).toEqual([]);
  });

  it('keep their last good version with a warning when the file cannot be read', async () => {
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
    expect((await ask.search(project, 'anchor=a.ts')).items[0]).toMatchObject({ body: 'Good.' });
    project.repository.remove('lessons/w/x.md').commit();
    await project.index();
    expect((await ask.search(project, 'anchor=a.ts')).total).toBe(0);
  });

  it('that are retired or superseded disappear from every read', async () => {
    const project = await code.project({ 'a.ts': '', 'lessons/r/x.md': anchors('a.ts') });
    expect((await ask.search(project, 'anchor=a.ts')).total).toBe(1);
    await project.save({ 'lessons/r/x.md': lesson('anchors: [a.ts]\nstatus: retired') });
    expect((await ask.search(project, 'anchor=a.ts')).total).toBe(0);
    expect((await ask.near(project, { paths: ['a.ts'] })).entries).toEqual([]);
    expect((await project.index()).lessons).toBe(0);
  });

  it('count as superseded with superseded_by alone', async () => {
    const project = await code.project({ 'a.ts': '', 'lessons/r/x.md': anchors('a.ts') });
    await project.save({ 'lessons/r/x.md': lesson('anchors: [a.ts]\nsuperseded_by: r/y') });
    expect((await ask.search(project, 'anchor=a.ts')).total).toBe(0);
    expect((await project.index()).lessons).toBe(0);
  });

  it('are read again when an older version of the reader wrote the record', async () => {
    const project = await code.project({
      'a.ts': '',
      'lessons/r/x.md': lesson('anchors: [a.ts]', 'As written.'),
    });
    await sql`update lessons set content_hash = '', body = 'As it was understood.' where project_id = ${project.id}`.execute(
      code.world.db,
    );
    await project.save({ 'b.ts': '' });
    expect((await ask.search(project, 'anchor=a.ts')).items.map(({ body }) => body)).toEqual(['As written.']);
  });
});
