import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld } from '../../../tests/support/code-world.js';
import { secondProjectService } from '../../../tests/support/project-service.js';
import { Tarpit } from '../../../tests/support/tarpit.js';

let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start({ GIT_NETWORKS: '127.0.0.1' });
});
afterAll(() => code.stop());

const impact = (projectId: string, base: string, head: string) =>
  code.call<{ base: string; head: string; detail: string }>(
    'POST',
    `/api/v1/projects/${projectId}/lessons:impact`,
    { base, head },
  );

const make = async (repository?: object) =>
  (await code.call<{ project_id: string }>('POST', '/api/v1/projects', { name: 'Any', repository })).body
    .project_id;

describe('POST /api/v1/projects/{project_id}/lessons:impact', () => {
  it('accepts branches, tags and commits', async () => {
    const project = await code.project({ 'a.ts': '' });
    const { repository } = project;
    const first = repository.git('rev-parse', 'HEAD');
    repository.git('tag', 'light');
    repository.git('tag', '-a', '-m', 'told', 'heavy');
    repository.git('checkout', '--quiet', '-b', 'feature/x');
    const second = repository.save({ 'b.ts': '' });
    repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    for (const [base, head] of [
      ['main', 'feature/x'],
      ['light', second],
      ['heavy', second.slice(0, 10)],
      [first, 'feature/x'],
    ] as const)
      expect((await impact(project.id, base, head)).body, `${base}..${head}`).toMatchObject({
        base: first,
        head: second,
      });
  });

  it('fetches a commit that is not in the mirror yet', async () => {
    const project = await code.project({ 'a.ts': '' });
    const { repository } = project;
    repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const next = repository.save({ 'b.ts': '' });
    expect((await impact(project.id, 'main', next)).body).toMatchObject({ head: next });
  });

  it.each([['absent'], ['a'.repeat(40)], ['abcdef0'], ['refs/heads/main^'], ['-x'], ['a b']])(
    'unknown ref %j: returns 422',
    async (name) => {
      const project = await code.project({ 'a.ts': '' });
      const { status, body } = await impact(project.id, 'main', name);
      expect([status, body.detail]).toEqual([422, 'head must be a branch or a commit of the repository']);
      expect((await impact(project.id, name, 'main')).body.detail).toMatch(/^base /);
    },
  );

  it('returns 409 without a repository', async () => {
    expect((await impact(await make(), 'main', 'other')).status).toBe(409);
  });

  it.each([
    'https://127.0.0.1:1/a.git',
    'https://10.0.0.1/a.git',
    'ssh://git@127.0.0.1:1/a.git',
    'https://nowhere.invalid/a.git',
  ])('unreachable repository (%s): returns 502', async (url) => {
    const { status, body } = await impact(await make({ url }), 'main', 'other');
    expect([status, body.detail]).toEqual([502, 'The repository is not reachable; try again shortly']);
  });

  it('returns 502 for a deleted repository', async () => {
    const project = await code.project({ 'a.ts': '' });
    rmSync(project.repository.folder, { recursive: true });
    expect((await impact(project.id, 'main', 'other')).status).toBe(502);
  });

  it('returns 504 after its deadline and stops git', async () => {
    const tarpit = await Tarpit.start();
    const { projects, close } = secondProjectService(code, {
      startCodeThread: () => {
        throw new Error('nothing is compared here');
      },
      comparisonMs: 300,
    });
    const id = await make({ url: `https://127.0.0.1:${tarpit.port}/a.git` });
    const project = await projects.findProject(code.workspace.brand.brand_id, id);
    await expect(
      projects.compare({ project: project!, base: 'main', head: 'other', paths: [] }),
    ).rejects.toMatchObject({
      status: 504,
      detail: 'The repository gave no answer within 30 seconds',
    });
    await expect.poll(() => tarpit.held).toBe(0);
    await close();
    await tarpit.stop();
  });
});
