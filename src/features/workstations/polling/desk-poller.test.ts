import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';
import { silentLog } from '../../../kernel/log.js';
import { noMesh } from '../../../platform/mesh/mesh.js';
import { fleetStore } from '../desks/fleet.store.js';
import { POLL_INTERVAL_MS } from '../desks/poll-schedule.js';
import { networkRules } from '../sidecar/desk-address.js';
import type { HealthAnswer, SidecarClient } from '../sidecar/sidecar-client.js';
import type { HealthReport } from '../sidecar/sidecar-protocol.js';
import { createDeskChecker } from './desk-checker.js';
import { createDeskPoller, type DeskPoller } from './desk-poller.js';

let world: DeskWorld;
let space: DeskWorkspace;

beforeAll(async () => {
  world = await startDeskWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.database.pool.query('delete from desks');
  space = await world.workspace({ plan: 'enterprise' });
  await world.freeze(true);
});

const healthOf = (deskId: string): HealthReport => ({
  envId: deskId,
  installationId: `machine-${deskId}`,
  version: '0.3.0',
  codeDigest: 'abc',
  building: false,
  pendingSyncCount: 0,
  credentials: [],
  isolation: null,
  updateFailure: null,
});

/** A fake network where each test decides the answers. The address contains the desk's id. */
function network(
  answer: (deskId: string) => Promise<HealthAnswer> | HealthAnswer = (deskId) => ({
    health: healthOf(deskId),
    proved: true,
  }),
) {
  const asked: string[] = [];
  const client: SidecarClient = {
    readHealth: async (url) => {
      const deskId = url.slice(-36);
      asked.push(deskId);
      return answer(deskId);
    },
    orderUpdate: async () => ({ status: 202 }),
  };
  return { asked, client };
}

function newNode(client: SidecarClient, graceSeconds = 0) {
  const checker = createDeskChecker({
    db: world.db,
    clock: world.clock,
    client,
    networkRule: networkRules(noMesh(), []),
    outbox: { record: async () => {} },
    keys: { proofKey: () => 'any' },
  });
  return {
    checker,
    poller: createDeskPoller({ db: world.db, clock: world.clock, log: silentLog, checker, graceSeconds }),
  };
}

async function orderRegistered(count: number): Promise<string[]> {
  const desks = await Promise.all(Array.from({ length: count }, () => world.order(space)));
  await Promise.all(
    desks.map((desk) =>
      world.asDesk(desk)('sidecar', { sidecar_url: `http://127.0.0.1:9/${desk.workstation_id}` }),
    ),
  );
  return desks.map(({ workstation_id }) => workstation_id);
}

/** Lets an interval pass second by second, and waits for the checks that were started. */
async function passInterval(pollers: DeskPoller[]): Promise<void> {
  for (let second = 0; second < POLL_INTERVAL_MS / 1000; second++) {
    world.clock.advance(1);
    for (const poller of pollers) await poller.tick();
  }
}

const readDesk = async (deskId: string) => (await fleetStore(world.db).find(deskId))!;

describe('The desk poller', () => {
  it('checks every desk once per interval, divided between two nodes', async () => {
    const desks = await orderRegistered(30);
    const { asked, client } = network();
    const [first, second] = [newNode(client).poller, newNode(client).poller];
    first.start();
    second.start();
    await first.tick();
    world.clock.advance(6);
    await second.tick();
    await first.tick();
    asked.length = 0;
    await passInterval([first, second]);
    await Promise.all([first.stop(), second.stop()]);
    expect(asked.toSorted()).toEqual(desks.toSorted());
  });

  it('takes over the share of a node that is gone', async () => {
    const desks = await orderRegistered(10);
    const { asked, client } = network();
    const [first, second] = [newNode(client).poller, newNode(client).poller];
    first.start();
    second.start();
    await second.tick();
    await first.tick();
    await second.stop();
    world.clock.advance(20);
    await first.tick();
    asked.length = 0;
    await passInterval([first]);
    await first.stop();
    expect(asked.toSorted()).toEqual(desks.toSorted());
  });

  it('writes no row while nothing changes, and stores contact times when it stops', async () => {
    const [deskId] = await orderRegistered(1);
    const { client } = network();
    await newNode(client).poller.checkAll();
    const { poller } = newNode(client);
    const before = await readDesk(deskId!);
    poller.start();
    await passInterval([poller]);
    await passInterval([poller]);
    await poller.stop();
    const after = await readDesk(deskId!);
    expect({ ...after, last_contact_at: null }).toEqual({ ...before, last_contact_at: null });
    expect(after.last_contact_at! > before.last_contact_at!).toBe(true);
  });

  it('ignores misses while the mesh comes up after a start', async () => {
    const [deskId] = await orderRegistered(1);
    let up = true;
    const { client } = network((id) =>
      up ? { health: healthOf(id), proved: true } : { fault: 'There is no way to the desk' },
    );
    await newNode(client).poller.checkAll();
    up = false;
    const restarted = newNode(client, 100).poller;
    restarted.start();
    for (let round = 0; round < 3; round++) await passInterval([restarted]);
    await restarted.stop();
    expect(await readDesk(deskId!)).toMatchObject({ status: 'active', misses: 0 });
  });

  it('does not let a late answer overwrite a newer one', async () => {
    const [deskId] = await orderRegistered(1);
    const { client: working } = network();
    await newNode(working).poller.checkAll();
    let release: (answer: HealthAnswer) => void = () => {};
    let calls = 0;
    const { client } = network((id) =>
      ++calls === 1
        ? new Promise<HealthAnswer>((resolve) => {
            release = resolve;
          })
        : { health: { ...healthOf(id), version: '0.4.0' }, proved: true },
    );
    const { checker } = newNode(client);
    const desk = await readDesk(deskId!);
    const late = checker.check(desk, null);
    world.clock.advance(1);
    await checker.check(desk, null);
    release({ health: { ...healthOf(deskId!), version: '0.1.0' }, proved: true });
    expect(await late).toEqual({ outcome: 'overtaken', contactAt: null });
    expect((await readDesk(deskId!)).sidecar_version).toBe('0.4.0');
  });

  it('treats a late answer as outdated, not as a missed check, and keeps the contact time', async () => {
    const [deskId] = await orderRegistered(1);
    await newNode(network().client).poller.checkAll();
    let release: (answer: HealthAnswer) => void = () => {};
    let calls = 0;
    const { client } = network((id) =>
      ++calls === 1
        ? new Promise<HealthAnswer>((resolve) => {
            release = resolve;
          })
        : { health: healthOf(id), proved: true },
    );
    const { poller } = newNode(client);
    poller.start();
    const slow = poller.checkAll();
    await expect.poll(() => calls).toBe(1);
    world.clock.advance(60);
    expect(await poller.checkAll()).toEqual({ processed: 1, failed: 0 });
    release({ fault: 'No answer within 5 seconds' });
    expect(await slow).toEqual({ processed: 1, failed: 0 });
    const before = await readDesk(deskId!);
    await world.database.pool.query('update desks set last_contact_at = null');
    await poller.stop();
    expect((await readDesk(deskId!)).last_contact_at).toEqual(before.last_contact_at);
  });

  it('does not let a late answer on another node overwrite a newer one', async () => {
    const [deskId] = await orderRegistered(1);
    let release: (answer: HealthAnswer) => void = () => {};
    const slow = network(
      () =>
        new Promise<HealthAnswer>((resolve) => {
          release = resolve;
        }),
    );
    const desk = await readDesk(deskId!);
    const late = newNode(slow.client).checker.check(desk, null);
    world.clock.advance(1);
    await newNode(network().client).checker.check(desk, null);
    release({ fault: 'No answer within 5 seconds' });
    await late;
    expect(await readDesk(deskId!)).toMatchObject({ status: 'active', misses: 0 });
  });
});
