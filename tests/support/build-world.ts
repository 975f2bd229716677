import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { afterAll } from 'vitest';
import type { BuildView } from '../../src/features/builds/builds.schemas.js';
import { sha256Hex } from '../../src/kernel/secrets.js';
import { type DeskWorkspace, type DeskWorld, startDeskWorld } from '../desk-end-to-end/desk-world.js';
import { ScratchRepository } from './scratch-repository.js';
import type { PlainAnswer } from './world-calls.js';

export interface FakeDesk {
  id: string;
  pat: string;
}

export interface Order {
  kind: 'start' | 'check' | 'cancel' | 'stop';
  build_id: string;
  claim: string;
  /** Set on stop orders. */
  reason?: string;
}

/** A service where tests create workspaces with an indexed project, and the calls of members and desks. */
export async function startBuildWorld(env: Record<string, string> = {}) {
  const world = await startDeskWorld(env);
  return { ...world, furnish: (fields: Record<string, unknown> = {}) => furnish(world, fields) };
}

/** One world for all tests of a file, stopped after them. */
export async function openBuildWorld(env: Record<string, string> = {}): Promise<BuildWorld> {
  const world = await startBuildWorld(env);
  afterAll(() => world.stop());
  return world;
}

export type BuildWorld = Awaited<ReturnType<typeof startBuildWorld>>;
export type Furnished = Awaited<ReturnType<typeof furnish>>;

type Ground = Pick<DeskWorld, 'workspace' | 'readyDesk' | 'runJob'> &
  Asked & { config: { repositoriesDir: string } };

interface Asked {
  inject(request: InjectOptions): Promise<PlainAnswer>;
}

export async function furnish(world: Ground, fields: Record<string, unknown> = {}) {
  const space: DeskWorkspace = await world.workspace({ plan: 'business', ...fields });
  const headers = space.bearer;
  const call = async <T = Record<string, unknown>>(
    method: InjectOptions['method'],
    url: string,
    payload?: object,
    more: Record<string, string> = {},
  ) => {
    const response = await world.inject({ method, url, payload, headers: { ...headers, ...more } });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      body: (isJson ? response.json() : response.body) as T,
      headers: response.headers,
    };
  };
  const repository = new ScratchRepository(
    join(world.config.repositoriesDir, String(space.brand.brand_id), 'code'),
  );
  const baseSha = repository.save({ 'src/main.ts': 'export const answer = 42;\n' });
  const project = await call<{ project_id: string }>('POST', '/api/v1/projects', {
    name: 'Code',
    repository: { url: repository.folder },
  });
  const projectId = project.body.project_id;
  await world.runJob('project-index-wanted');
  // A background worker may be running the index already, so this waits until the event stream ends.
  await call('GET', `/api/v1/projects/${projectId}/index/events`);
  const board = await call<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Work' });

  const card = async (more: Record<string, unknown> = {}): Promise<{ id: string; ref: string }> => {
    const made = await call<{ id: string; ref: string }>(
      'POST',
      `/api/v1/board/boards/${board.body.board_id}/tasks`,
      { title: 'Answer better', project_id: projectId, ...more },
    );
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body;
  };
  const post = (taskId: string, body: object = {}, more?: Record<string, string>) =>
    call<BuildView & { detail: never }>('POST', `/api/v1/board/tasks/${taskId}/builds`, body, more);
  const build = async (taskId: string, body: object = {}): Promise<BuildView> => {
    const made = await post(taskId, body);
    if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
    return made.body;
  };
  const get = async (buildId: string): Promise<BuildView> =>
    (await call<BuildView>('GET', `/api/v1/factory/builds/${buildId}`)).body;
  const readCard = async (taskId: string) =>
    (await call<Record<string, never>>('GET', `/api/v1/board/tasks/${taskId}`)).body;
  const activity = async (): Promise<
    { action: string; task_id: string; actor: unknown; changes: Record<string, unknown> }[]
  > =>
    (await call<{ items: never[] }>('GET', `/api/v1/board/activity/boards/${board.body.board_id}?limit=200`))
      .body.items;

  const readyDesk = async (more: Record<string, unknown> = {}): Promise<FakeDesk> => {
    const { desk } = await world.readyDesk(space, { runtime: 'custom', ...more });
    return { id: desk.workstation_id, pat: desk.pat };
  };

  return {
    world,
    space,
    repository,
    baseSha,
    projectId,
    boardId: board.body.board_id,
    call,
    card,
    post,
    build,
    get,
    readCard,
    activity,
    readyDesk,
    ...deskCalls(world),
  };
}

/** The requests of a desk, as the protocol defines them. */
export function deskCalls(world: Asked) {
  const say = async (
    desk: FakeDesk,
    method: InjectOptions['method'],
    path: string,
    options: { claim?: string; payload?: InjectOptions['payload']; headers?: Record<string, string> } = {},
  ) => {
    const response = await world.inject({
      method,
      url: `/api/v1/desk/${path}`,
      headers: {
        authorization: `Bearer ${desk.pat}`,
        ...(options.claim !== undefined && { 'x-guildhall-claim': options.claim }),
        ...options.headers,
      },
      payload: options.payload,
    });
    return { status: response.statusCode, body: response.json(), headers: response.headers };
  };

  const work = async (desk: FakeDesk, fields: Record<string, unknown> = {}): Promise<Order[]> => {
    const nonce = randomBytes(16).toString('hex');
    const response = await world.inject({
      method: 'POST',
      url: '/api/v1/desk/work',
      headers: { authorization: `Bearer ${desk.pat}` },
      payload: { nonce, slots: 1, wait_seconds: 0, ...fields },
    });
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    const proof = createHmac('sha256', sha256Hex(desk.pat))
      .update(nonce + response.body)
      .digest('hex');
    if (response.headers['x-guildhall-proof'] !== proof) throw new Error('The answer is not proved');
    return response.json().orders;
  };

  const start = (desk: FakeDesk, buildId: string, claim?: string) =>
    say(desk, 'POST', `builds/${buildId}/start`, { claim });
  const finish = (desk: FakeDesk, buildId: string, claim: string | undefined, body: object) =>
    say(desk, 'POST', `builds/${buildId}/finish`, { claim, payload: body });
  const log = (
    desk: FakeDesk,
    buildId: string,
    claim: string | undefined,
    seq: number,
    text: string | Buffer,
  ) =>
    say(desk, 'PUT', `builds/${buildId}/log?seq=${seq}`, {
      claim,
      payload: text,
      headers: { 'content-type': 'text/plain' },
    });

  /** Claims and starts the first waiting build. */
  const take = async (desk: FakeDesk): Promise<{ buildId: string; claim: string }> => {
    const [order] = await work(desk);
    if (order?.kind !== 'start') throw new Error(`Nothing to start: ${JSON.stringify(order)}`);
    const started = await start(desk, order.build_id, order.claim);
    if (started.status !== 200) throw new Error(JSON.stringify(started.body));
    return { buildId: order.build_id, claim: order.claim };
  };

  /** Reports what a build has used so far. */
  const usage = (desk: FakeDesk, buildId: string, claim: string | undefined, body: object) =>
    say(desk, 'POST', `builds/${buildId}/usage`, { claim, payload: body });

  return { say, work, start, finish, log, take, usage };
}
