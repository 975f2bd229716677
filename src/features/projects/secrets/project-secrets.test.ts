import { describe, expect, it } from 'vitest';
import { type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';
import { checkRoom } from '../../../../tests/support/check-room.js';

const world = await openBuildWorld();

const put = (room: Furnished, name: string, body: object) =>
  room.call<{ detail: string }>('PUT', `/api/v1/projects/${room.projectId}/secrets/${name}`, body);
const list = async (room: Furnished) =>
  (await room.call<{ secrets: object[] }>('GET', `/api/v1/projects/${room.projectId}/secrets`)).body.secrets;

describe('Secrets of a project', () => {
  it('are set, listed without their value, replaced and deleted', async () => {
    const room = await world.furnish();
    const set = await put(room, 'API_KEY', { value: 'hunter2-hunter2' });
    expect(set).toMatchObject({ status: 200, body: { name: 'API_KEY', to: ['setup', 'checks'] } });
    await put(room, 'API_KEY', { value: 'other', to: ['coder'] });
    const secrets = await list(room);
    expect(secrets).toMatchObject([{ name: 'API_KEY', to: ['coder'] }]);
    expect(JSON.stringify([set.body, secrets])).not.toMatch(/hunter2|other|value/);
    const path = `/api/v1/projects/${room.projectId}/secrets/API_KEY`;
    expect((await room.call('DELETE', path)).status).toBe(204);
    expect((await room.call('DELETE', path)).status).toBe(404);
    expect(await list(room)).toEqual([]);
  });

  it('reach the setup, the coder and the checks that they are for, and no reviewer', async () => {
    const room = await world.furnish();
    const checks = checkRoom(room);
    await checks.setChecks({
      setup: { command: 'npm ci', minutes: 5 },
      checks: [{ name: 'tests', command: 'npm test', minutes: 5 }],
    });
    await put(room, 'ALL', { value: 'a', to: ['setup', 'checks', 'coder'] });
    await put(room, 'USUAL', { value: 'b' });
    await put(room, 'CODER', { value: 'c', to: ['coder'] });
    const desk = await room.readyDesk();
    await room.build((await room.card()).id);
    const [order] = await room.work(desk);
    const started = await room.start(desk, order!.build_id, order!.claim);
    expect(started.body.env).toEqual({ ALL: 'a', CODER: 'c' });
    expect(started.body.setup_env).toEqual({ ALL: 'a', USUAL: 'b' });

    const taken = { buildId: order!.build_id, claim: order!.claim };
    const repository = await checks.git.checkOut(desk, taken);
    repository.save({ 'src/main.ts': 'export const answer = 43;\n' });
    const { base_sha, branch } = await room.get(taken.buildId);
    await checks.git.handIn(desk, taken, checks.git.bundle(repository, `${base_sha}..${branch}`));
    repository.dispose();
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded' });
    const [check] = await room.work(desk);
    const run = await checks.start(desk, { buildId: check!.build_id, claim: check!.claim });
    expect(run.body).toMatchObject({
      env: { CI: 'true', ALL: 'a', USUAL: 'b' },
      setup_env: { ALL: 'a', USUAL: 'b' },
    });
  });

  it.each([
    ['lower', { value: 'x' }],
    ['A'.repeat(65), { value: 'x' }],
    ['A-B', { value: 'x' }],
    ['PATH', { value: 'x' }],
    ['GUILDHALL_TOKEN', { value: 'x' }],
    ['FINE', { value: '' }],
    ['FINE', { value: 'x'.repeat(65_537) }],
    ['FINE', { value: 'é'.repeat(32_769) }],
    ['FINE', { value: 'a\0b' }],
    ['FINE', { value: 'x', to: [] }],
    ['FINE', { value: 'x', to: ['person'] }],
    ['FINE', {}],
  ])('refuses invalid input with 422: case %#', async (name, body) => {
    const room = await world.furnish();
    expect((await put(room, name, body)).status).toBe(422);
    expect(await list(room)).toEqual([]);
  });

  it('takes 64 KiB in a value and 50 secrets in a project', async () => {
    const room = await world.furnish();
    for (let at = 1; at <= 50; at += 1)
      expect((await put(room, `S_${at}`, { value: 'x'.repeat(65_536) })).status).toBe(200);
    expect((await put(room, 'ONE_MORE', { value: 'x' })).body.detail).toBe(
      'A project has at most 50 secrets',
    );
    expect((await put(room, 'S_1', { value: 'y' })).status).toBe(200);
  });

  it('are set by admins alone, and hidden from other workspaces', async () => {
    const [room, other] = [await world.furnish(), await world.furnish()];
    await put(room, 'API_KEY', { value: 'x' });
    const path = `/api/v1/projects/${room.projectId}/secrets`;
    expect((await other.call('GET', path)).status).toBe(404);
    expect((await other.call('PUT', `${path}/API_KEY`, { value: 'y' })).status).toBe(404);
    const { brand } = room.space;
    const member = await world.member(brand);
    const token = await world.token(brand, member, ['code:read', 'memory:write']);
    const headers = { authorization: `Bearer ${token}` };
    expect((await world.inject({ url: path, headers })).statusCode).toBe(200);
    for (const method of ['PUT', 'DELETE'] as const) {
      const payload = method === 'PUT' ? { value: 'y' } : undefined;
      const response = await world.inject({ method, url: `${path}/API_KEY`, headers, payload });
      expect(response.statusCode).toBe(403);
    }
  });
});
