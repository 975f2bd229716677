import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  type OrderedDesk,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';

let world: DeskWorld;
let space: DeskWorkspace;

beforeAll(async () => {
  // Only the background service runs the hub, and this one has no background work.
  world = await startDeskWorld({
    MESH: 'wireguard',
    MESH_CIDR: '10.77.0.0/29',
    MESH_ENDPOINT: 'hub.example:51820',
  });
  space = await world.workspace();
});
afterAll(() => world.stop());

let keys = 0;
const newKey = () => Buffer.alloc(32, ++keys).toString('base64');
const join = (desk: OrderedDesk, publicKey = newKey()) =>
  world.asDesk(desk)('mesh', { public_key: publicKey });

describe('POST /api/v1/desk/mesh with MESH=wireguard', () => {
  it('returns address, hub and endpoint, and the same address when repeated', async () => {
    const desk = await world.order(space);
    const first = await join(desk);
    expect(first.json()).toEqual({
      address: '10.77.0.2',
      server_public_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      endpoint: 'hub.example:51820',
      allowed_ips: '10.77.0.1/32',
      keepalive: 25,
    });
    expect((await join(desk)).json()).toEqual(first.json());
  });

  it('returns 409 for the key of another desk', async () => {
    const [first, second] = [await world.order(space), await world.order(space)];
    const key = newKey();
    expect((await join(first, key)).statusCode).toBe(200);
    expect((await join(second, key)).statusCode).toBe(409);
  });

  it('gives every desk its own address when many join at once, and none when the mesh is full', async () => {
    const desks = await Promise.all(Array.from({ length: 6 }, () => world.order(space)));
    const answers = await Promise.all(desks.map((desk) => join(desk)));
    const given = answers
      .filter(({ statusCode }) => statusCode === 200)
      .map((answer) => answer.json().address);
    // Earlier tests used two of the five addresses.
    expect(given.toSorted()).toEqual(['10.77.0.4', '10.77.0.5', '10.77.0.6']);
    expect(answers.filter(({ statusCode }) => statusCode === 503)).toHaveLength(3);

    const leaving = desks.find((_, index) => answers[index]!.json().address === '10.77.0.5')!;
    const waiting = desks.find((_, index) => answers[index]!.statusCode === 503)!;
    await world.asMember(space)('DELETE', `/api/v1/workstations/${leaving.workstation_id}`);
    expect((await join(waiting)).json().address).toBe('10.77.0.5');
  });
});

describe('sidecar_url with MESH=wireguard', () => {
  it("must be the desk's mesh address, whether a desk or a caller sets it", async () => {
    const desk = await world.order(space);
    const patch = (url: string) =>
      world.asMember(space)('PATCH', `/api/v1/environments/${desk.workstation_id}`, { sidecar_url: url });
    expect((await patch('http://10.77.0.2:7717')).statusCode).toBe(422);
    const { rows } = await world.database.pool.query(
      "update desks set mesh_address = '10.77.0.200' where desk_id = $1 returning desk_id",
      [desk.workstation_id],
    );
    expect(rows).toHaveLength(1);
    expect((await patch('http://10.77.0.200:7717')).statusCode).toBe(200);
    for (const url of ['http://127.0.0.1:7717', 'http://10.77.0.1:7717', 'http://localhost:7717']) {
      expect((await patch(url)).statusCode).toBe(422);
      const registered = await world.asDesk(desk)('sidecar', {
        sidecar_url: url,
        version: '1',
        code_digest: null,
      });
      expect(registered.statusCode).toBe(422);
    }
  });
});
