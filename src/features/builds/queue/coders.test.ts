import { describe, expect, it } from 'vitest';
import { type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const DAY_SECONDS = 24 * 60 * 60;

const listCoders = async (room: Furnished) => {
  const { status, body } = await room.call<{
    coders: { name: string; builtin: boolean; desks: Record<string, unknown>[] }[];
  }>('GET', '/api/v1/factory/coders');
  expect(status).toBe(200);
  return body.coders;
};

describe('GET /factory/coders', () => {
  it('lists the built-in coders when there is no desk', async () => {
    const room = await world.furnish();
    expect(await listCoders(room)).toEqual(
      ['claude', 'codex', 'openhands', 'opencode', 'pi'].map((name) => ({ name, builtin: true, desks: [] })),
    );
  });

  it('shows versions, what is missing, and further coders of each desk', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk({ name: 'shop-1' });
    await room.work(desk, {
      coders: [{ name: 'claude', version: '2.1.0' }, { name: 'goose', version: null }, 'codex'],
      missing: [{ coder: 'pi', reason: 'it is not on the PATH' }],
    });
    const [claude, codex, , , pi, goose] = await listCoders(room);
    const row = { workstation_id: desk.id, name: 'shop-1', version: null, ready: true, missing: null };
    expect(claude).toEqual({ name: 'claude', builtin: true, desks: [{ ...row, version: '2.1.0' }] });
    expect(codex!.desks).toEqual([row]);
    expect(pi!.desks).toEqual([{ ...row, ready: false, missing: 'it is not on the PATH' }]);
    expect(goose).toEqual({ name: 'goose', builtin: false, desks: [row] });
  });

  it('replaces the version when a desk reports another', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await room.work(desk, { coders: [{ name: 'claude', version: '2.1.0' }] });
    await room.work(desk, { coders: [{ name: 'claude', version: '2.2.0' }] });
    expect((await listCoders(room))[0]!.desks).toMatchObject([{ version: '2.2.0' }]);
  });

  it('keeps the coders of another workspace out', async () => {
    const [mine, other] = [await world.furnish(), await world.furnish()];
    await mine.work(await mine.readyDesk(), { coders: ['goose'] });
    expect((await listCoders(other)).map(({ name }) => name)).not.toContain('goose');
    expect((await other.post((await other.card()).id, { coder: 'goose' })).status).toBe(422);
  });

  it('says when a desk no longer reports a coder', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await room.work(desk, { coders: ['goose'] });
    await room.work(desk, { coders: [] });
    const goose = (await listCoders(room)).find(({ name }) => name === 'goose');
    expect(goose!.desks).toMatchObject([{ ready: false, missing: 'it is not installed' }]);
  });
});

describe('the coder of a build', () => {
  it('can be one that a desk added, and only such a desk gets the build', async () => {
    const room = await world.furnish();
    const [plain, able] = [await room.readyDesk(), await room.readyDesk({ runtime: 'claude_code' })];
    await room.work(able, { coders: ['claude', 'goose'] });
    const build = await room.build((await room.card()).id, { coder: 'goose' });
    expect(build).toMatchObject({ coder: 'goose', profile: null });
    expect(await room.work(plain, { slots: 1, coders: ['claude'] })).toEqual([]);
    expect(await room.work(able, { slots: 1, coders: ['claude', 'goose'] })).toMatchObject([
      { kind: 'start', build_id: build.build_id },
    ]);
    const { body } = await room.call<{ total: number }>('GET', '/api/v1/factory/builds?coder=goose');
    expect(body.total).toBe(1);
  });

  it('is refused with the coders there are when no desk reported it within 30 days', async () => {
    const room = await world.furnish();
    await room.work(await room.readyDesk(), { coders: ['goose'] });
    const card = (await room.card()).id;
    const refused = await room.post(card, { coder: 'aider' });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toBe(
      'coder aider is not available in this workspace; available: claude, codex, openhands, opencode, pi, goose',
    );
    await world.advance(30 * DAY_SECONDS + 1);
    expect((await room.post(card, { coder: 'goose' })).status).toBe(422);
  });

  it('is refused for a named desk that did not report it', async () => {
    const room = await world.furnish();
    const [plain, able] = [await room.readyDesk(), await room.readyDesk()];
    await room.work(able, { coders: ['goose'] });
    const card = (await room.card()).id;
    const refused = await room.post(card, { coder: 'goose', workstation_id: plain.id });
    expect(refused).toMatchObject({ status: 422 });
    expect((await room.post(card, { coder: 'goose', workstation_id: able.id })).status).toBe(201);
  });

  it.each([['Goose'], ['a'.repeat(41)], ['../goose'], ['']])('ignores the reported name %j', async (name) => {
    const room = await world.furnish();
    await room.work(await room.readyDesk(), { coders: [{ name, version: null }] });
    expect((await listCoders(room)).every(({ builtin }) => builtin)).toBe(true);
  });
});

describe('Progress of a running build', () => {
  it('reaches the card as a percentage', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const card = await room.card();
    await room.build(card.id);
    const { buildId } = await room.take(desk);
    await world.advance(1);
    await room.work(desk, { slots: 0, running: [{ build_id: buildId, progress_percent: 40 }] });
    expect(await room.readCard(card.id)).toMatchObject({ progress_percent: 40 });
    const over = { slots: 0, running: [{ build_id: buildId, progress_percent: 101 }] };
    await expect(room.work(desk, over)).rejects.toThrow('422');
  });
});
