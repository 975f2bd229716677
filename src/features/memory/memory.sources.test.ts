import { appendFile, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
let other: Awaited<ReturnType<MemoryWorld['workspace']>>;
let folders = 0;

const home = (who = acme) => join(world.config.sourcesDir, String(who.brand.brand_id));

async function sourceFolder(who = acme): Promise<string> {
  const name = `project-${++folders}`;
  await mkdir(join(home(who), name), { recursive: true });
  return name;
}

async function ownedAgent(who = acme): Promise<string> {
  const agent_id = world.agentId();
  await world.operator('POST', '/agents', { agent_id, name: agent_id, brand_id: who.brand.brand_id });
  return agent_id;
}

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace({ plan: 'enterprise' });
  other = await world.workspace();
});
afterAll(() => world.stop());

describe('POST /api/v1/memory/sources', () => {
  it('answers 201 with id and agent_id, enabled by default', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    const response = await acme.source({ agent_id, source_type: 'claude_code', config: { path } });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({
      agent_id,
      source_type: 'claude_code',
      config: { path },
      enabled: true,
    });
    expect((await acme.get(`/sources/${response.json().id}`)).json()).toEqual(response.json());
  });

  it("refuses an agent the workspace does not own: another workspace's, the platform's or an unowned one", async () => {
    const platform = world.agentId();
    await world.operator('POST', '/agents', { agent_id: platform, name: 'P', brand_id: null });
    for (const agent_id of [await ownedAgent(other), platform, world.agentId()]) {
      const response = await acme.source({ agent_id, source_type: 'agentboard' });
      expect([response.statusCode, response.json()]).toEqual([
        403,
        { detail: 'This agent does not belong to the workspace' },
      ]);
    }
  });

  it('enforces the plan’s limit for fifty concurrent requests and counts disabled sources', async () => {
    const free = await world.workspace({ plan: 'free' });
    const agent_id = await ownedAgent(free);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => free.source({ agent_id, source_type: 'agentboard', enabled: false })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(2);
    const refused = answers.find(({ statusCode }) => statusCode === 403)!;
    expect(refused.json().detail).toMatchObject({
      error: 'quota_exceeded',
      limit: 2,
      current: 2,
      message: expect.any(String),
    });
    expect((await free.get('/sources')).json().total).toBe(2);
  });

  it('answers 422 for a path that is missing, not a folder, or outside, also through symbolic links', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    await writeFile(join(home(), path, 'file.txt'), '');
    await symlink('/tmp', join(home(), path, 'link'));
    for (const config of [
      undefined,
      {},
      { path: '' },
      { path: 7 },
      { path: 'missing' },
      { path: `${path}/file.txt` },
      { path: '../' },
      { path: '/etc' },
      { path: `${path}/link` },
    ]) {
      const response = await acme.source({ agent_id, source_type: 'openclaw', config });
      expect([config, response.statusCode]).toEqual([config, 422]);
    }
    for (const inside of [join(home(), path), '.', `${path}/../${path}`]) {
      const response = await acme.source({ agent_id, source_type: 'openclaw', config: { path: inside } });
      expect([inside, response.statusCode]).toEqual([inside, 201]);
    }
  });

  it('answers 422 for the folder of another workspace, in any spelling, and for the common parent folder', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder(other);
    const { brand_id } = other.brand;
    await symlink(join(home(other), path), join(home(), `to-${path}`));
    for (const foreign of [
      join(home(other), path),
      home(other),
      `../${brand_id}/${path}`,
      `../${brand_id}`,
      '..',
      `./../${acme.brand.brand_id}/../${brand_id}/${path}`,
      world.config.sourcesDir,
      `to-${path}`,
      `${brand_id}/${path}`,
      `${path}\0`,
    ]) {
      const response = await acme.source({ agent_id, source_type: 'claude_code', config: { path: foreign } });
      expect([foreign, response.statusCode]).toEqual([foreign, 422]);
      expect(response.json().detail).toMatch(/^config\.path must /);
    }
  });

  it('answers 422 when the folder of the workspace is a link to another location', async () => {
    const linked = await world.workspace();
    const agent_id = await ownedAgent(linked);
    await sourceFolder();
    await symlink(home(), home(linked));
    const response = await linked.source({ agent_id, source_type: 'openclaw', config: { path: '.' } });
    expect(response.statusCode).toBe(422);
  });

  it.each([
    ['agent_id is missing', { source_type: 'agentboard' }],
    ['agent_id is not plain', { agent_id: 'a/b', source_type: 'agentboard' }],
    ['source_type is missing', { agent_id: 'a' }],
    ['source_type is unknown', { agent_id: 'a', source_type: 'slack' }],
    ['config is a list', { agent_id: 'a', source_type: 'agentboard', config: [] }],
    ['a key is unknown', { agent_id: 'a', source_type: 'agentboard', name: 'x' }],
    ['config is long', { agent_id: 'a', source_type: 'agentboard', config: { note: 'x'.repeat(16_384) } }],
    [
      'config is deep',
      {
        agent_id: 'a',
        source_type: 'agentboard',
        config: JSON.parse(`{"a":${'['.repeat(33)}${']'.repeat(33)}}`),
      },
    ],
  ])('answers 422 when %s', async (_, payload) => {
    expect((await acme.source(payload)).statusCode).toBe(422);
  });
});

describe('GET, PATCH, DELETE /api/v1/memory/sources', () => {
  it('lists, changes config and enabled, and deletes; answers 404 in another workspace', async () => {
    const agent_id = await ownedAgent();
    const { id } = (await acme.source({ agent_id, source_type: 'agentboard' })).json();
    expect((await acme.get(`/sources?agent_id=${agent_id}`)).json()).toMatchObject({
      sources: [{ id }],
      total: 1,
    });
    expect((await acme.send('PATCH', `/sources/${id}`, { enabled: false })).json()).toMatchObject({
      enabled: false,
    });
    expect((await acme.send('PATCH', `/sources/${id}`, { config: { note: 1 } })).json()).toMatchObject({
      config: { note: 1 },
      enabled: false,
    });
    expect((await acme.send('PATCH', `/sources/${id}`, { agent_id })).statusCode).toBe(422);
    expect((await other.get(`/sources/${id}`)).statusCode).toBe(404);
    expect((await other.send('PATCH', `/sources/${id}`, {})).statusCode).toBe(404);
    expect((await other.send('DELETE', `/sources/${id}`)).statusCode).toBe(404);
    expect((await acme.get('/sources/nonsense')).statusCode).toBe(404);
    expect((await acme.send('DELETE', `/sources/${id}`)).statusCode).toBe(204);
    expect((await acme.send('DELETE', `/sources/${id}`)).statusCode).toBe(404);
  });
});

describe('memory-pickup of session files', () => {
  const claude = (text: string, fields: object = {}) =>
    `${JSON.stringify({ type: 'user', message: { role: 'user', content: text }, timestamp: '2026-11-14T09:30:00.000Z', ...fields })}\n`;

  it('reads Claude Code sessions by offset: growth, half-written lines, truncation', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    const file = join(home(), path, 'session.jsonl');
    await acme.source({ agent_id, source_type: 'claude_code', config: { path } });
    const half = claude('We decided to keep the llama farm.');
    await writeFile(
      file,
      claude('We decided to use Redis for the queue.') +
        claude('Remember that system notices are junk walruses.', { isMeta: true }) +
        'not json\n' +
        half.slice(0, 40),
    );
    await world.runJob('memory-pickup');
    const first = await acme.found(agent_id);
    expect(first.memories.map(({ title }) => title)).toEqual(['We decided to use Redis for the queue.']);
    const record = (await acme.read(first.memories[0]!.id)).json();
    expect(record).toMatchObject({
      kind: 'decision',
      source: { extractor: 'rule-based', source_id: expect.any(String) },
    });

    await appendFile(file, half.slice(40));
    await world.runJob('memory-pickup');
    expect((await acme.found(agent_id)).count).toBe(2);
    const listed = (await acme.get(`/conversations?agent_id=${agent_id}`)).json();
    expect(listed).toMatchObject({
      total: 1,
      conversations: [{ status: 'done', external_id: `${path}/session.jsonl` }],
    });

    await truncate(file, 0);
    await writeFile(file, claude('We decided to sell the penguin shares.'));
    await world.runJob('memory-pickup');
    expect((await acme.titles(agent_id, 'penguin')).length).toBe(1);
    await world.runJob('memory-pickup');
    expect((await acme.found(agent_id)).count).toBe(3);
  });

  it('never reads another workspace’s sessions and reports an error for a source that points there', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    const secret = await sourceFolder(other);
    await writeFile(
      join(home(other), secret, 's.jsonl'),
      claude('We decided to hide the lynx behind the barn.'),
    );
    const { id } = (await acme.source({ agent_id, source_type: 'claude_code', config: { path } })).json();
    const shown = async () => {
      await world.runJob('memory-pickup');
      return (await acme.get(`/sources/${id}`)).json().error;
    };
    expect(await shown()).toBeNull();
    // Earlier versions may have stored a path relative to the parent folder, or an absolute one.
    for (const foreign of [`${other.brand.brand_id}/${secret}`, join(home(other), secret)]) {
      await sql`update memory_sources set config = ${JSON.stringify({ path: foreign })}::jsonb where source_id = ${id}`.execute(
        world.db,
      );
      expect(await shown()).toMatch(/folder/);
    }
    await sql`update memory_sources set config = ${JSON.stringify({ path })}::jsonb where source_id = ${id}`.execute(
      world.db,
    );
    expect(await shown()).toBeNull();
    // A folder that was inside when saved may be a link when it is read.
    await rm(join(home(), path), { recursive: true });
    await symlink(join(home(other), secret), join(home(), path));
    expect(await shown()).toMatch(/folder/);
    await rm(join(home(), path));
    await mkdir(join(home(), path));
    await symlink(join(home(other), secret, 's.jsonl'), join(home(), path, 'link.jsonl'));
    await symlink(join(home(other), secret), join(home(), path, 'folder'));
    expect(await shown()).toBeNull();
    expect((await acme.found(agent_id)).count).toBe(0);
    expect((await acme.get(`/conversations?agent_id=${agent_id}`)).json().total).toBe(0);
  });

  it('reads a long file in pieces within one run', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    const filler = Array.from({ length: 2500 }, (_, i) =>
      claude(`Thanks for number ${i}, ${'that is fine, '.repeat(40)}`),
    );
    await writeFile(
      join(home(), path, 'long.jsonl'),
      `${filler.join('')}${claude('We decided to adopt the tapir at last.')}`,
    );
    await acme.source({ agent_id, source_type: 'claude_code', config: { path } });
    await world.runJob('memory-pickup');
    expect(await acme.titles(agent_id, 'tapir')).toEqual(['We decided to adopt the tapir at last.']);
    const { rows } = await sql`
      select status, received, pending from memory_conversations where agent_id = ${agent_id}`.execute(
      world.db,
    );
    expect(rows).toEqual([{ status: 'done', received: 2501, pending: [] }]);
  });

  it('reads Codex sessions as codex, without the text that Codex adds before the conversation', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    const codex = (role: string, text: string, type = 'message') =>
      `${JSON.stringify({ timestamp: '2026-11-14T09:30:00.000Z', type: 'response_item', payload: { type, role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] } })}\n`;
    await writeFile(
      join(home(), path, 'rollout.jsonl'),
      codex('user', '<environment_context>We decided to hide the badger.</environment_context>') +
        codex('developer', 'We decided to obey the ferret.') +
        codex('assistant', 'We decided to think of an otter.', 'reasoning') +
        codex('user', 'We decided to keep the heron.'),
    );
    const made = await acme.source({ agent_id, source_type: 'codex', config: { path } });
    expect([made.statusCode, made.json().source_type]).toEqual([201, 'codex']);
    expect((await acme.source({ agent_id, source_type: 'codex' })).statusCode, 'without a folder').toBe(422);
    await world.runJob('memory-pickup');
    expect((await acme.found(agent_id)).memories.map(({ title }) => title)).toEqual([
      'We decided to keep the heron.',
    ]);
    expect((await acme.get(`/conversations?agent_id=${agent_id}`)).json()).toMatchObject({
      conversations: [{ source_type: 'codex', status: 'done' }],
    });
  });

  it('reads OpenClaw sessions, without tool results', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    const line = (role: string, text: string) =>
      `${JSON.stringify({ type: 'message', id: 'a', timestamp: '2026-11-14T09:30:00.000Z', message: { role, content: [{ type: 'text', text }] } })}\n`;
    await writeFile(
      join(home(), path, 's.jsonl'),
      `${JSON.stringify({ type: 'session', id: 'x' })}\n` +
        line('user', 'I prefer short answers with ostriches.') +
        line('toolResult', 'Remember that tools lie about emus.'),
    );
    await acme.source({ agent_id, source_type: 'openclaw', config: { path } });
    await world.runJob('memory-pickup');
    expect((await acme.found(agent_id)).memories).toMatchObject([
      { kind: 'preference', title: 'I prefer short answers with ostriches.' },
    ]);
  });

  it('reads each card that reached done and is assigned to the agent, once', async () => {
    const agent_id = await ownedAgent();
    const board = (
      await world.inject({
        method: 'POST',
        url: '/api/v1/board/boards',
        headers: acme.bearer,
        payload: { name: 'Work' },
      })
    ).json();
    const card = (fields: object) =>
      world.inject({
        method: 'POST',
        url: `/api/v1/board/boards/${board.board_id}/tasks`,
        headers: acme.bearer,
        payload: { title: 'T', assignee_agent_id: agent_id, ...fields },
      });
    expect(
      (await card({ title: 'Paint the giraffe', status: 'done', result: 'Painted it blue.' })).statusCode,
    ).toBe(201);
    await card({ title: 'Wash the giraffe' });
    await acme.source({ agent_id, source_type: 'agentboard' });
    await world.runJob('memory-pickup');
    await world.runJob('memory-pickup');
    expect((await acme.found(agent_id, { kinds: 'summary' })).memories).toMatchObject([
      { title: expect.stringContaining('Paint the giraffe'), body: 'Painted it blue.' },
    ]);
  });

  it('skips a disabled source', async () => {
    const agent_id = await ownedAgent();
    const path = await sourceFolder();
    await writeFile(join(home(), path, 's.jsonl'), claude('We decided to buy a yak today.'));
    await acme.source({ agent_id, source_type: 'claude_code', config: { path }, enabled: false });
    await world.runJob('memory-pickup');
    expect((await acme.found(agent_id)).count).toBe(0);
  });
});
