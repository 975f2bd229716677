import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';

const world = await openBuildWorld();

const NPM = 'npm said: request to https://registry.npmjs.org failed, reason: getaddrinfo ENOTFOUND';

const readDesk = async (room: Furnished, id: string) =>
  (await world.asMember(room.space)('GET', `/api/v1/environments/${id}`)).json();

const reasonOf = async (room: Furnished, fields: object = {}) => {
  const { build_id } = await room.build((await room.card()).id, fields);
  return async () => (await room.get(build_id)).waiting_reason;
};

describe('A ready desk', () => {
  it('reports which coders it can run and why not the others', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk({ runtime: 'claude_code' });
    const others = ['codex', 'openhands', 'opencode', 'pi'].map((coder) => ({
      coder,
      ready: false,
      reason: 'its runtime is claude_code',
    }));
    const coders = async () => (await readDesk(room, desk.id)).coders;
    expect(await coders()).toEqual([
      { coder: 'claude', ready: false, reason: 'it has not asked for work yet' },
      ...others,
    ]);
    await room.work(desk, { coders: [], missing: [{ coder: 'claude', reason: ` ${NPM}\n\u0007` }] });
    expect(await coders()).toEqual([{ coder: 'claude', ready: false, reason: NPM }, ...others]);
    await room.work(desk, { coders: ['claude'] });
    expect(await coders()).toEqual([{ coder: 'claude', ready: true, reason: null }, ...others]);
  });

  itDeeply('with an older sidecar reports only the coders that it has', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk({ runtime: 'codex' });
    await room.work(desk, { coders: [] });
    expect((await readDesk(room, desk.id)).coders[1]).toEqual({
      coder: 'codex',
      ready: false,
      reason: 'it is not installed',
    });
  });

  it.each([
    { missing: [{ coder: 'claude' }] },
    { missing: [{ coder: 'c'.repeat(65), reason: 'x' }] },
    { missing: [{ coder: 'claude', reason: 'x'.repeat(1001) }] },
    { missing: Array.from({ length: 33 }, () => ({ coder: 'claude', reason: 'x' })) },
  ])('returns 422 for a coder report that exceeds the limits', async (fields) => {
    const room = await world.furnish();
    await expect(room.work(await room.readyDesk(), fields)).rejects.toThrow('422');
  });

  itDeeply('accepts up to 1,000 characters for each of 32 coders and shows the first 300', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const missing = Array.from({ length: 32 }, () => ({ coder: 'claude', reason: 'x'.repeat(1000) }));
    await room.work(desk, { coders: [], missing });
    expect((await readDesk(room, desk.id)).coders[0].reason).toBe('x'.repeat(300));
  });
});

describe('A waiting build', () => {
  it('lists what ready desks lack before desks that are not ready', async () => {
    const room = await world.furnish();
    const waits = await reasonOf(room);
    expect(await waits()).toBe('No ready desk runs claude: this workspace has no desk');
    await world.order(room.space, { name: 'late', runtime: 'claude_code' });
    const desk = await room.readyDesk({ name: 'shop-1', runtime: 'claude_code' });
    expect(await waits()).toBe(
      'No ready desk runs claude: desk shop-1 has no claude: it has not asked for work yet; desk late is not ready',
    );
    await room.work(desk, { coders: [], missing: [{ coder: 'claude', reason: NPM }] });
    expect(await waits()).toContain(
      `No ready desk runs claude: desk shop-1 has no claude: ${NPM}; desk late`,
    );
    await room.work(desk, { slots: 0, coders: ['claude'] });
    expect(await waits()).toBe('Every desk that runs claude is busy: desk shop-1');
    await world.advance(71);
    expect(await waits()).toContain('desk shop-1 does not ask for work');
    await world.asMember(room.space)('PATCH', `/api/v1/environments/${desk.id}`, { status: 'suspended' });
    expect(await waits()).toContain('desk shop-1 is suspended');
  });

  itDeeply('does not call a desk busy that has a free slot and has not polled again yet', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk({ name: 'shop-1', runtime: 'claude_code' });
    await room.work(desk, { slots: 1, coders: ['claude'] });
    expect(await (await reasonOf(room))()).toBe('Goes to a desk that is free: desk shop-1');
  });

  itDeeply('names only the requested desk, or else at most three desks', async () => {
    const room = await world.furnish();
    const desks = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      desks.push(await room.readyDesk({ name, runtime: 'codex' }));
    const codex = await reasonOf(room, { coder: 'codex', workstation_id: desks[3]!.id });
    expect(await codex()).toBe(
      'No ready desk runs codex: desk d has no codex: it has not asked for work yet',
    );
    const claude = await reasonOf(room, { coder: 'claude' });
    expect(await claude()).toMatch(/: its runtime is codex; and 2 more$/);
  });

  it('says that builds are switched off, and gives no reason once it is claimed', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const waits = await reasonOf(room);
    const policy = '/api/v1/factory/builds/policy';
    await room.call('PUT', policy, { enabled: false });
    expect(await waits()).toBe('Builds are switched off in this workspace');
    await room.call('PUT', policy, { enabled: true });
    await room.take(desk);
    expect(await waits()).toBeNull();
  });
});

describe('A desk with the coder installed', () => {
  it("is preferred over a wrapper while it is free, unless the build names the wrapper's desk", async () => {
    const room = await world.furnish();
    const codex = await room.readyDesk({ name: 'own', runtime: 'codex' });
    const custom = await room.readyDesk({ name: 'wrapper' });
    const queue = async (fields: object = {}) =>
      (await room.build((await room.card()).id, { coder: 'codex', ...fields })).build_id;
    await room.work(codex);
    const first = await queue();
    expect(await room.work(custom)).toEqual([]);
    expect(await room.work(custom, { coders: ['codex'], wrapped: ['codex'] })).toEqual([]);
    expect((await room.take(codex)).buildId).toBe(first);

    // When that desk is busy, silent or on hold, the wrapper takes waiting builds.
    const second = await queue();
    await room.work(codex, { slots: 0 });
    expect((await room.take(custom)).buildId).toBe(second);
    const third = await queue({ workstation_id: custom.id });
    await room.work(codex);
    expect((await room.take(custom)).buildId).toBe(third);
    const fourth = await queue();
    expect(await room.work(custom)).toEqual([]);
    await world.advance(71);
    expect((await room.take(custom)).buildId).toBe(fourth);

    // A custom desk with the coder itself installed does not wait for other desks.
    await room.work(codex, { coders: [] });
    const fifth = await queue();
    expect(await room.work(custom, { coders: ['codex'], wrapped: [] })).toMatchObject([{ build_id: fifth }]);
  });

  it('gets no build for a coder that it does not list', async () => {
    const room = await world.furnish();
    const custom = await room.readyDesk({ name: 'wrapper' });
    const build = await room.build((await room.card()).id, { coder: 'codex' });
    const missing = [{ coder: 'codex', reason: '/etc/guildhall/coders does not list it' }];
    expect(await room.work(custom, { coders: ['pi'], wrapped: ['pi'], missing })).toEqual([]);
    expect((await room.get(build.build_id)).waiting_reason).toBe(
      'No ready desk runs codex: desk wrapper has no codex: /etc/guildhall/coders does not list it',
    );
  });
});

describe('The demo desk', () => {
  it('takes only builds of its own project, and others wait with a reason', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk({ name: 'Loopback' });
    const restrict = (projectId: string) =>
      sql`update desks set only_project_id = ${projectId} where desk_id = ${desk.id}`.execute(world.db);
    await restrict(crypto.randomUUID());
    const waits = await reasonOf(room);
    expect(await room.work(desk)).toEqual([]);
    expect(await waits()).toBe(
      'No ready desk runs claude: desk Loopback belongs to the demo and builds its project only',
    );
    await restrict(room.projectId);
    expect(await room.work(desk)).toHaveLength(1);
  });
});
