import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';
import { silentLog } from '../../../kernel/log.js';
import { type Mesh, type MeshPeer, noMesh, readMeshNetwork } from '../../../platform/mesh/mesh.js';
import { createMeshPeers } from './mesh-peers.js';

let world: DeskWorld;
let space: DeskWorkspace;
let applied: MeshPeer[];
let peers: ReturnType<typeof createMeshPeers>;

/** The hub of another node, which learns of changes only through the database. */
const hub: Mesh = {
  ...noMesh(),
  network: readMeshNetwork('10.77.0.0/29'),
  start: async (known) => {
    applied = known;
  },
  applyPeers: async (known) => {
    applied = known;
  },
};

beforeAll(async () => {
  world = await startDeskWorld();
  space = await world.workspace();
  peers = createMeshPeers({
    db: world.db,
    log: silentLog,
    mesh: hub,
    notifications: world.app.notifications,
  });
});
afterAll(async () => {
  await peers.stop();
  await world.stop();
});

describe('The peers of the mesh hub', () => {
  it('equal the database at its start, and lose a desk once its release is committed', async () => {
    const desk = await world.order(space);
    const key = Buffer.alloc(32, 1).toString('base64');
    await world.database.pool.query(
      "update desks set mesh_public_key = $2, mesh_address = '10.77.0.2' where desk_id = $1",
      [desk.workstation_id, key],
    );
    await peers.start();
    expect(applied).toEqual([{ publicKey: key, address: '10.77.0.2' }]);
    await world.db.transaction().execute((tx) =>
      world.app.workstations.releaseDesk(tx, space.brand.brand_id, desk.workstation_id, {
        kind: 'service',
      }),
    );
    await expect.poll(() => applied).toEqual([]);
  });
});
