import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  stallOf,
  startDeskWorld,
} from '../../../tests/desk-end-to-end/desk-world.js';
import { freePort, until } from '../../../tests/desk-end-to-end/real-desk.js';
import { seedWorkstationDemo } from './workstations.js';

let world: DeskWorld;
let space: DeskWorkspace;

beforeAll(async () => {
  const port = await freePort();
  world = await startDeskWorld({ BASE_URL: `http://127.0.0.1:${port}` });
  await world.server.listen({ port, host: '127.0.0.1' });
  space = await world.workspace();
});
afterAll(() => world.stop());

describe('Demo desks', () => {
  it('show every state, and one is a real sidecar on loopback', async () => {
    await seedWorkstationDemo(
      {
        db: world.db,
        clock: world.clock,
        baseUrl: world.config.baseUrl,
        workstations: world.app.workstations,
        demoDesk: world.app.demoDesk,
      },
      space.brand.brand_id,
    );
    const list = async () => (await world.asMember(space)('GET', '/api/v1/workstations')).json();
    type Desk = Parameters<typeof stallOf>[0] & { name: string; workstation_id: string; status: string };
    const find = (desks: Desk[], name: string) => desks.find((desk) => desk.name === name)!;
    const { workstation_id: realDesk } = find((await list()).workstations, 'Loopback');
    await until(
      async () =>
        (await world.asMember(space)('GET', `/api/v1/environments/${realDesk}`)).json().sidecar_url ??
        undefined,
    );
    await world.poll();

    const { workstations, dormant, total } = await list();
    expect(total).toBe(7);
    expect(dormant.map(({ name }: Desk) => name)).toEqual(['Flint']);
    expect(
      Object.fromEntries(
        workstations.map((desk: Desk) => [desk.name, [desk.status, stallOf(desk)?.[2] ?? null]]),
      ),
    ).toEqual({
      Anvil: ['provisioning', 'awaiting_callback'],
      Bellows: ['provisioning', 'installer_failed'],
      Crucible: ['provisioning', 'misrouted'],
      Drift: ['unreachable', 'unreachable'],
      Ember: ['suspended', 'suspended'],
      Loopback: ['ready', null],
    });
    const reauth = (
      await world.asMember(space)('GET', '/api/v1/environments/credentials/reauth-status')
    ).json();
    expect(reauth).toMatchObject({ checked: 6, dormant: 1, expired: [{ name: 'Drift', runtime: 'codex' }] });
  });
});
