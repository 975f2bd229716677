import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld } from '../../../tests/support/code-world.js';
import { anchors, lessonCaller } from '../../../tests/support/lesson-caller.js';

let code: CodeWorld;
let ask: ReturnType<typeof lessonCaller>;

beforeAll(async () => {
  code = await CodeWorld.start();
  ask = lessonCaller(code);
});
afterAll(() => code.stop());

describe('POST /api/v1/projects/{project_id}/lessons:impact', () => {
  it('returns the lessons that the diff would make stale, move or touch', async () => {
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
    expect((await ask.search(project, 'stale=true')).total).toBe(0);
  });

  it('rejects a branch name that is too long in bytes without contacting the repository', async () => {
    const { body: project } = await code.call<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Away',
      repository: { url: 'https://127.0.0.1:1/away.git' },
    });
    const impact = (head: string) =>
      code.call<{ detail: string }>('POST', `/api/v1/projects/${project.project_id}/lessons:impact`, {
        base: 'main',
        head,
      });
    expect((await impact('other')).status).toBe(502);
    for (const unit of ['\u200d', '👩\u200d', '\u2060', '\u00e9']) {
      const { status, body } = await impact(unit.repeat(200).slice(0, 200));
      expect([status, body.detail]).toEqual([422, 'head must be a branch or a commit of the repository']);
    }
  });
});
