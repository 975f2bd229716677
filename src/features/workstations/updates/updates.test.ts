import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';
import { type FakeSidecar, proofOf } from '../../../../tests/desk-end-to-end/fake-sidecar.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const SHARED = 'This machine shares its sidecar installation with another brand and remains operator-managed';
let world: DeskWorld;
let space: DeskWorkspace;

beforeAll(async () => {
  world = await startDeskWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  space = await world.workspace();
});

const request = (id: string, headers: Record<string, string> = space.bearer) =>
  world.inject({ method: 'POST', url: `/api/v1/machines/${id}/updates`, headers });
const updates = async (id: string) =>
  (
    await world.inject({ method: 'GET', url: `/api/v1/machines/${id}/updates`, headers: space.bearer })
  ).json();
const pass = () => world.runJob('machine-updates');

/** A desk of another workspace says hello from the same installation. */
async function shareSidecar(fake: FakeSidecar): Promise<void> {
  const theirs = await world.order(await world.workspace());
  await world.asDesk(theirs)('hello', {
    env_id: theirs.workstation_id,
    hostname: 'box',
    installation_id: String(fake.health['installation_id']),
  });
}

describe('POST /api/v1/machines/{machine_id}/updates', () => {
  it('returns 202 with the queued request', async () => {
    const { desk } = await world.readyDesk(space, { name: 'Forge' });
    const response = await request(desk.workstation_id);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toEqual({
      id: expect.any(String),
      machine_id: desk.workstation_id,
      machine_name: 'Forge',
      status: 'queued',
      requested_by: { user_id: space.admin.user_id, name: space.admin.full_name, agent_id: null },
      requested_at: expect.any(String),
      wait_for_idle: true,
      error: null,
    });
  });

  it('names the agent that made the request, and its person', async () => {
    const { brand, admin } = space;
    await world.operator('POST', '/agents', { agent_id: 'claude-smith', brand_id: brand.brand_id });
    const token = await world.token(brand, admin, undefined, { agent_id: 'claude-smith' });
    const { desk } = await world.readyDesk(space);
    const response = await world.inject({
      method: 'POST',
      url: `/api/v1/machines/${desk.workstation_id}/updates`,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.json().requested_by).toEqual({
      user_id: admin.user_id,
      name: `claude-smith (for ${admin.full_name})`,
      agent_id: 'claude-smith',
    });
  });

  it('returns the queued request for a repeated one, even for fifty at once', async () => {
    const { desk } = await world.readyDesk(space);
    const answers = await Promise.all(Array.from({ length: 50 }, () => request(desk.workstation_id)));
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1);
    expect((await updates(desk.workstation_id)).total).toBe(1);
  });

  it('accepts a desk that has only said hello', async () => {
    const desk = await world.order(space);
    expect((await request(desk.workstation_id)).statusCode).toBe(409);
    await world.asDesk(desk)('hello', {
      env_id: desk.workstation_id,
      hostname: 'box',
      installation_id: desk.workstation_id,
    });
    expect((await request(desk.workstation_id)).statusCode).toBe(202);
  });

  it('returns 404 Not found for an unknown machine', async () => {
    const elsewhere = await world.workspace();
    const { desk } = await world.readyDesk(elsewhere);
    for (const id of [desk.workstation_id, NOBODY, 'x']) {
      const response = await request(id);
      expect([response.statusCode, response.json()]).toEqual([404, { detail: 'Not found' }]);
    }
  });

  it('returns 403 Brand admin access required for a member, and 401 without a token', async () => {
    const { desk } = await world.readyDesk(space);
    const member = await world.member(space.brand);
    const token = await world.token(space.brand, member, ['memory:read']);
    const response = await request(desk.workstation_id, { authorization: `Bearer ${token}` });
    expect([response.statusCode, response.json()]).toEqual([403, { detail: 'Brand admin access required' }]);
    expect((await request(desk.workstation_id, {})).statusCode).toBe(401);
  });

  it('returns 409 for a sidecar shared with another workspace', async () => {
    const { desk, fake } = await world.readyDesk(space);
    await shareSidecar(fake);
    const response = await request(desk.workstation_id);
    expect([response.statusCode, response.json()]).toEqual([409, { detail: SHARED }]);
  });
});

describe('POST /api/v1/machines/updates', () => {
  const requestAll = (headers: Record<string, string> = space.bearer) =>
    world.inject({ method: 'POST', url: '/api/v1/machines/updates', headers });

  it('requests every machine, and fails machines that cannot be updated with an error', async () => {
    const { desk } = await world.readyDesk(space, { name: 'Good' });
    const { desk: shared, fake } = await world.readyDesk(space, { name: 'Shared' });
    await shareSidecar(fake);
    const response = await requestAll();
    expect(response.statusCode).toBe(202);
    expect(response.json()).toEqual({
      requests: [
        { machine_id: desk.workstation_id, machine_name: 'Good', status: 'queued', error: null },
        { machine_id: shared.workstation_id, machine_name: 'Shared', status: 'failed', error: SHARED },
      ],
      queued: 1,
      failed: 1,
      requested_at: expect.any(String),
    });
  });

  it('returns an empty list without machines, and 401 and 403 like the single request', async () => {
    expect((await requestAll()).json()).toMatchObject({ requests: [], queued: 0, failed: 0 });
    expect((await requestAll({})).statusCode).toBe(401);
    const member = await world.member(space.brand);
    const token = await world.token(space.brand, member, ['memory:read']);
    expect((await requestAll({ authorization: `Bearer ${token}` })).statusCode).toBe(403);
  });
});

describe('The machine-updates job', () => {
  it('waits for the build to end, sends version, url and digest with a proof over the body, and is done when health reports them', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.health['building'] = true;
    await request(desk.workstation_id);
    await pass();
    expect((await updates(desk.workstation_id)).updates[0].status).toBe('queued');
    fake.health['building'] = false;
    await pass();
    const order = fake.requests.find(({ url }) => url === '/update')!;
    expect(order.headers['x-guildhall-proof']).toBe(proofOf(desk.pat, order.body));
    const { version, url, code_digest: digest } = JSON.parse(order.body);
    expect(Object.keys(JSON.parse(order.body)).sort()).toEqual(['code_digest', 'sequence', 'url', 'version']);
    expect(url).toBe('http://guildhall.test/install/sidecar.mjs');
    expect((await updates(desk.workstation_id)).updates[0].status).toBe('running');
    fake.health['version'] = version;
    await pass();
    await world.poll();
    expect((await updates(desk.workstation_id)).updates[0].status).toBe('running');
    fake.health['code_digest'] = digest;
    await world.poll();
    expect((await updates(desk.workstation_id)).updates[0]).toMatchObject({
      status: 'done',
      error: null,
      from_version: '0.2.11',
      from_code_digest: 'a'.repeat(64),
      to_version: version,
      to_code_digest: digest,
    });
    const record = (await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}`)).json();
    expect(record).toMatchObject({ sidecar_version: version, sidecar_code_digest: digest });
    expect(record.last_upgrade_at).not.toBeNull();
  });

  it('sends a sequence that grows with every order, also when an order is repeated', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.updateStatus = 409;
    await request(desk.workstation_id);
    await world.freeze(true);
    for (let count = 0; count < 3; count++) await pass();
    await world.freeze(false);
    const sequences = fake.requests
      .filter(({ url }) => url === '/update')
      .map(({ body }) => JSON.parse(body).sequence);
    expect(sequences).toHaveLength(3);
    expect(new Set(sequences).size).toBe(3);
    expect(sequences).toEqual(sequences.toSorted((a: number, b: number) => a - b));
    expect(sequences.every((sequence) => Number.isSafeInteger(sequence) && sequence > 0)).toBe(true);
  });

  it('fails the update when the sidecar has become shared since the request', async () => {
    const { desk, fake } = await world.readyDesk(space);
    await request(desk.workstation_id);
    await shareSidecar(fake);
    await pass();
    expect(fake.requests.some(({ url }) => url === '/update')).toBe(false);
    expect((await updates(desk.workstation_id)).updates[0]).toMatchObject({
      status: 'failed',
      error: SHARED,
      finished_at: expect.any(String),
    });
  });

  it('fails the update of a shared sidecar even when the desk is silent', async () => {
    const { desk, fake } = await world.readyDesk(space);
    await request(desk.workstation_id);
    await shareSidecar(fake);
    await fake.stop();
    await pass();
    expect((await updates(desk.workstation_id)).updates[0]).toMatchObject({
      status: 'failed',
      error: SHARED,
    });
  });

  it('finishes the update itself when health already reports what was sent', async () => {
    const { desk, fake } = await world.readyDesk(space);
    await request(desk.workstation_id);
    await pass();
    const { version, code_digest } = JSON.parse(fake.requests.find(({ url }) => url === '/update')!.body);
    Object.assign(fake.health, { version, code_digest });
    await pass();
    expect((await updates(desk.workstation_id)).updates[0].status).toBe('done');
  });

  it('is finished by the first check of a desk that was never checked before', async () => {
    const desk = await world.order(space);
    const fake = await world.install(desk);
    await request(desk.workstation_id);
    await pass();
    const { version, code_digest } = JSON.parse(fake.requests.find(({ url }) => url === '/update')!.body);
    Object.assign(fake.health, { version, code_digest });
    await world.poll();
    expect((await updates(desk.workstation_id)).updates[0].status).toBe('done');
  });

  it('fails with an error when the desk refuses, reports a failure, or does not come up in time', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.updateStatus = 500;
    await request(desk.workstation_id);
    await pass();
    expect((await updates(desk.workstation_id)).updates[0]).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('500'),
    });

    fake.updateStatus = 202;
    await request(desk.workstation_id);
    await pass();
    const { code_digest } = JSON.parse(fake.requests.filter(({ url }) => url === '/update').at(-1)!.body);
    fake.health['update_failure'] = { code_digest, error: 'went back' };
    await pass();
    expect((await updates(desk.workstation_id)).updates[0]).toMatchObject({
      status: 'failed',
      error: 'went back',
    });

    delete fake.health['update_failure'];
    await request(desk.workstation_id);
    await pass();
    await world.advance(601);
    await pass();
    expect((await updates(desk.workstation_id)).updates[0]).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('10 minutes'),
    });
    expect((await updates(desk.workstation_id)).total).toBe(3);
    const page = await world.inject({
      url: `/api/v1/machines/${desk.workstation_id}/updates?limit=1`,
      headers: space.bearer,
    });
    expect([page.json().updates.length, page.json().total]).toEqual([1, 3]);
  });

  it('leaves the request queued while the desk is silent or suspended', async () => {
    const { desk, fake } = await world.readyDesk(space);
    await fake.stop();
    await request(desk.workstation_id);
    await pass();
    expect((await updates(desk.workstation_id)).updates[0].status).toBe('queued');
  });

  it('queues a new request behind a running one', async () => {
    const { desk } = await world.readyDesk(space);
    await request(desk.workstation_id);
    await pass();
    expect((await request(desk.workstation_id)).json().status).toBe('queued');
    expect(
      (await updates(desk.workstation_id)).updates.map(({ status }: { status: string }) => status).sort(),
    ).toEqual(['queued', 'running']);
  });
});
