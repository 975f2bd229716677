import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  stallOf,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';

let world: DeskWorld;
let space: DeskWorkspace;
let other: DeskWorkspace;

beforeAll(async () => {
  world = await startDeskWorld();
  space = await world.workspace({ plan: 'enterprise' });
  other = await world.workspace();
});
afterAll(() => world.stop());

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');

describe('The desk token', () => {
  it('opens /api/v1/desk and nothing else', async () => {
    const desk = await world.order(space);
    const headers = { authorization: `Bearer ${desk.pat}` };
    for (const url of [
      '/api/v1/workstations',
      '/api/v1/me/token',
      `/api/v1/environments/${desk.workstation_id}`,
    ]) {
      expect((await world.inject({ method: 'GET', url, headers })).statusCode).toBe(401);
    }
  });

  it.each([
    '',
    'Bearer',
    'Bearer guild_desk_x',
    'Bearer guild_desk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_00000000',
    'Basic abc',
  ])('returns 401 with WWW-Authenticate for %j', async (authorization) => {
    const response = await world.inject({
      method: 'POST',
      url: '/api/v1/desk/heartbeat',
      headers: { authorization },
      payload: {},
    });
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('is required, and sessions and personal tokens return 401', async () => {
    for (const headers of [space.bearer, { cookie: space.cookie }]) {
      expect(
        (await world.inject({ method: 'POST', url: '/api/v1/desk/heartbeat', headers, payload: {} }))
          .statusCode,
      ).toBe(401);
    }
  });

  it('is never logged or stored in clear text', async () => {
    const desk = await world.order(space);
    await world.asDesk(desk)('heartbeat', {});
    await world.inject({
      method: 'GET',
      url: desk.install_command.split("'")[1]!.replace('http://guildhall.test', ''),
    });
    expect(world.logLines.join('')).not.toContain(desk.pat);
    const { rows } = await world.database.pool.query('select * from desks where desk_id = $1', [
      desk.workstation_id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(desk.pat);
  });
});

describe('POST /api/v1/desk/hello', () => {
  it('finishes run_installer', async () => {
    const desk = await world.order(space);
    const response = await world.asDesk(desk)('hello', {
      env_id: desk.workstation_id,
      hostname: 'box',
      installation_id: 'm1',
    });
    expect(response.statusCode).toBe(200);
    expect(stallOf(await world.read(space, desk))).toEqual(['wg_register', 'pending', 'awaiting_wg_peer']);
  });

  it('returns 403 for the id of another desk', async () => {
    const [desk, second] = [await world.order(space), await world.order(space)];
    const body = { env_id: second.workstation_id, hostname: 'box', installation_id: 'm2' };
    expect((await world.asDesk(desk)('hello', body)).statusCode).toBe(403);
  });

  it.each([
    {},
    { env_id: 'x', hostname: 'h', installation_id: 'i' },
    { env_id: '00000000-0000-4000-8000-000000000000', hostname: 5, installation_id: 'i' },
    { env_id: '00000000-0000-4000-8000-000000000000', hostname: 'h', installation_id: '' },
    { env_id: '00000000-0000-4000-8000-000000000000', hostname: 'h', installation_id: 'i', more: 1 },
    { env_id: '00000000-0000-4000-8000-000000000000', hostname: 'h\u0000', installation_id: 'i' },
  ])('returns 422 for %j', async (body) => {
    const desk = await world.order(space);
    expect((await world.asDesk(desk)('hello', body)).statusCode).toBe(422);
  });

  it('returns 409 from an installation that hosts another desk of the workspace, and sidecar_up shows misrouted', async () => {
    const [first, second] = [await world.order(space), await world.order(space)];
    await world.asDesk(first)('hello', {
      env_id: first.workstation_id,
      hostname: 'box',
      installation_id: 'shared',
    });
    const body = { env_id: second.workstation_id, hostname: 'box', installation_id: 'shared' };
    expect((await world.asDesk(second)('hello', body)).statusCode).toBe(409);
    expect(stallOf(await world.read(space, second))).toEqual(['sidecar_up', 'failed', 'misrouted']);
    expect(stallOf(await world.read(space, first))?.[0]).toBe('wg_register');
    // A repeated hello from the same machine for its own desk is accepted.
    const again = await world.asDesk(first)('hello', {
      env_id: first.workstation_id,
      hostname: 'box',
      installation_id: 'shared',
    });
    expect(again.statusCode).toBe(200);
    // On its own machine, the second desk recovers.
    await world.asDesk(second)('hello', { ...body, installation_id: 'its own' });
    expect(stallOf(await world.read(space, second))).toEqual(['wg_register', 'pending', 'awaiting_wg_peer']);
  });

  it('gives a machine to exactly one of many desks that say hello at once', async () => {
    const desks = await Promise.all(Array.from({ length: 10 }, () => world.order(space)));
    const answers = await Promise.all(
      desks.map((desk) =>
        world.asDesk(desk)('hello', {
          env_id: desk.workstation_id,
          hostname: 'box',
          installation_id: 'race',
        }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it('accepts an installation of another workspace, and one whose desk was released', async () => {
    const theirs = await world.order(other);
    await world.asDesk(theirs)('hello', {
      env_id: theirs.workstation_id,
      hostname: 'box',
      installation_id: 'both',
    });
    const [first, second] = [await world.order(space), await world.order(space)];
    const hello = (desk: typeof first) =>
      world.asDesk(desk)('hello', { env_id: desk.workstation_id, hostname: 'box', installation_id: 'both' });
    expect((await hello(first)).statusCode).toBe(200);
    await world.asMember(space)('DELETE', `/api/v1/workstations/${first.workstation_id}`);
    expect((await hello(second)).statusCode).toBe(200);
  });
});

describe('POST /api/v1/desk/step', () => {
  it('fails run_installer for a code other than 0 until the next hello', async () => {
    const desk = await world.order(space);
    const say = world.asDesk(desk);
    expect((await say('step', { step: 'download', exit_code: null, message: null })).statusCode).toBe(200);
    expect(stallOf(await world.read(space, desk))).toEqual(['run_installer', 'pending', 'awaiting_callback']);
    await say('step', { step: 'download', exit_code: 11, message: 'no route' });
    const failed = await world.read(space, desk);
    expect(stallOf(failed)).toEqual(['run_installer', 'failed', 'installer_failed']);
    expect(failed.onboarding_steps[0].hint).toContain('no route');
    await say('step', { step: 'download', exit_code: 0, message: null });
    expect(stallOf(await world.read(space, desk))?.[2]).toBe('installer_failed');
    await say('hello', {
      env_id: desk.workstation_id,
      hostname: 'box',
      installation_id: `step-${desk.workstation_id}`,
    });
    expect(stallOf(await world.read(space, desk))).toEqual(['wg_register', 'pending', 'awaiting_wg_peer']);
  });

  it.each([
    {},
    { step: '' },
    { step: 'a', exit_code: '11' },
    { step: 'a', exit_code: 1.5 },
    { step: 'a', exit_code: 1e12 },
  ])('returns 422 for %j', async (body) => {
    const desk = await world.order(space);
    expect((await world.asDesk(desk)('step', body)).statusCode).toBe(422);
  });
});

describe('POST /api/v1/desk/mesh', () => {
  it('returns address null with MESH=none and counts as registered', async () => {
    const desk = await world.order(space);
    await world.asDesk(desk)('hello', {
      env_id: desk.workstation_id,
      hostname: 'box',
      installation_id: `mesh-${desk.workstation_id}`,
    });
    const response = await world.asDesk(desk)('mesh', { public_key: key(1) });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { address: null, server_public_key: null, endpoint: null, allowed_ips: null, keepalive: null },
    ]);
    expect(stallOf(await world.read(space, desk))).toEqual([
      'sidecar_up',
      'pending',
      'awaiting_first_health_check',
    ]);
  });

  it.each(['', 'x', key(1).slice(1), `${key(1)}\n`])('returns 422 for the key %j', async (publicKey) => {
    const desk = await world.order(space);
    expect((await world.asDesk(desk)('mesh', { public_key: publicKey })).statusCode).toBe(422);
  });
});

describe('POST /api/v1/desk/sidecar', () => {
  it("applies the caller's rule for addresses", async () => {
    const desk = await world.order(space);
    for (const url of ['http://10.0.0.1:1', 'http://evil.example', 'http://u@127.0.0.1', '']) {
      expect(
        (await world.asDesk(desk)('sidecar', { sidecar_url: url, version: '1', code_digest: null }))
          .statusCode,
      ).toBe(422);
    }
    const fine = await world.asDesk(desk)('sidecar', {
      sidecar_url: 'http://127.0.0.1:9',
      version: '1.2.3',
      code_digest: 'f'.repeat(64),
    });
    expect(fine.statusCode).toBe(200);
  });

  it('does not fill the sidecar fields, which come from health checks only', async () => {
    const desk = await world.order(space);
    await world.asDesk(desk)('sidecar', {
      sidecar_url: 'http://127.0.0.1:9',
      version: '1.2.3',
      code_digest: 'f'.repeat(64),
    });
    const record = (await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}`)).json();
    expect(record).toMatchObject({
      sidecar_url: 'http://127.0.0.1:9',
      sidecar_version: null,
      sidecar_code_digest: null,
    });
  });
});

describe('The timeline of a desk', () => {
  it('keeps the newest thousand entries from all sources', async () => {
    const { desk, fake } = await world.readyDesk(space);
    const count = async () =>
      (
        await world.database.pool.query('select count(*)::int as n from desk_events where desk_id = $1', [
          desk.workstation_id,
        ])
      ).rows[0].n;
    await world.database.pool.query(
      `insert into desk_events (desk_id, at, kind) select $1, $2, 'filler' from generate_series(1, 1200)`,
      [desk.workstation_id, world.clock.now()],
    );
    await world.asDesk(desk)('hello', {
      env_id: desk.workstation_id,
      hostname: 'box',
      installation_id: String(fake.health['installation_id']),
    });
    expect(await count()).toBe(1000);
    await world.database.pool.query(
      `insert into desk_events (desk_id, at, kind) select $1, $2, 'filler' from generate_series(1, 200)`,
      [desk.workstation_id, world.clock.now()],
    );
    fake.health['version'] = '0.9.0';
    await world.poll();
    expect(await count()).toBe(1000);
    const { items } = (
      await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}/timeline?limit=1`)
    ).json();
    expect(items[0].kind).toBe('sidecar_updated');
  });

  it('returns pages, newest first', async () => {
    const desk = await world.order(space);
    for (let n = 1; n <= 4; n++) await world.asDesk(desk)('step', { step: `step ${n}`, exit_code: null });
    const page = async (query: string) =>
      (
        await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}/timeline?${query}`)
      ).json().items as { id: number; reason: string | null }[];
    const first = await page('limit=2');
    const second = await page(`limit=2&before=${first[1]!.id}`);
    const third = await page(`limit=2&before=${second[1]!.id}`);
    expect([first, second, third].map((items) => items.map(({ reason }) => reason))).toEqual([
      ['step 4', 'step 3'],
      ['step 2', 'step 1'],
      [null],
    ]);
  });
});
