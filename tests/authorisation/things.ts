import { sql } from 'kysely';
import sharp from 'sharp';
import type { Route } from '../../src/platform/http/declaration/route.js';
import type { World } from '../support/app.js';
import { exampleBody } from '../support/routes.js';
import type { Target } from './model.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

/** Creates objects for routes on first use, as the first admin of each workspace. */
export function makeThings(world: World, workspaces: readonly Workspace[]) {
  const made = new Map<string, Promise<string>>();
  let count = 0;
  const newcomer = () => `newcomer-${++count}@example.test`;
  const boundary = 'guildhall-test';
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();

  function formWith(field: string, bytes: Buffer) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="a.png"\r\n\r\n`;
    return {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    };
  }
  const formOf = async (field: string) => formWith(field, await picture);

  async function post(tenant: number, url: string, payload: object): Promise<Record<string, string>> {
    const { cookie } = workspaces[tenant]!;
    const answer = await world.inject({ method: 'POST', url, headers: { cookie }, payload });
    if (answer.statusCode >= 300) throw new Error(`POST ${url}: ${answer.statusCode} ${answer.body}`);
    return answer.json();
  }

  const makers: Record<string, (target: Target) => Promise<string>> = {
    board_id: async ({ tenant }) =>
      (await post(tenant, '/api/v1/board/boards', { name: `Board ${++count}` })).board_id!,
    task_id: async (target) =>
      (
        await post(target.tenant, `/api/v1/board/boards/${await find('board_id', target)}/tasks`, {
          title: 'Card',
        })
      ).id!,
    comment_id: async (target) =>
      (
        await post(target.tenant, `/api/v1/board/tasks/${await find('task_id', target)}/comments`, {
          body: 'Said',
        })
      ).id!,
    attachment_id: async (target) => {
      const url = `/api/v1/board/tasks/${await find('task_id', target)}/attachments`;
      const { cookie } = workspaces[target.tenant]!;
      const { headers, payload } = await formOf('file');
      return (await world.inject({ method: 'POST', url, headers: { ...headers, cookie }, payload })).json()
        .id;
    },
    import_id: async (target) => {
      const url = `/api/v1/board/boards/${await find('board_id', target)}/imports?source=csv`;
      const { cookie } = workspaces[target.tenant]!;
      const { headers, payload } = formWith('file', Buffer.from('title\nCard\n'));
      return (await world.inject({ method: 'POST', url, headers: { ...headers, cookie }, payload })).json()
        .import_id;
    },
    space_id: async ({ tenant }) => (await post(tenant, '/api/v1/docs/spaces', { name: 'Space' })).space_id!,
    project_id: async ({ tenant }) =>
      (
        await post(tenant, '/api/v1/projects', {
          name: 'Project',
          repository: { url: 'https://git.example.test/a.git' },
        })
      ).project_id!,
    project_without_repository: async ({ tenant }) =>
      (await post(tenant, '/api/v1/projects', { name: 'Plan' })).project_id!,
    memory_id: async (target) =>
      (
        await post(target.tenant, '/api/v1/memory/memories', {
          agent_id: await find('agent_id', target),
          kind: 'fact',
          title: 'Known',
          body: 'b',
        })
      ).id!,
    source_id: async (target) =>
      (
        await post(target.tenant, '/api/v1/memory/sources', {
          agent_id: await find('agent_id', target),
          source_type: 'agentboard',
        })
      ).id!,
    conversation_id: async (target) =>
      (
        await post(target.tenant, '/api/v1/memory/conversations', {
          agent_id: await find('agent_id', target),
          source_type: 'openclaw',
          external_id: `talk-${++count}`,
          messages: [{ role: 'user', content: 'c' }],
        })
      ).id!,
    agent_id: async ({ tenant }) => {
      const agent_id = `agent-${tenant}-${++count}`;
      const { brand_id } = workspaces[tenant]!.brand;
      await world.operator('POST', '/agents', { agent_id, name: agent_id, brand_id });
      return agent_id;
    },
    workstation_id: async ({ tenant }) =>
      (await post(tenant, '/api/v1/workstations', { name: `Desk ${++count}` })).workstation_id!,
    machine_id: (target) => find('workstation_id', target),
    profile_id: async () =>
      (
        await world.operator<{ profile_id: string }>('POST', '/catalog', {
          name: `Employee ${++count}`,
          description: 'd',
          template: { runtime: 'codex', instructions: 'i', packages: [] },
        })
      ).profile_id,
    hire_id: async ({ tenant, ...target }) =>
      (
        await world.inject({
          method: 'POST',
          url: `/api/v1/employees/${await make('profile_id', { tenant, ...target })}/hire`,
          headers: { 'x-admin-key': 'test-admin-key' },
          payload: { brand_id: workspaces[tenant]!.brand.brand_id },
        })
      ).json().hire_id,
    // Inserts the row directly, because a real build needs a repository, an index and a desk.
    build_id: async (target) => {
      const build_id = crypto.randomUUID();
      const { brand_id } = workspaces[target.tenant]!.brand;
      await sql`
        insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, wall_minutes, branch,
          base_branch, base_sha, queued_at, finished_at, outcome)
        values (${build_id}, ${brand_id}, ${await find('task_id', target)}, 'A-1', ${crypto.randomUUID()}, ${++count},
          'claude', 30, 'guildhall/a-1-1', 'main', ${'0'.repeat(40)}, ${world.clock.now()}, ${world.clock.now()}, 'failed')
      `.execute(world.db);
      return build_id;
    },
    user_id: async ({ tenant }) => String((await world.member(workspaces[tenant]!.brand)).user_id),
    outsider: async () => String((await world.person()).user_id),
    key: async ({ namesBrand }) => (namesBrand ? 'skills' : 'claude.coding'),
    field: async () => 'model',
    host: async () => 'git.example.test',
    name: async () => 'lesson-embed',
    secret_name: async () => 'SECRET',
    invitation_id: async () => '999999999',
    token_id: async () => crypto.randomUUID(),
  };

  const make = (param: string, target: Target): Promise<string> =>
    (makers[param] ?? (async () => 'x'.repeat(32)))(target);

  function find(param: string, target: Target): Promise<string> {
    // Each workspace has two boards and one docs space.
    const board = param === 'space_id' ? 0 : target.board;
    const place = `${param} ${target.tenant} ${board} ${param === 'key' && target.namesBrand}`;
    const known = made.get(place) ?? make(param, target);
    made.set(place, known);
    return known;
  }

  /** These routes destroy the object, so each call gets a new one. */
  const DESTROYERS =
    /^(delete_|erase_user|release_workstation|remove_member$|deactivate_workspace_member|update_member|set_member_password|regenerate_desk_token)/;

  async function addressOf({ name, path }: Route, target: Target): Promise<string> {
    let address = path.replace('{brand_id}', String(workspaces[target.tenant]!.brand.brand_id));
    const params = [...address.matchAll(/\{([^}]+)\}/g)].map(([, param]) => param!);
    for (const param of params) {
      const kind =
        param === 'user_id' && name.includes('guest')
          ? 'outsider'
          : param === 'name' && name.endsWith('_project_secret')
            ? 'secret_name'
            : param === 'project_id' && name === 'get_lessons_impact'
              ? 'project_without_repository'
              : param;
      const isDestroyed = DESTROYERS.test(name) && param === params.at(-1);
      address = address.replace(
        `{${param}}`,
        isDestroyed ? await make(kind, target) : await find(kind, target),
      );
    }
    return address;
  }

  /**
   * Bodies for routes that check optional fields before they load the object, or name the object in the body.
   */
  const bodies: Record<string, (target: Target) => Promise<object>> = {
    update_board: async () => ({ name: 'Renamed' }),
    update_task: async () => ({ title: 'Renamed' }),
    update_environment: async () => ({ description: 'd' }),
    update_member: async () => ({ position: 'p' }),
    update_memory: async () => ({ title: 'Known better' }),
    update_source: async () => ({ enabled: true }),
    update_project: async () => ({ name: 'Renamed' }),
    set_project_credentials: async () => ({ kind: 'deploy_key' }),
    set_project_secret: async () => ({ value: 'secret' }),
    // Uses a loopback address outside the allowed networks, so nothing is dialed.
    connect_forge: async () => ({
      kind: 'github',
      token: 't',
      api_url: 'https://127.0.0.1:9/api/v3',
      repository: 'a/b',
    }),
    tie_pull_request: async () => ({ number: 1 }),
    set_member_password: async () => ({ password: 'quite another password' }),
    override_coder_profile: async () => ({ effort: 'low' }),
    put_workspace_member: async () => ({ role: 'member' }),
    create_memory: async (target) => ({
      agent_id: await find('agent_id', target),
      kind: 'fact',
      title: 't',
      body: 'b',
    }),
    create_source: async (target) => ({
      agent_id: await find('agent_id', target),
      source_type: 'agentboard',
    }),
    push_conversation: async (target) => ({
      agent_id: await find('agent_id', target),
      source_type: 'claude_code',
      external_id: 'one',
      messages: [{ role: 'user', content: 'c', at: '2026-01-01T00:00:00Z' }],
    }),
    create_host_import: async (target) => ({ project_id: await find('project_id', target) }),
    find_lessons_near: async (target) => ({ project_id: await find('project_id', target), paths: ['a.ts'] }),
    lookup_anchors: async (target) => ({ project_id: await find('project_id', target), node_ids: [] }),
    sync_lessons: async (target) => ({ project_id: await find('project_id', target), files: [] }),
    get_lessons_impact: async () => ({ base: 'main', head: 'other' }),
    change_any_workspace: async () => ({}),
    ask_for_work: async () => ({ nonce: '0'.repeat(32), slots: 0, coders: [], running: [], wait_seconds: 0 }),
    set_build_policy: async () => ({ enabled: true }),
    review_build: async () => ({ decision: 'accept' }),
    update_build_comment: async () => ({ resolved: true }),
    hand_in_build: async () => ({ outcome: 'failed' }),
    change_workspace: async () => ({ name: 'Renamed' }),
    invite_member: async () => ({ email: newcomer(), role: 'member' }),
    invite_board_guest: async () => ({ email: newcomer(), role: 'viewer' }),
    invite_docs_space_guest: async () => ({ email: newcomer(), role: 'viewer' }),
    // Incomplete on purpose: an authorized caller gets a validation error, and nothing is erased.
    erase_my_account: async () => ({}),
    remove_totp: async () => ({}),
    erase_workspace: async () => ({}),
    switch_workspace: async () => ({ brand_id: 999_999_999 }),
  };

  /** Queries for routes that reject a request without one before they load the object. */
  const queries: Record<string, string> = { read_build_file: '?path=a.ts', create_import: '?source=csv' };

  /** Returns the whole request for a route against the target's objects. */
  async function requestFor(route: Route, target: Target) {
    const url = `${await addressOf(route, target)}${queries[route.name] ?? ''}`;
    // A HEAD request is enough for the verdict, and a GET of an event stream never ends.
    const method = /^stream_/.test(route.name) ? ('HEAD' as const) : route.method;
    if (route.upload) return { method, url, ...(await formOf(route.upload.field)) };
    const payload = route.body && ((await bodies[route.name]?.(target)) ?? exampleBody(route));
    return { method, url, headers: {}, payload };
  }

  return { find, requestFor };
}
