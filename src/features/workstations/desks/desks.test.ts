import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  stallOf,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';

const DAY = 86_400;
const NOBODY = '00000000-0000-4000-8000-000000000000';
let world: DeskWorld;
let space: DeskWorkspace;
let other: DeskWorkspace;

beforeAll(async () => {
  world = await startDeskWorld();
  space = await world.workspace();
  other = await world.workspace();
});
afterAll(() => world.stop());

const ask = (...args: Parameters<ReturnType<DeskWorld['asMember']>>) => world.asMember(space)(...args);

describe('POST /api/v1/workstations', () => {
  it('returns the onboarding data with token and commands', async () => {
    const response = await ask('POST', '/api/v1/workstations', {
      name: 'Forge',
      region: 'eu',
      description: 'Builds',
    });
    expect(response.statusCode).toBe(201);
    const desk = response.json();
    expect(Object.keys(desk)).toEqual([
      'workstation_id',
      'name',
      'runtime',
      'status',
      'ready',
      'pat',
      'install_command',
      'install_command_sudo',
      'poll_url',
      'onboarding_url',
      'onboarding_steps',
    ]);
    expect(desk).toMatchObject({
      name: 'Forge',
      runtime: 'claude_code',
      status: 'provisioning',
      ready: false,
    });
    expect(desk.poll_url).toBe(`/api/v1/workstations/${desk.workstation_id}`);
    expect(desk.onboarding_url).toBe(`/dashboard/machines/${desk.workstation_id}`);
    const fetch = `curl -sSL 'http://guildhall.test/install/sidecar?pat=${desk.pat}&env_id=${desk.workstation_id}&url=http://guildhall.test&runtime=claude_code'`;
    expect(desk.install_command).toBe(`${fetch} | bash`);
    expect(desk.install_command_sudo).toBe(`${fetch} | sudo bash`);
    expect(stallOf(desk)).toEqual(['run_installer', 'pending', 'awaiting_callback']);
  });

  it.each([
    ['no name', {}, 'name'],
    ['a blank name', { name: ' \t ' }, 'name'],
    ['a name that is not a string', { name: 5 }, 'name'],
    ['null as name', { name: null }, 'name'],
    ['a list as name', { name: ['a'] }, 'name'],
    ['a very long name', { name: 'x'.repeat(256) }, 'name'],
    ['an unknown runtime', { name: 'a', runtime: 'pi' }, 'runtime'],
    ['an unknown key', { name: 'a', colour: 'red' }, 'colour'],
    ['a NUL in the name', { name: 'a\u0000b' }, 'name'],
    ['a lone surrogate in the description', { name: 'a', description: '\ud800' }, 'description'],
  ])('returns 422 for %s', async (_what, body, field) => {
    const response = await ask('POST', '/api/v1/workstations', body);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail).toContain(field);
  });

  it('requires a session, and returns 401 without one or for a token', async () => {
    for (const headers of [{}, space.bearer]) {
      const response = await world.inject({
        method: 'POST',
        url: '/api/v1/workstations',
        headers,
        payload: { name: 'a' },
      });
      expect(response.statusCode).toBe(401);
    }
  });

  it('is open to any active member', async () => {
    const person = await world.member(space.brand);
    const cookie = await world.signIn(person, space.brand);
    const response = await world.inject({
      method: 'POST',
      url: '/api/v1/workstations',
      headers: { cookie },
      payload: { name: 'a' },
    });
    expect(response.statusCode).toBe(201);
  });

  it("returns 403 with the figures beyond the plan's limit, even when fifty are ordered at once", async () => {
    const small = await world.workspace({ plan: 'team' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        world.asMember(small)('POST', '/api/v1/workstations', { name: `Desk ${n}` }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(5);
    const refused = answers.filter(({ statusCode }) => statusCode === 403);
    expect(refused).toHaveLength(45);
    expect(refused[0]!.json().detail).toEqual({
      limit_type: 'workstations',
      current: 5,
      limit: 5,
      upgrade_url: expect.any(String),
      message: expect.any(String),
    });
  });

  it('validates the body before the limit', async () => {
    const full = await world.workspace({ plan: 'free' });
    await world.order(full);
    expect((await world.asMember(full)('POST', '/api/v1/workstations', { name: '' })).statusCode).toBe(422);
    expect((await world.asMember(full)('POST', '/api/v1/workstations', { name: 'b' })).statusCode).toBe(403);
  });
});

describe('GET /api/v1/workstations/{workstation_id}', () => {
  it('returns the same fields without token and commands', async () => {
    const desk = await world.order(space);
    const read = await world.read(space, desk);
    expect(Object.keys(read)).toEqual([
      'workstation_id',
      'name',
      'runtime',
      'status',
      'ready',
      'poll_url',
      'onboarding_url',
      'onboarding_steps',
    ]);
    expect(JSON.stringify(read)).not.toContain(desk.pat);
  });

  it('returns 404 for another workspace, a missing desk and a malformed id', async () => {
    const desk = await world.order(other);
    for (const id of [desk.workstation_id, NOBODY, 'x', '%00']) {
      const response = await ask('GET', `/api/v1/workstations/${id}`);
      expect([response.statusCode, response.json()]).toEqual([404, { detail: 'Not found' }]);
    }
  });

  it('returns YAML and Markdown, where a failed step is marked [!] and a blocked one [-]', async () => {
    const desk = await world.order(space, { name: '# not a [heading]' });
    await world.asDesk(desk)('step', { step: 'digest', exit_code: 12, message: null });
    const url = `/api/v1/workstations/${desk.workstation_id}`;
    const yaml = await ask('GET', `${url}?format=yaml`);
    expect(yaml.headers['content-type']).toContain('application/yaml');
    expect(yaml.body).toContain('reason: installer_failed');
    const markdown = await ask('GET', `${url}?format=md`);
    expect(markdown.headers['content-type']).toContain('text/markdown');
    expect(markdown.body).toContain('- [!] Run the installer on the machine');
    expect(markdown.body).toContain('installer_failed');
    expect(markdown.body.match(/- \[-\] /g)).toHaveLength(3);
    expect(markdown.body).toContain('blocked_by:run_installer');
    expect(markdown.body).not.toContain('# # not');
    expect((await ask('GET', `${url}?format=xml`)).statusCode).toBe(422);
  });
});

describe('GET /api/v1/workstations', () => {
  it('lists live and dormant desks separately, with a total of both', async () => {
    const fleet = await world.workspace();
    const silent = await world.order(fleet, { name: 'Silent' });
    const paused = await world.order(fleet, { name: 'Paused' });
    await world.asMember(fleet)('PATCH', `/api/v1/environments/${paused.workstation_id}`, {
      status: 'suspended',
    });
    await world.advance(14 * DAY + 1);
    await world.order(fleet, { name: 'New' });
    const list = async () => (await world.asMember(fleet)('GET', '/api/v1/workstations')).json();
    const before = await list();
    expect(before.dormant.map(({ name }: { name: string }) => name)).toEqual(['Silent']);
    expect(before.workstations.map(({ name }: { name: string }) => name)).toEqual(['Paused', 'New']);
    expect(before.total).toBe(3);
    await world.asDesk(silent)('heartbeat', {});
    const after = await list();
    expect(after.dormant).toEqual([]);
    expect(after.workstations).toHaveLength(3);
  });

  it('adds the environment record to each desk only when requested', async () => {
    const asked = await world.workspace();
    const { workstation_id } = await world.order(asked);
    const [plain] = (await world.asMember(asked)('GET', '/api/v1/workstations')).json().workstations;
    expect(plain).not.toHaveProperty('environment');
    const [full] = (await world.asMember(asked)('GET', '/api/v1/workstations?with=environment')).json()
      .workstations;
    const record = (await world.asMember(asked)('GET', `/api/v1/environments/${workstation_id}`)).json();
    expect(full).toEqual({ ...plain, environment: record });
  });

  it('counts suspended desks towards the limit, but not dormant ones', async () => {
    const free = await world.workspace({ plan: 'free' });
    const desk = await world.order(free);
    await world.asMember(free)('PATCH', `/api/v1/environments/${desk.workstation_id}`, {
      status: 'suspended',
    });
    await world.advance(15 * DAY);
    expect((await world.asMember(free)('POST', '/api/v1/workstations', { name: 'b' })).statusCode).toBe(403);
    await world.asMember(free)('PATCH', `/api/v1/environments/${desk.workstation_id}`, {
      status: 'provisioned',
    });
    expect((await world.asMember(free)('POST', '/api/v1/workstations', { name: 'b' })).statusCode).toBe(201);
  });
});

describe('DELETE /api/v1/workstations/{workstation_id}', () => {
  it('releases a desk in any state and revokes its token at once', async () => {
    const desk = await world.order(space);
    const url = `/api/v1/workstations/${desk.workstation_id}`;
    const response = await ask('DELETE', url);
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { workstation_id: desk.workstation_id, released: true },
    ]);
    expect((await world.asDesk(desk)('heartbeat', {})).statusCode).toBe(401);
    expect((await ask('GET', url)).statusCode).toBe(404);
    expect((await ask('DELETE', url)).statusCode).toBe(404);
  });

  it('does not affect a desk of another workspace', async () => {
    const desk = await world.order(other);
    expect((await ask('DELETE', `/api/v1/workstations/${desk.workstation_id}`)).statusCode).toBe(404);
    expect((await world.asDesk(desk)('heartbeat', {})).statusCode).toBe(200);
  });
});

describe('POST /api/v1/workstations/{id}/regenerate-pat', () => {
  it('returns a new token with its commands, and revokes the old token at once', async () => {
    const desk = await world.order(space);
    const response = await ask('POST', `/api/v1/workstations/${desk.workstation_id}/regenerate-pat`);
    expect(response.statusCode).toBe(200);
    const fresh = response.json();
    expect(Object.keys(fresh)).toEqual(['workstation_id', 'pat', 'install_command', 'install_command_sudo']);
    expect(fresh.install_command).toContain(fresh.pat);
    expect((await world.asDesk(desk)('heartbeat', {})).statusCode).toBe(401);
    expect((await world.asDesk(fresh)('heartbeat', {})).statusCode).toBe(200);
    expect((await ask('POST', `/api/v1/workstations/${NOBODY}/regenerate-pat`)).statusCode).toBe(404);
  });
});

describe('PATCH /api/v1/environments/{workstation_id}', () => {
  const patch = async (desk: { workstation_id: string }, body: object) =>
    ask('PATCH', `/api/v1/environments/${desk.workstation_id}`, body);

  it('returns the full environment record and keeps omitted fields', async () => {
    const desk = await world.order(space, { name: 'Before', region: 'eu', description: 'keeps' });
    const record = (await patch(desk, { name: 'After' })).json();
    expect(record).toMatchObject({
      name: 'After',
      description: 'keeps',
      region: 'eu',
      status: 'provisioned',
      vps_provider: null,
      pending_sync_count: 0,
      image_url: null,
      sidecar_version: null,
      sidecar_code_digest: null,
      last_upgrade_at: null,
      sidecar_url: null,
    });
    expect(record.short_id).toMatch(/^\w{8}$/);
    expect(record.workspace_path).toContain(record.short_id);
    const read = await ask('GET', `/api/v1/environments/${desk.workstation_id}`);
    expect(read.json()).toEqual(record);
    expect((await patch(desk, { description: null })).json().description).toBeNull();
  });

  it.each([
    [{}, 'at least one'],
    [{ name: '' }, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: null }, 'name'],
    [{ workspace_path: '/x' }, 'workspace_path'],
    [{ status: 'active' }, 'poller only'],
    [{ status: 'unreachable' }, 'poller only'],
    [{ status: 'ready' }, 'provisioned, active, unreachable, suspended'],
    [{ status: '' }, 'provisioned, active, unreachable, suspended'],
    [{ status: 5 }, 'status'],
    [{ sidecar_url: 'http://169.254.169.254/' }, 'sidecar_url'],
    [{ sidecar_url: 'http://u:p@127.0.0.1:1' }, 'sidecar_url'],
    [{ sidecar_url: 'ftp://127.0.0.1' }, 'sidecar_url'],
    [{ sidecar_url: null }, 'sidecar_url'],
  ])('returns 422 for %j and changes nothing', async (body, words) => {
    const desk = await world.order(space);
    const before = (await ask('GET', `/api/v1/environments/${desk.workstation_id}`)).json();
    const response = await patch(desk, body);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail).toContain(words);
    expect((await ask('GET', `/api/v1/environments/${desk.workstation_id}`)).json()).toEqual(before);
  });

  it('validates the body before looking up the desk', async () => {
    expect((await patch({ workstation_id: NOBODY }, { status: 'active' })).statusCode).toBe(422);
    expect((await patch({ workstation_id: NOBODY }, { name: 'a' })).statusCode).toBe(404);
    const foreign = await world.order(other);
    expect((await patch(foreign, { name: 'a' })).statusCode).toBe(404);
  });

  it('suspends and resumes a desk, and ignores provisioned for a desk that is not suspended', async () => {
    const { desk } = await world.readyDesk(space);
    expect((await patch(desk, { status: 'provisioned' })).json().status).toBe('active');
    expect((await patch(desk, { status: 'suspended' })).json().status).toBe('suspended');
    expect(stallOf(await world.read(space, desk))).toEqual(['ready', 'pending', 'suspended']);
    await world.poll();
    expect((await world.read(space, desk)).status).toBe('suspended');
    expect((await patch(desk, { status: 'provisioned' })).json().status).toBe('provisioned');
    const resumed = await world.read(space, desk);
    expect([resumed.status, resumed.ready]).toEqual(['provisioning', false]);
    expect(stallOf(resumed)).toEqual(['ready', 'pending', 'awaiting_ready']);
    await world.poll();
    expect(await world.read(space, desk)).toMatchObject({ status: 'ready', ready: true });
  });
});

describe('GET /api/v1/environments/credentials/reauth-status', () => {
  it('reports checked and dormant desks that add up to the total, and expired logins with since', async () => {
    const fleet = await world.workspace();
    await world.order(fleet, { name: 'Silent' });
    await world.advance(14 * DAY + 1);
    const { desk, fake } = await world.readyDesk(fleet, { name: 'Forge' });
    fake.health['credentials'] = [
      { runtime: 'claude_code', state: 'expired', checked_at: '2026-01-05T00:00:00.000Z' },
      { runtime: 'codex', state: 'ok', checked_at: '2026-01-05T00:00:00.000Z' },
      { runtime: 'x\u0000', state: 'expired' },
      'nonsense',
    ];
    await world.poll();
    const response = await world.asMember(fleet)('GET', '/api/v1/environments/credentials/reauth-status');
    expect(response.json()).toEqual({
      checked: 1,
      dormant: 1,
      expired: [
        {
          workstation_id: desk.workstation_id,
          name: 'Forge',
          runtime: 'claude_code',
          since: '2026-01-05T00:00:00.000Z',
        },
      ],
    });
  });
});
