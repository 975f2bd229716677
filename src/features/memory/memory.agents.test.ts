import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
let birch: Awaited<ReturnType<MemoryWorld['workspace']>>;

beforeAll(async () => {
  world = await startMemoryWorld();
  acme = await world.workspace({ name: 'Acme' });
  birch = await world.workspace({ name: 'Birch' });
});
afterAll(() => world.stop());

type Asker = Pick<ReturnType<MemoryWorld['asking']>, 'send'>;
const ask = (as: Asker, payload: object) => as.send('POST', '/agents/resolve', payload);
const resolve = async (as: Asker, program: string, repository: string): Promise<string> => {
  const response = await ask(as, { program, repository });
  expect(response.statusCode, response.body).toBe(200);
  return (response.json() as { agent_id: string }).agent_id;
};

describe('POST /api/v1/memory/agents/resolve', () => {
  it('creates the agent on first use, named after program and repository, and then returns the same one', async () => {
    const first = await ask(acme, { program: 'claude', repository: 'https://git.example/team/billing' });
    expect(first.statusCode).toBe(200);
    expect(first.json()).toEqual({ agent_id: 'claude-billing' });
    expect(await resolve(acme, 'claude', 'https://git.example/team/billing')).toBe('claude-billing');
    const { agents } = (await acme.get('/agents')).json() as { agents: { agent_id: string }[] };
    expect(agents.map(({ agent_id }) => agent_id)).toContain('claude-billing');
    expect(await resolve(acme, 'codex', 'https://git.example/team/billing')).toBe('codex-billing');
    expect((await acme.create({ agent_id: 'claude-billing' })).statusCode).toBe(201);
  });

  it.each([
    'git@git.example:team/spelled.git',
    'git.example:team/spelled',
    'ssh://git@git.example/team/spelled',
    'ssh://git@git.example:2222/team/spelled.git',
    'https://GIT.Example/team/spelled.git/',
    'https://user:secret@git.example:8443/team/spelled',
    'HTTPS://git.example//team/spelled',
    'git+ssh://git@git.example/team/spelled.git',
    'git@git.example:/team/spelled',
    ' https://git.example/team/spelled ',
  ])('treats %s as the same repository', async (spelling) => {
    const agent = await resolve(acme, 'claude', 'https://git.example/team/spelled');
    expect(await resolve(acme, 'claude', spelling)).toBe(agent);
  });

  it('distinguishes two repositories with the same folder name', async () => {
    const names = await Promise.all(
      [
        'https://git.example/one/shop',
        'https://git.example/two/shop',
        'https://other.example/one/shop',
        'file://laptop/home/ada/shop',
        'file://laptop/home/bob/shop',
        'file://desktop/home/ada/shop',
        'https://git.example/one/shop-2',
      ].map((repository) => resolve(acme, 'claude', repository)),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('claude-shop');
    for (const name of names) expect(name).toMatch(/^claude-shop[A-Za-z0-9_-]*$/);
  });

  it('gives each of two workspaces its own writable agent for the same repository', async () => {
    const repository = 'https://git.example/team/shared';
    const [ours, theirs] = [
      await resolve(acme, 'claude', repository),
      await resolve(birch, 'claude', repository),
    ];
    expect(ours).not.toBe(theirs);
    for (const [as, agent_id] of [
      [acme, ours],
      [birch, theirs],
    ] as const)
      expect(
        (
          await as.push({
            agent_id,
            source_type: 'claude_code',
            external_id: 's',
            messages: [{ role: 'user', content: 'We deploy on Tuesdays.' }],
          })
        ).statusCode,
      ).toBe(201);
  });

  it('creates one agent for twenty concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        resolve(acme, 'claude', i % 2 ? 'git@git.example:team/rush.git' : 'https://git.example/team/rush'),
      ),
    );
    expect(new Set(answers).size).toBe(1);
  });

  it('reuses the agent that the workspace already has under that name', async () => {
    await acme.made({ agent_id: 'claude-kept', title: 'Of old' });
    expect(await resolve(acme, 'claude', 'https://git.example/team/kept')).toBe('claude-kept');
    expect(await resolve(acme, 'claude', 'https://git.example/other/kept')).not.toBe('claude-kept');
    await birch.made({ agent_id: 'claude-theirs', title: 'Of old' });
    expect(await resolve(acme, 'claude', 'https://git.example/team/theirs')).not.toBe('claude-theirs');
  });

  it.each([
    [{}],
    [{ program: 'claude' }],
    [{ repository: 'https://git.example/a/b' }],
    [{ program: '', repository: 'x' }],
    [{ program: 'cl aude', repository: 'x' }],
    [{ program: 'claude', repository: '   ' }],
    [{ program: 'claude', repository: 'x'.repeat(2001) }],
    [{ program: 'claude', repository: 7 }],
  ])('refuses %j with 422', async (payload) => {
    expect((await ask(acme, payload)).statusCode).toBe(422);
  });

  it('requires memory:write', async () => {
    const payload = { program: 'claude', repository: 'https://git.example/team/scopes' };
    const holding = async (scope: 'memory:read' | 'memory:write') =>
      world.asking({ authorization: `Bearer ${await world.token(acme.brand, acme.admin, [scope])}` });
    const [reader, writer] = [await holding('memory:read'), await holding('memory:write')];
    expect((await ask(reader, payload)).statusCode).toBe(403);
    expect((await ask(writer, payload)).statusCode).toBe(200);
  });
});
