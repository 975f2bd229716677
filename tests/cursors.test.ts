import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../src/platform/http/declaration/route.js';
import { startTestApp, type World } from './support/app.js';
import { ScratchRepository } from './support/scratch-repository.js';
import { ADMIN_KEY } from './support/world-calls.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

let world: World;
let home: Workspace;
let other: Workspace;

beforeAll(async () => {
  world = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } });
  home = await world.workspace({ plan: 'enterprise' });
  other = await world.workspace({ plan: 'enterprise' });
});

afterAll(() => world.stop());

const made = async (who: Workspace, url: string, payload: object) =>
  (await world.inject({ method: 'POST', url, headers: who.bearer, payload })).json();

/** The path of each list with a cursor, within a workspace. */
const lists: Record<string, (who: Workspace) => Promise<string>> = {
  list_platform_audit: async () => '/api/v1/admin/audit',
  list_all_workspaces: async () => '/api/v1/admin/brands',
  list_all_users: async () => '/api/v1/admin/users',
  list_board_activity: async (who) => {
    const { board_id } = await made(who, '/api/v1/board/boards', { name: 'Work' });
    for (const title of ['a', 'b']) await made(who, `/api/v1/board/boards/${board_id}/tasks`, { title });
    return `/api/v1/board/activity/boards/${board_id}`;
  },
  stream_board_activity: async (who) => {
    const { board_id } = await made(who, '/api/v1/board/boards', { name: 'Work' });
    return `/api/v1/board/activity/boards/${board_id}/stream`;
  },
  list_board_tasks: async (who) => {
    const { board_id } = await made(who, '/api/v1/board/boards', { name: 'Work' });
    return `/api/v1/board/boards/${board_id}/tasks`;
  },
  list_import_rows: async (who) => {
    const { board_id } = await made(who, '/api/v1/board/boards', { name: 'Work' });
    const { json } = await world.inject({
      method: 'POST',
      url: `/api/v1/board/boards/${board_id}/imports?source=csv`,
      headers: { ...who.bearer, 'content-type': 'multipart/form-data; boundary=edge' },
      payload:
        '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ntitle\na\nb\r\n--edge--\r\n',
    });
    return `/api/v1/board/imports/${json().import_id}/rows`;
  },
  find_tasks: async () => '/api/v1/board/master/tasks',
  list_workspace_audit: async (who) => `/api/v1/brands/${who.brand.brand_id}/audit`,
  list_webhook_deliveries: async (who) => {
    const webhooks = `/api/v1/brands/${who.brand.brand_id}/webhooks`;
    const { webhook_id } = await made(who, webhooks, { url: 'http://127.0.0.1:9/', events: ['*'] });
    for (let n = 0; n < 2; n++) await made(who, `${webhooks}/${webhook_id}/test`, {});
    return `${webhooks}/${webhook_id}/deliveries`;
  },
  list_builds: async () => '/api/v1/factory/builds',
  list_my_inbox: async () => '/api/v1/me/inbox',
  list_conversations: async () => '/api/v1/memory/conversations?agent_id=scout',
  list_memories: async (who) => {
    for (const title of ['First known', 'Second known'])
      await made(who, '/api/v1/memory/memories', {
        agent_id: `scout-${who.brand.brand_id}`,
        kind: 'fact',
        title,
        body: title,
      });
    return `/api/v1/memory/memories?agent_id=scout-${who.brand.brand_id}`;
  },
  list_lessons: async (who) => {
    const url = join(world.config.repositoriesDir, String(who.brand.brand_id), 'code');
    new ScratchRepository(url).save({ 'src/main.ts': 'export const answer = 42;\n' });
    const { project_id } = await made(who, '/api/v1/projects', { name: 'Code', repository: { url } });
    return `/api/v1/memory/entries?project_id=${project_id}`;
  },
};

const parameterOf = ({ pagination, name }: Route): string => {
  if (name === 'stream_board_activity') return 'since';
  return pagination?.style === 'cursor' ? pagination.parameter : 'cursor';
};

/** These lists take an empty cursor as the first page. */
const beginsEmpty = (name: string) => name === 'list_board_tasks';

const isCursored = ({ pagination, query, name }: Route): boolean =>
  pagination?.style === 'cursor' ||
  'cursor' in ((query as { properties?: object } | undefined)?.properties ?? {}) ||
  name === 'stream_board_activity';

function read(route: Route, url: string, who: Workspace, query: string) {
  const headers: Record<string, string> = route.access.credentials.includes('admin-key')
    ? { 'x-admin-key': ADMIN_KEY }
    : who.bearer;
  return world.inject({ url: `${url}${url.includes('?') ? '&' : '?'}${query}`, headers });
}

const ALTERED = 'AAAAAAAAAAAAAAAAWyIyMDI2LTExLTE0VDA5OjMwOjAwLjAwMFoiLCJ4Il0';

describe('A cursor that the list did not issue', () => {
  it('is tested with every list that has a cursor', () => {
    const named = world.app.routes.filter(isCursored).map(({ name }) => name);
    expect(Object.keys(lists).sort()).toEqual(named.sort());
  });

  it.each(Object.keys(lists))('gives 400: %s', async (name) => {
    const route = world.app.routes.find((each) => each.name === name)!;
    const parameter = parameterOf(route);
    const url = await lists[name]!(home);
    const blank = beginsEmpty(name) ? [] : [''];
    for (const cursor of [...blank, 'nonsense', 'a%00b', '%ED%A0%80', '1', ALTERED, 'x'.repeat(4_000)])
      expect((await read(route, url, home, `${parameter}=${cursor}`)).statusCode, cursor).toBe(400);
    expect((await read(route, url, home, `${parameter}=a&${parameter}=b`)).statusCode).toBe(400);
  });

  it.each(['list_board_activity', 'list_workspace_audit', 'list_memories'])(
    'gives 400 if it comes from another workspace’s list or was altered: %s',
    async (name) => {
      const route = world.app.routes.find((each) => each.name === name)!;
      const parameter = parameterOf(route);
      const [ours, theirs] = [await lists[name]!(home), await lists[name]!(other)];
      const { next_cursor: cursor } = (await read(route, theirs, other, 'limit=1')).json();
      expect(cursor).toEqual(expect.any(String));
      expect((await read(route, theirs, other, `${parameter}=${cursor}`)).statusCode).toBe(200);
      expect((await read(route, ours, home, `${parameter}=${cursor}`)).statusCode).toBe(400);
      const changed = cursor.slice(0, -4) + (cursor.at(-4) === 'A' ? 'B' : 'A') + cursor.slice(-3);
      expect((await read(route, theirs, other, `${parameter}=${changed}`)).statusCode).toBe(400);
    },
  );
});
