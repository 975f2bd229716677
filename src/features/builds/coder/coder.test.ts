import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  type BuildWorld,
  type FakeDesk,
  type Furnished,
  startBuildWorld,
} from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { newToken } from '../../../kernel/secrets.js';

let world: BuildWorld;
let room: Furnished;
let desk: FakeDesk;

beforeAll(async () => {
  world = await startBuildWorld();
  room = await world.furnish();
  desk = await room.readyDesk();
});

afterAll(() => world.stop());

interface Started {
  buildId: string;
  claim: string;
  token: string;
  url: string;
  card: { id: string; ref: string };
}

/** An agent belongs to the workspace once it has a memory there. */
const makeAgent = (where: Furnished, agentId: unknown) =>
  where.call('POST', '/api/v1/memory/memories', {
    agent_id: agentId,
    kind: 'fact',
    title: 'Born',
    body: 'Here.',
  });

async function begin(fields: Record<string, unknown> = {}): Promise<Started> {
  if (fields['assignee_agent_id']) await makeAgent(room, fields['assignee_agent_id']);
  const card = await room.card({ title: 'Work', ...fields });
  await room.build(card.id);
  const [order] = await room.work(desk);
  const { body } = await room.start(desk, order!.build_id, order!.claim);
  return { buildId: order!.build_id, claim: order!.claim, ...body.mcp, card };
}

const end = ({ buildId, claim }: Started, body: object = { outcome: 'succeeded' }) =>
  room.finish(desk, buildId, claim, body);

async function rpc(token: string, method: string, params: object = {}) {
  const response = await world.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method, params },
  });
  if (response.statusCode !== 200)
    return { status: response.statusCode, result: undefined, error: undefined };
  const text = response.body.startsWith('{')
    ? response.body
    : response.body.slice(response.body.indexOf('{'));
  return { status: 200, ...JSON.parse(text) };
}

async function use(token: string, name: string, args: object = {}): Promise<{ ok: boolean; text: string }> {
  const { result, error, status } = await rpc(token, 'tools/call', { name, arguments: args });
  if (error || !result) return { ok: false, text: error?.message ?? String(status) };
  return { ok: !result.isError, text: result.content[0].text };
}

const toolNames = async (token: string): Promise<string[]> =>
  (await rpc(token, 'tools/list')).result.tools.map(({ name }: { name: string }) => name).sort();

describe("The coder's token", () => {
  it('lists the tools that the brief needs, without the arguments that the build fixes', async () => {
    const work = await begin({ assignee_agent_id: 'coder-tools' });
    expect(work.url).toBe('http://guildhall.test/mcp');
    expect(await toolNames(work.token)).toEqual([
      'add_comment',
      'create_memory',
      'done',
      'find_lessons_near',
      'find_similar_lessons',
      'get_task',
      'list_comments',
      'progress',
      'recall_memories',
      'search_lessons',
      'search_memories',
    ]);
    const { tools } = (await rpc(work.token, 'tools/list')).result;
    for (const { inputSchema } of tools)
      for (const own of ['task_id', 'agent_id', 'project_id', 'build_id'])
        expect(Object.keys(inputSchema.properties)).not.toContain(own);
    await end(work);
  });

  it('reads the card and comments on it, and reaches no other card', async () => {
    const work = await begin({ instructions: 'Find the needle' });
    expect((await use(work.token, 'get_task')).text).toContain('Find the needle');
    expect((await use(work.token, 'add_comment', { body: 'I am at it' })).ok).toBe(true);
    expect((await use(work.token, 'list_comments')).text).toContain('I am at it');
    const another = await room.card({ title: 'Secret plans' });
    for (const [tool, args] of [
      ['get_task', {}],
      ['add_comment', { body: 'x' }],
      ['list_comments', {}],
    ] as const) {
      const refused = await use(work.token, tool, { ...args, task_id: another.id });
      expect(refused).toEqual({ ok: false, text: 'task_id must be the one that belongs to this build' });
    }
    expect((await use(work.token, 'get_task', { task_id: work.card.id.toUpperCase() })).ok).toBe(true);
    await end(work);
  });

  it('acts as the assigned agent for the person who requested the build, and notifies that person', async () => {
    const work = await begin({ assignee_agent_id: 'coder-actor' });
    const { user_id, full_name } = room.space.admin;
    const actor = { user_id, name: `coder-actor (for ${full_name})`, agent_id: 'coder-actor' };
    await use(work.token, 'add_comment', { body: 'I am at it' });
    await use(work.token, 'progress', { percent: 40, note: 'Half of it' });
    const { comments } = (
      await room.call<{ comments: { author: unknown }[] }>(
        'GET',
        `/api/v1/board/tasks/${work.card.id}/comments`,
      )
    ).body;
    expect(comments.map(({ author }) => author)).toEqual([actor, actor]);
    const said = (await room.activity()).filter(({ action }) => action === 'task.commented');
    expect(said.slice(0, 2).map((entry) => entry.actor)).toEqual([actor, actor]);
    const { items } = (
      await room.call<{ items: { actor: unknown; task: { task_id: string } }[] }>('GET', '/api/v1/me/inbox')
    ).body;
    const told = items.filter(({ task }) => task.task_id === work.card.id);
    expect(told.map((item) => item.actor)).toEqual([actor, actor]);
    await use(work.token, 'create_memory', { kind: 'learning', title: 'Actors', body: 'Are somebody.' });
    const [memory] = (
      await room.call<{ memories: { id: string }[] }>(
        'GET',
        '/api/v1/memory/memories?agent_id=coder-actor&q=somebody',
      )
    ).body.memories;
    const history = await room.call<{ entries: { actor: unknown }[] }>(
      'GET',
      `/api/v1/memory/memories/${memory!.id}/history`,
    );
    expect(history.body.entries.map((entry) => entry.actor)).toEqual([actor]);
    await end(work);
    // The next coder on the card sees who wrote each comment.
    await room.build(work.card.id);
    const [order] = await room.work(desk);
    const { body } = await room.start(desk, order!.build_id, order!.claim);
    expect(body.brief).toContain(`${actor.name}, `);
    await room.finish(desk, order!.build_id, order!.claim, { outcome: 'canceled' });
  });

  it('acts as the person when no agent is assigned, and does not notify them', async () => {
    const work = await begin();
    const { user_id, full_name: name } = room.space.admin;
    await use(work.token, 'add_comment', { body: 'By hand, as it were' });
    const said = (await room.activity()).find(({ action }) => action === 'task.commented');
    expect(said!.actor).toEqual({ user_id, name, agent_id: null });
    const { items } = (await room.call<{ items: { task: { task_id: string } }[] }>('GET', '/api/v1/me/inbox'))
      .body;
    expect(items.filter(({ task }) => task.task_id === work.card.id)).toEqual([]);
    await end(work);
  });

  it('reaches only the lessons of its project and the memory of the assigned agent', async () => {
    const work = await begin({ assignee_agent_id: 'coder-own' });
    const memory = { kind: 'learning', title: 'Needles', body: 'Are in haystacks.' };
    expect((await use(work.token, 'create_memory', memory)).ok).toBe(true);
    expect((await use(work.token, 'search_memories', { query: 'needles' })).text).toContain('haystacks');
    expect((await use(work.token, 'search_memories', { query: 'x', agent_id: 'somebody' })).text).toBe(
      'agent_id must be the one that belongs to this build',
    );
    expect((await use(work.token, 'create_memory', { ...memory, agent_id: 'somebody' })).ok).toBe(false);
    expect((await use(work.token, 'find_lessons_near', { paths: ['src/main.ts'] })).ok).toBe(true);
    const foreign = { paths: ['src/main.ts'], project_id: crypto.randomUUID() };
    expect((await use(work.token, 'find_lessons_near', foreign)).ok).toBe(false);
    await end(work);
  });

  it('reaches no memory when no agent is assigned', async () => {
    const work = await begin();
    expect(await toolNames(work.token)).not.toContain('search_memories');
    expect((await use(work.token, 'search_memories', { query: 'x', agent_id: 'coder-own' })).text).toBe(
      'No agent is assigned to the card of this build',
    );
    const address = { uri: 'guildhall://agents/coder-own/memory' };
    expect((await rpc(work.token, 'resources/read', address)).error).toBeDefined();
    await end(work);
  });

  it('allows no other tool, no catalog and no API path', async () => {
    const work = await begin({ assignee_agent_id: 'coder-own' });
    for (const name of ['update_task', 'create_task', 'list_boards', 'delete_task', 'get_project'])
      expect((await use(work.token, name, { task_id: work.card.id })).ok, name).toBe(false);
    for (const name of ['find_operation', 'describe_operation', 'read_operation', 'write_operation'])
      expect((await use(work.token, name, { name: 'list_boards', words: 'x' })).ok, name).toBe(false);
    for (const url of ['/api/v1/me/token', `/api/v1/board/tasks/${work.card.id}`, '/api/v1/factory/builds'])
      expect(
        (await world.inject({ url, headers: { authorization: `Bearer ${work.token}` } })).statusCode,
      ).toBe(401);
    for (const path of ['progress', 'done'])
      expect(
        (
          await world.inject({
            method: 'POST',
            url: `/mcp/${path}`,
            headers: { authorization: `Bearer ${work.token}` },
            payload: {},
          })
        ).statusCode,
      ).toBe(404);
    await end(work);
  });

  itDeeply('stays the same when the start is repeated, and ends with the build', async () => {
    const work = await begin();
    const again = await room.start(desk, work.buildId, work.claim);
    expect(again.body.mcp.token).toBe(work.token);
    await end(work);
    expect((await rpc(work.token, 'tools/list')).status).toBe(401);
  });

  itDeeply('ends when the build counts as lost, even before the job marks it as lost', async () => {
    const work = await begin();
    await world.advance(601);
    expect((await rpc(work.token, 'tools/list')).status).toBe(401);
    desk = await room.readyDesk();
  });

  itDeeply('ends when the person who asked for the build leaves the workspace', async () => {
    const member = await world.member(room.space.brand);
    const bearer = { authorization: `Bearer ${await world.token(room.space.brand, member)}` };
    const card = await room.card();
    await world.inject({
      method: 'POST',
      url: `/api/v1/board/tasks/${card.id}/builds`,
      headers: bearer,
      payload: {},
    });
    const [order] = await room.work(desk);
    const { token } = (await room.start(desk, order!.build_id, order!.claim)).body.mcp;
    expect((await rpc(token, 'tools/list')).status).toBe(200);
    await world.operator('DELETE', `/brands/${room.space.brand.brand_id}/members/${member.user_id}`);
    expect((await rpc(token, 'tools/list')).status).toBe(401);
    await room.finish(desk, order!.build_id, order!.claim, { outcome: 'failed' });
  });

  it('has no more scopes than the workspace allows to tokens', async () => {
    const narrow = await world.furnish();
    await makeAgent(narrow, 'narrow');
    const card = await narrow.card({ assignee_agent_id: 'narrow' });
    await world.operator('PATCH', `/brands/${narrow.space.brand.brand_id}`, { scope_ceiling: ['code:read'] });
    const own = await narrow.readyDesk();
    const made = await world.inject({
      method: 'POST',
      url: `/api/v1/board/tasks/${card.id}/builds`,
      headers: { cookie: await world.signIn(narrow.space.admin, narrow.space.brand) },
      payload: {},
    });
    expect(made.statusCode, made.body).toBe(201);
    const [order] = await narrow.work(own);
    const { token } = (await narrow.start(own, order!.build_id, order!.claim)).body.mcp;
    expect(await toolNames(token)).toEqual(['add_comment', 'done', 'get_task', 'list_comments', 'progress']);
    expect((await use(token, 'search_memories', { query: 'x' })).text).toContain('memory:read');
  });

  it('returns 401 for an unknown token and logs none of it', async () => {
    expect((await rpc(newToken('guild_build_'), 'tools/list')).status).toBe(401);
    const work = await begin();
    await use(work.token, 'get_task');
    expect(world.logLines.join('')).not.toContain(work.token);
    await end(work);
  });
});

describe('The progress tool', () => {
  it('shows progress on the card without an activity entry, and posts a note as a comment', async () => {
    const work = await begin();
    const before = (await room.activity()).length;
    expect((await use(work.token, 'progress', { percent: 40 })).ok).toBe(true);
    expect(await room.readCard(work.card.id)).toMatchObject({ progress_percent: 40 });
    expect(await room.activity()).toHaveLength(before);
    await use(work.token, 'progress', { percent: 60, note: 'The hard part is done' });
    expect((await use(work.token, 'list_comments')).text).toContain('The hard part is done');
    for (const percent of [-1, 101, 1.5, '50', null])
      expect((await use(work.token, 'progress', { percent })).ok, String(percent)).toBe(false);
    expect((await use(work.token, 'progress', { percent: 1, note: 'x'.repeat(2001) })).ok).toBe(false);
    expect(await room.readCard(work.card.id)).toMatchObject({ progress_percent: 60 });
    await end(work);
  });
});

describe('A coder that reports progress', () => {
  it('counts as a sign of life, but does not revive a lost build', async () => {
    const work = await begin();
    await world.advance(400);
    await use(work.token, 'progress', { percent: 10 });
    await world.advance(400);
    expect((await room.get(work.buildId)).status).toBe('running');
    await world.advance(200);
    expect((await use(work.token, 'progress', { percent: 20 })).ok).toBe(false);
    expect((await room.get(work.buildId)).status).toBe('lost');
    await end(work);
  });
});

describe('The done tool', () => {
  it('makes a build a success although its desk saw no change and no call of the tool', async () => {
    const work = await begin();
    await use(work.token, 'done');
    await end(work, { outcome: 'failed', reason: 'Ended without a change and without a word' });
    expect(await room.get(work.buildId)).toMatchObject({ status: 'succeeded', reason: null });
  });

  it('sets confirmed', async () => {
    const work = await begin();
    expect((await room.get(work.buildId)).confirmed).toBe(false);
    expect((await use(work.token, 'done')).ok).toBe(true);
    expect((await room.get(work.buildId)).confirmed).toBe(true);
    expect((await use(room.space.token, 'done')).ok).toBe(false);
    await end(work);
    expect(await room.get(work.buildId)).toMatchObject({ confirmed: true, status: 'succeeded' });
  });
});

describe('The conversation of a build', () => {
  const said = [
    { role: 'user', content: 'Which package manager do we use?', at: '2026-01-01T00:00:00Z' },
    { role: 'assistant', content: 'We decided to use pnpm for this project.', at: null },
  ];
  const list = async (agent: string) =>
    (await room.call<{ conversations: object[] }>('GET', `/api/v1/memory/conversations?agent_id=${agent}`))
      .body.conversations;

  it('becomes a pushed conversation of the assigned agent once, and is processed like any other', async () => {
    const work = await begin({ assignee_agent_id: 'talker' });
    const body = { outcome: 'succeeded', conversation: said };
    expect((await end(work, body)).status).toBe(200);
    expect((await end(work, body)).status).toBe(200);
    expect(await list('talker')).toMatchObject([
      { source_type: 'build', external_id: work.buildId, status: 'waiting', source_id: null },
    ]);
    await world.runJob('memory-pickup');
    expect(await list('talker')).toMatchObject([{ status: 'done' }]);
  });

  it('cannot be pushed by any other caller', async () => {
    const pushed = await room.call('POST', '/api/v1/memory/conversations', {
      agent_id: 'talker',
      source_type: 'build',
      external_id: 'x',
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(pushed.status).toBe(422);
  });
});
