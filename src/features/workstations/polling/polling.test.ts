import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  stallOf,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';
import { proofOf } from '../../../../tests/desk-end-to-end/fake-sidecar.js';

const DAY = 86_400;
let world: DeskWorld;
let space: DeskWorkspace;

beforeAll(async () => {
  world = await startDeskWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  space = await world.workspace();
});

const environment = async (desk: { workstation_id: string }) =>
  (await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}`)).json();
const status = async (desk: { workstation_id: string }) => (await world.read(space, desk)).status;

describe('The desk-poll job', () => {
  it('makes a desk ready when its sidecar answers, and fills the sidecar fields', async () => {
    const { desk, fake } = await world.readyDesk(space);
    expect(await world.read(space, desk)).toMatchObject({ status: 'ready', ready: true });
    expect(stallOf(await world.read(space, desk))).toBeNull();
    expect(await environment(desk)).toMatchObject({
      status: 'active',
      sidecar_version: '0.2.11',
      sidecar_code_digest: 'a'.repeat(64),
      last_upgrade_at: null,
      pending_sync_count: 0,
    });
    fake.health['pending_sync_count'] = 4;
    fake.health['code_digest'] = null;
    await world.poll();
    const record = await environment(desk);
    expect(record).toMatchObject({ sidecar_code_digest: null, pending_sync_count: 4 });
    expect(record.last_upgrade_at).not.toBeNull();
  });

  it('reports how the desk isolates builds, or null when the desk does not report it', async () => {
    const { desk, fake } = await world.readyDesk(space);
    expect((await environment(desk)).isolation).toBeNull();
    for (const isolation of ['user', 'namespace', 'none']) {
      fake.health['isolation'] = isolation;
      await world.poll();
      expect((await environment(desk)).isolation).toBe(isolation);
    }
    fake.health['isolation'] = 'perfect';
    await world.poll();
    expect((await environment(desk)).isolation).toBeNull();
  });

  it('shows no digest below version 0.2.10, even if health reports one', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.health['version'] = '0.2.9';
    await world.poll();
    expect(await environment(desk)).toMatchObject({ sidecar_version: '0.2.9', sidecar_code_digest: null });
    fake.health['version'] = '0.2.10';
    await world.poll();
    expect(await environment(desk)).toMatchObject({ sidecar_code_digest: 'a'.repeat(64) });
  });

  it('unblocks a failed installer step when the desk answers afterwards', async () => {
    const { desk, fake } = await world.readyDesk(space);
    const failed = ['run_installer', 'failed', 'installer_failed'];
    await world.asDesk(desk)('step', { step: 'download', exit_code: 11, message: 'no network' });
    expect(stallOf(await world.read(space, desk))).toEqual(failed);
    fake.answer = (_request, response) => response.writeHead(500).end();
    await world.poll();
    expect(stallOf(await world.read(space, desk))).toEqual(failed);
    fake.answer = undefined;
    await world.poll();
    expect(stallOf(await world.read(space, desk))).toBeNull();
    expect(await world.read(space, desk)).toMatchObject({ ready: true });
  });

  it('keeps the installer failure when the answered check started before it', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.health['pending_sync_count'] = 7;
    fake.answer = async (request, response) => {
      await world.asDesk(desk)('step', { step: 'download', exit_code: 11 });
      fake.answer = undefined;
      fake.reply(request, response);
    };
    await world.poll();
    expect(stallOf(await world.read(space, desk))?.[2]).toBe('installer_failed');
  });

  it('sends a nonce of 32 hex digits and never the token', async () => {
    const { desk, fake } = await world.readyDesk(space);
    const request = fake.requests.at(-1)!;
    expect(request).toMatchObject({ method: 'GET', url: '/health' });
    expect(request.headers['x-guildhall-nonce']).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(request)).not.toContain(desk.pat);
  });

  it('makes a desk unreachable after three misses and ready again with one answer, with probes in the timeline', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.answer = (_request, response) => response.writeHead(500).end();
    await world.poll();
    await world.poll();
    expect(await status(desk)).toBe('ready');
    await world.poll();
    expect(await world.read(space, desk)).toMatchObject({ status: 'unreachable', ready: false });
    expect(stallOf(await world.read(space, desk))).toEqual(['sidecar_up', 'failed', 'unreachable']);
    fake.answer = undefined;
    await world.poll();
    expect(await status(desk)).toBe('ready');
    const timeline = (
      await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}/timeline`)
    ).json();
    const [back, lost, ready] = timeline.items.filter(({ kind }: { kind: string }) => kind === 'status');
    expect(back).toMatchObject({ from: 'unreachable', to: 'active', probes: [{ outcome: 'answered' }] });
    expect(lost).toMatchObject({
      from: 'active',
      to: 'unreachable',
      probes: [{ outcome: 'missed' }, { outcome: 'missed' }, { outcome: 'missed' }],
    });
    expect(ready).toMatchObject({ from: 'provisioned', to: 'active' });
  });

  it.each([
    ['a wrong proof', (nonce: string, pat: string) => ({ proof: proofOf(`${pat}x`, nonce) })],
    ['no proof', () => ({})],
    ['a proof of another nonce', (_: string, pat: string) => ({ proof: proofOf(pat, '0'.repeat(32)) })],
    ['invalid JSON', (nonce: string, pat: string) => ({ proof: proofOf(pat, nonce), body: 'hello' })],
    ['a list', (nonce: string, pat: string) => ({ proof: proofOf(pat, nonce), body: '[]' })],
    [
      'an env_id of no desk',
      (nonce: string, pat: string) => ({
        proof: proofOf(pat, nonce),
        change: { env_id: '00000000-0000-4000-8000-000000000000' },
      }),
    ],
    [
      'an env_id that is not a string',
      (nonce: string, pat: string) => ({ proof: proofOf(pat, nonce), change: { env_id: { a: 1 } } }),
    ],
    [
      'more than 64 KiB',
      (nonce: string, pat: string) => ({
        proof: proofOf(pat, nonce),
        change: { padding: 'x'.repeat(70_000) },
      }),
    ],
    ['status 404', (nonce: string, pat: string) => ({ proof: proofOf(pat, nonce), status: 404 })],
    ['a redirect', (nonce: string, pat: string) => ({ proof: proofOf(pat, nonce), status: 302 })],
  ])('counts %s as a missed check', async (_what, make) => {
    const desk = await world.order(space);
    const fake = await world.install(desk);
    fake.answer = (request, response) => {
      const reply: { proof?: string; body?: string; status?: number; change?: object } = make(
        String(request.headers['x-guildhall-nonce']),
        desk.pat,
      );
      response.writeHead(reply.status ?? 200, {
        ...(reply.proof && { 'x-guildhall-proof': reply.proof }),
        location: `${fake.url}/health`,
      });
      response.end(reply.body ?? JSON.stringify({ ...fake.health, ...reply.change }));
    };
    for (let n = 0; n < 4; n++) await world.poll();
    expect(stallOf(await world.read(space, desk))).toEqual([
      'sidecar_up',
      'pending',
      'awaiting_first_health_check',
    ]);
    expect(await status(desk)).toBe('provisioning');
  });

  it('accepts a response of exactly 64 KiB', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.health['pending_sync_count'] = 5;
    fake.health['filler'] = '';
    fake.health['filler'] = 'x'.repeat(64 * 1024 - JSON.stringify(fake.health).length);
    await world.poll();
    expect((await environment(desk)).pending_sync_count).toBe(5);
    fake.health['pending_sync_count'] = 6;
    fake.health['filler'] += 'x';
    for (let count = 0; count < 3; count++) await world.poll();
    expect((await environment(desk)).pending_sync_count).toBe(5);
    expect(await status(desk)).toBe('unreachable');
  });

  it("shows misrouted when another desk's env_id answers, regardless of the proof", async () => {
    const [desk, second] = [await world.order(space), await world.order(space)];
    const fake = await world.install(desk);
    fake.health['env_id'] = second.workstation_id;
    fake.pat = 'wrong';
    await world.poll();
    expect(stallOf(await world.read(space, desk))).toEqual(['sidecar_up', 'failed', 'misrouted']);
    fake.health['env_id'] = desk.workstation_id;
    fake.pat = desk.pat;
    await world.poll();
    expect(stallOf(await world.read(space, desk))).toBeNull();
  });

  it('shows misrouted when the installation hosts another desk of the workspace, but not of another workspace', async () => {
    const first = await world.readyDesk(space);
    const desk = await world.order(space);
    const fake = await world.install(desk);
    fake.health['installation_id'] = first.fake.health['installation_id'];
    await world.poll();
    expect(stallOf(await world.read(space, desk))).toEqual(['sidecar_up', 'failed', 'misrouted']);
    expect(await status(first.desk)).toBe('ready');

    const elsewhere = await world.workspace();
    const theirs = await world.order(elsewhere);
    const shared = await world.install(theirs);
    shared.health['installation_id'] = first.fake.health['installation_id'];
    await world.poll();
    expect((await world.read(elsewhere, theirs)).status).toBe('ready');
  });

  it('leaves a desk that was never installed provisioning', async () => {
    const desk = await world.order(space);
    for (let n = 0; n < 4; n++) await world.poll();
    expect(await status(desk)).toBe('provisioning');
  });

  it('skips a suspended desk, and makes a resumed one unreachable after three misses', async () => {
    const desk = await world.order(space);
    const fake = await world.install(desk);
    fake.answer = (_request, response) => response.destroy();
    const patch = (body: object) =>
      world.asMember(space)('PATCH', `/api/v1/environments/${desk.workstation_id}`, body);
    await patch({ status: 'suspended' });
    await world.poll();
    expect(fake.requests).toHaveLength(0);
    await patch({ status: 'provisioned' });
    expect(stallOf(await world.read(space, desk))).toEqual([
      'sidecar_up',
      'pending',
      'awaiting_first_health_check',
    ]);
    await world.poll();
    await world.poll();
    expect(await status(desk)).toBe('provisioning');
    await world.poll();
    expect(stallOf(await world.read(space, desk))).toEqual(['sidecar_up', 'failed', 'unreachable']);
  });

  it('restarts the count of misses after a suspension', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.answer = (_request, response) => response.destroy();
    for (let count = 0; count < 2; count++) await world.poll();
    const set = (value: string) =>
      world.asMember(space)('PATCH', `/api/v1/environments/${desk.workstation_id}`, { status: value });
    await set('suspended');
    await set('provisioned');
    for (let count = 0; count < 2; count++) await world.poll();
    expect(await status(desk)).toBe('provisioning');
    await world.poll();
    expect(await status(desk)).toBe('unreachable');
  });

  it('discards the findings at the old address when sidecar_url changes', async () => {
    const { desk, fake } = await world.readyDesk(space);
    const { desk: other } = await world.readyDesk(space);
    fake.health['env_id'] = other.workstation_id;
    await world.poll();
    expect(stallOf(await world.read(space, desk))?.[2]).toBe('misrouted');
    await world.asMember(space)('PATCH', `/api/v1/environments/${desk.workstation_id}`, {
      sidecar_url: 'http://127.0.0.1:9',
    });
    expect(stallOf(await world.read(space, desk))).toBeNull();
  });

  it('ignores a check during which the token was replaced', async () => {
    const { desk, fake } = await world.readyDesk(space);
    let release = () => {};
    const arrived = new Promise<void>((resolve) => {
      fake.answer = (_request, response) => {
        release = () => response.writeHead(500).end();
        resolve();
      };
    });
    const pass = world.poll();
    await arrived;
    await world.asMember(space)('POST', `/api/v1/workstations/${desk.workstation_id}/regenerate-pat`);
    release();
    await pass;
    fake.answer = undefined;
    const { rows } = await world.database.pool.query('select misses from desks where desk_id = $1', [
      desk.workstation_id,
    ]);
    expect(rows[0].misses).toBe(0);
  });

  it('rejects a desk whose token was replaced', async () => {
    const { desk } = await world.readyDesk(space);
    await world.asMember(space)('POST', `/api/v1/workstations/${desk.workstation_id}/regenerate-pat`);
    for (let n = 0; n < 3; n++) await world.poll();
    expect(await status(desk)).toBe('unreachable');
  });

  it('follows sidecar_url to a new address', async () => {
    const { desk, fake } = await world.readyDesk(space);
    const second = await world.install(desk, String(fake.health['installation_id']));
    await fake.stop();
    const response = await world.asMember(space)('PATCH', `/api/v1/environments/${desk.workstation_id}`, {
      sidecar_url: second.url,
    });
    expect(response.json().sidecar_url).toBe(second.url);
    await world.poll();
    expect(second.requests.length).toBeGreaterThan(0);
    expect(await status(desk)).toBe('ready');
  });

  it('makes a dormant desk live and counted again as soon as its sidecar answers', async () => {
    const { desk, fake } = await world.readyDesk(space);
    fake.answer = (_request, response) => response.destroy();
    await world.advance(14 * DAY + 1);
    expect((await environment(desk)).dormant).toBe(true);
    fake.answer = undefined;
    await world.poll();
    expect((await environment(desk)).dormant).toBe(false);
  });

  it('keeps the exact time of the last contact when a desk stops answering', async () => {
    const { desk, fake } = await world.readyDesk(space);
    await world.advance(3600);
    await world.poll();
    fake.answer = (_request, response) => response.destroy();
    await world.advance(30);
    await world.poll();
    await world.advance(14 * DAY - 1800);
    expect((await environment(desk)).dormant).toBe(false);
    await world.advance(1800);
    expect((await environment(desk)).dormant).toBe(true);
  });

  it('writes no row while only contact times change', async () => {
    const { desk } = await world.readyDesk(space);
    const versions = async () =>
      (
        await world.database.pool.query('select checked_at from desks where desk_id = $1', [
          desk.workstation_id,
        ])
      ).rows[0];
    const before = await versions();
    await world.advance(30);
    await world.poll();
    expect(await versions()).toEqual(before);
  });
});
