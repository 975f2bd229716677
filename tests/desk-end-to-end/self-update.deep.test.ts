import { createHash, createHmac } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SIDECAR_VERSION } from '../../sidecar/src/protocol.js';
import { type DeskWorkspace, type DeskWorld, type OrderedDesk, startDeskWorld } from './desk-world.js';
import { createMachine, freePort, isRoot, type Machine, until } from './real-desk.js';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

let world: DeskWorld;
let space: DeskWorkspace;
let machine: Machine;
let desk: OrderedDesk;
let original: string;
let offered = '';
let sequence = 0;
const NEXT = SIDECAR_VERSION.replace(/\d+$/, (last) => String(Number(last) + 1));
const offers = createServer((_request, response) => response.end(offered));

if (!isRoot) console.warn('SKIPPED: self-update needs an installed sidecar, and the installer needs root');

beforeAll(async () => {
  const port = await freePort();
  world = await startDeskWorld({ BASE_URL: `http://127.0.0.1:${port}` });
  await world.server.listen({ port, host: '127.0.0.1' });
  await new Promise<void>((resolve) => offers.listen(0, '127.0.0.1', resolve));
  space = await world.workspace();
});
afterAll(async () => {
  offers.close();
  await world.stop();
});

beforeEach(async () => {
  if (!isRoot) return;
  machine = await createMachine({ GUILDHALL_TRIAL_SECONDS: '3' });
  desk = await world.order(space, { runtime: 'custom' });
  const script = await (await fetch(desk.install_command.split("'")[1]!)).text();
  const { code, output } = await machine.install(script);
  if (code !== 0) throw new Error(output);
  original = readFileSync(
    machine.path(
      `opt/guildhall/sidecar/${readFileSync(machine.path('opt/guildhall/sidecar/current'), 'utf8').trim()}/sidecar.mjs`,
    ),
    'utf8',
  );
});
afterEach(() => machine?.remove());

const sidecarUrl = () => readFileSync(machine.path('opt/guildhall/sidecar/url'), 'utf8');

async function readHealth(): Promise<
  { version: string; code_digest: string; building: boolean; update_failure?: { error: string } } | undefined
> {
  try {
    return (await (
      await fetch(`${sidecarUrl()}/health`, { headers: { 'x-guildhall-nonce': 'ab'.repeat(16) } })
    ).json()) as never;
  } catch {
    return undefined;
  }
}

async function orderUpdate(
  bundle: string,
  change: { proof?: string; digest?: string; sequence?: unknown } = {},
): Promise<number> {
  offered = bundle;
  const url = `http://127.0.0.1:${(offers.address() as AddressInfo).port}/sidecar.mjs`;
  const body = JSON.stringify({
    version: NEXT,
    url,
    code_digest: change.digest ?? sha256(bundle),
    sequence: 'sequence' in change ? change.sequence : ++sequence,
  });
  const proof = change.proof ?? createHmac('sha256', sha256(desk.pat)).update(body).digest('hex');
  return (
    await fetch(`${sidecarUrl()}/update`, { method: 'POST', headers: { 'x-guildhall-proof': proof }, body })
  ).status;
}

const newer = () => original.replaceAll(SIDECAR_VERSION, NEXT);
/** Waits until an accepted update has finished. */
const settled = () =>
  until(async () => {
    const found = await readHealth();
    return found?.version === NEXT && found;
  });

describe.skipIf(!isRoot)('POST /update on a desk', () => {
  it('switches to the new release and reports it', async () => {
    const bundle = newer();
    expect(await orderUpdate(bundle)).toBe(202);
    const health = await until(async () => {
      const found = await readHealth();
      return found?.code_digest === sha256(bundle) && found;
    });
    expect(health.version).toBe(NEXT);
    await world.poll();
    const record = (await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}`)).json();
    expect(record).toMatchObject({ sidecar_version: NEXT, sidecar_code_digest: sha256(bundle) });
  });

  it.each([
    ['does not load', () => 'this is no program', /does not start/],
    ['does not have the promised digest', () => newer(), /digest/],
    [
      'exits as soon as it serves',
      () => newer().replace('async function serve() {', 'async function serve() { process.exit(3);'),
      /did not come up/,
    ],
    [
      'serves and never responds',
      () =>
        newer().replace(
          'async function serve() {',
          'async function serve() { setInterval(() => {}, 1000); return;',
        ),
      /did not come up/,
    ],
  ])(
    'keeps the old release when the new one %s, and reports the reason',
    async (what, make, error) => {
      const bundle = make();
      const digest = what.includes('digest') ? 'f'.repeat(64) : undefined;
      expect(await orderUpdate(bundle, { digest })).toBe(202);
      const health = await until(async () => {
        const found = await readHealth();
        return found?.update_failure && found;
      });
      expect(health.update_failure?.error).toMatch(error);
      expect(health.code_digest).toBe(sha256(original));
      await world.poll();
      expect(await world.read(space, desk)).toMatchObject({ status: 'ready' });
    },
    300_000,
  );

  it('refuses an order without a valid proof, and an order during a build', async () => {
    expect(await orderUpdate(newer(), { proof: 'f'.repeat(64) })).toBe(401);
    const build = machine.command(
      'build',
      '--',
      'bash',
      '-c',
      `until [ -e ${machine.path('etc/go-on')} ]; do sleep 0.1; done`,
    );
    await until(async () => (await readHealth())?.building);
    expect(await orderUpdate(newer())).toBe(409);
    const { writeFile } = await import('node:fs/promises');
    await writeFile(machine.path('etc/go-on'), '');
    expect((await build).code).toBe(0);
    expect((await readHealth())?.building).toBe(false);
  });

  it('refuses an order whose sequence is not above the last accepted one, also after a restart', async () => {
    const bundle = newer();
    for (const none of [undefined, null, '9', 1.5])
      expect(await orderUpdate(bundle, { sequence: none })).toBe(422);
    expect(await orderUpdate(bundle, { sequence: 1_000 })).toBe(202);
    await settled();
    for (const old of [1_000, 999, 1, 0, -1])
      expect(await orderUpdate(original, { sequence: old })).toBe(409);
    await machine.command('start');
    await settled();
    expect(await orderUpdate(original, { sequence: 1_000 })).toBe(409);
    expect(await orderUpdate(original, { sequence: 1_001 })).toBe(202);
    sequence = 1_001;
  });

  it('does not count a refused order', async () => {
    expect(await orderUpdate(newer(), { sequence: 5_000, proof: 'f'.repeat(64) })).toBe(401);
    expect(await orderUpdate('no program', { sequence: 5_000, digest: 'none' })).toBe(422);
    expect(await orderUpdate(newer(), { sequence: 4_000 })).toBe(202);
    await settled();
    sequence = 4_000;
  });

  it("moves an old desk's files out of the service's folder, so that uninstalling keeps that folder", async () => {
    await machine.makeOld();
    await machine.put('var/lib/guildhall/data-1/PG_VERSION', '18');
    await machine.put('var/lib/guildhall/pending-sync/unsent', 'x');
    expect(await orderUpdate(newer())).toBe(202);
    await settled();
    const moved = machine.path('var/lib/guildhall-sidecar/pending-sync/unsent');
    await until(() => existsSync(moved));
    rmSync(moved);
    await until(() => readFileSync(machine.launcher, 'utf8').includes('leave_old_state'));
    expect((await machine.command('uninstall')).code).toBe(0);
    expect(machine.listFiles()).toEqual(['var/lib/guildhall/data-1/PG_VERSION']);
  });

  it('starts when the service requests an update', async () => {
    await world.poll();
    await world.inject({
      method: 'POST',
      url: `/api/v1/machines/${desk.workstation_id}/updates`,
      headers: space.bearer,
    });
    await world.runJob('machine-updates');
    await world.runJob('machine-updates');
    const { updates } = (
      await world.inject({
        method: 'GET',
        url: `/api/v1/machines/${desk.workstation_id}/updates`,
        headers: space.bearer,
      })
    ).json();
    expect(updates[0]).toMatchObject({ status: 'done', to_code_digest: sha256(original) });
  });
});
