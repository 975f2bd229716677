import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  startDeskWorld,
} from '../../../tests/desk-end-to-end/desk-world.js';
import { freePort, until } from '../../../tests/desk-end-to-end/real-desk.js';
import { openEvents } from '../../../tests/support/events.js';
import type { BuildView } from '../../features/builds/builds.schemas.js';
import { seedWorkstationDemo } from '../desk/workstations.js';
import { seedBuildDemo } from './builds.js';

let world: DeskWorld;
let space: DeskWorkspace;
let address: string;

beforeAll(async () => {
  const port = await freePort();
  world = await startDeskWorld({ BASE_URL: `http://127.0.0.1:${port}` });
  address = await world.server.listen({ port, host: '127.0.0.1' });
  space = await world.workspace();
});
afterAll(() => world.stop());

const call = async <T>(method: 'GET' | 'POST', url: string, payload?: object) =>
  (await world.inject({ method, url, payload, headers: space.bearer })).json() as T;

describe('Demo builds', () => {
  it('let a new user start a build on the desk, watch it and accept its change', async () => {
    const admin = (await world.app.identity.authenticators.pat(space.token))!;
    await call('POST', '/api/v1/board/boards', { name: 'Harbour' });
    const demo = (await seedBuildDemo(world.app, admin))!;
    await seedWorkstationDemo(
      { ...world.app, baseUrl: world.config.baseUrl },
      space.brand.brand_id,
      demo.projectId,
    );
    await world.runJob('project-index-wanted');
    const desks = await until(async () => {
      const { workstations } = (await world.asMember(space)('GET', '/api/v1/workstations')).json();
      await world.poll();
      return workstations.some(
        ({ name, ready }: { name: string; ready: boolean }) => name === 'Loopback' && ready,
      )
        ? workstations
        : undefined;
    });
    expect(desks).toBeDefined();

    const { build_id } = await call<BuildView>('POST', `/api/v1/board/tasks/${demo.taskId}/builds`, {});
    const stream = await openEvents(`${address}/api/v1/factory/builds/${build_id}/log/stream`, space.bearer);
    let said = '';
    for (let line = await stream.next(); line && line.event !== 'end'; line = await stream.next())
      said += (line.data as { text: string }).text;
    const build = await call<BuildView>('GET', `/api/v1/factory/builds/${build_id}`);
    expect(build, build.reason ?? '').toMatchObject({
      status: 'succeeded',
      diff: { files: 1, deletions: 0 },
    });
    expect(said).toContain('does not think');
    const card = await call<Record<string, unknown>>('GET', `/api/v1/board/tasks/${demo.taskId}`);
    expect(card).toMatchObject({ status: 'in_review', commit_sha: build.head_sha });
    const diff = await world.inject({
      url: `/api/v1/factory/builds/${build_id}/diff`,
      headers: space.bearer,
    });
    expect(diff.body).toContain('+Light the lamp with');

    const wish = 'Say how "bright" it is.\nIn candela: \\o/';
    const next = await call<BuildView>('POST', `/api/v1/factory/builds/${build_id}/review`, {
      decision: 'rework',
      comments: [
        { path: 'README.md', line: 1, body: 'Name the keeper.' },
        { path: 'README.md', line: 7, body: wish },
      ],
    });
    const again = await until(async () => {
      const seen = await call<BuildView>('GET', `/api/v1/factory/builds/${next.build_id}`);
      return seen.finished_at ? seen : undefined;
    });
    expect(again, again?.reason ?? '').toMatchObject({ status: 'succeeded', attempt: 2 });
    for (const said of [wish.replace('\n', ' '), 'Name the keeper.']) expect(again!.result).toContain(said);
    const work = ['-C', `${world.config.repositoriesDir}/${space.brand.brand_id}/lighthouse`];

    await call('POST', `/api/v1/factory/builds/${next.build_id}/review`, { decision: 'accept' });
    await world.runJob('build-push');
    const pushed = await call<BuildView>('GET', `/api/v1/factory/builds/${next.build_id}`);
    expect(pushed.push_error).toBeNull();
    expect(pushed.pushed_at).not.toBeNull();
    const readme = execFileSync('git', [...work, 'show', `${again!.branch}:README.md`], { encoding: 'utf8' });
    // The demo coder inserts each review comment below the line that it refers to.
    expect(readme.split('\n').slice(0, 2)).toEqual(['# Lighthouse', 'Name the keeper.']);
    expect(readme).toMatch(/^Light the lamp with .*\nSay how "bright" it is\. In candela: \\o\/$/m);
  });

  it('include a card whose check fails once and passes after an automatic retry', async () => {
    const { boards } = await call<{ boards: { board_id: string }[] }>('GET', '/api/v1/board/boards');
    const { items } = await call<{ items: { id: string; title: string }[] }>(
      'GET',
      `/api/v1/board/boards/${boards[0]!.board_id}/tasks`,
    );
    const card = items.find(({ title }) => title === 'Say in the README who keeps the lamp')!;
    const first = await call<BuildView>('POST', `/api/v1/board/tasks/${card.id}/builds`, {});
    const path = `/api/v1/factory/builds?task_id=${card.id}`;
    const [second, before] = await until(async () => {
      const { builds } = await call<{ builds: BuildView[] }>('GET', path);
      return builds.length === 2 && builds[0]!.finished_at ? builds : undefined;
    }, 1000);
    expect(before).toMatchObject({
      build_id: first.build_id,
      status: 'failed',
      reason: 'The check the keeper is named failed with exit code 1',
    });
    expect(second, second!.reason ?? '').toMatchObject({
      status: 'succeeded',
      continues: first.build_id,
      checks: [{ name: 'the keeper is named', status: 'passed' }],
    });
  });
});
