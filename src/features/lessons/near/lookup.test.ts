import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson, type Project } from '../../../../tests/support/code-world.js';
import { anchors } from '../../../../tests/support/lesson-caller.js';
import type { LookupAnswer } from '../lessons.schemas.js';

let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start();
});
afterAll(() => code.stop());

describe('POST /api/v1/memory/anchors:lookup', () => {
  let project: Project;
  const lookup = async (question: object) =>
    (await code.call<LookupAnswer>('POST', '/api/v1/memory/anchors:lookup', question)).body;

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

  it('counts the subtree or only the exact node, and returns at most five lessons, pinned first', async () => {
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

  it("returns the stale lessons of a removed node's id, and omits removed nodes from a live folder's subtree", async () => {
    const [src, gone] = [await project.nodeId('src/'), await project.nodeId('src/gone.ts#g')];
    project.repository.remove('src/gone.ts').commit();
    await project.index();
    const answer = await lookup({ project_id: project.id, node_ids: [src, gone] });
    expect(answer.counts).toEqual({ [src]: 8, [gone]: 1 });
    expect(answer.entries[gone]![0]).toMatchObject({ id: 'l/gone', stale: true });
  });

  it('422 for more than 1,000 node_ids, an id that is not a UUID, or a match other than subtree or exact', async () => {
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
