import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld } from '../../tests/support/code-world.js';
import { seedLessonsDemo } from './lessons.js';

let code: CodeWorld;
let empty: string;

beforeAll(async () => {
  code = await CodeWorld.start();
  empty = await mkdtemp(join(tmpdir(), 'guildhall-demo-'));
});
afterAll(async () => {
  await code.stop();
  await rm(empty, { recursive: true, force: true });
});

describe('Demo lessons', () => {
  it("use a small bundled repository, indexed and with lessons, when Guildhall's own history is missing", async () => {
    const admin = (await code.world.app.identity.authenticators.pat(code.workspace.token))!;
    const { projectId, path } = (await seedLessonsDemo(code.world.app, admin, empty))!;
    await code.world.runJob('project-index');
    const { body } = await code.call<{ entries: { id: string }[] }>('POST', '/api/v1/memory/entries:near', {
      project_id: projectId,
      paths: [path],
    });
    expect(body.entries.map(({ id }) => id)).toEqual(['names/keep-the-case', 'names/one-place']);
  });
});
