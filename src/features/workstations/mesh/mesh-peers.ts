import { HOUR } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Mesh } from '../../../platform/mesh/mesh.js';
import { meshAddressStore } from './mesh-addresses.store.js';

interface MeshPeerOptions {
  db: Db;
  log: Log;
  mesh: Mesh;
  notifications: Notifications;
}

export type MeshPeers = ReturnType<typeof createMeshPeers>;

/** Said with the commit that lets a desk into the mesh or takes it out. */
export const MESH_PEERS_CHANNEL = 'mesh-peers';

const REFRESH_MS = HOUR * 1000;

/** Makes the hub of this node, when it has one, know exactly the desks that are in the mesh. */
export function createMeshPeers({ db, log, mesh, notifications }: MeshPeerOptions) {
  const endings: (() => void)[] = [];

  async function apply(): Promise<void> {
    if (mesh.network) await mesh.applyPeers(await meshAddressStore(db).listPeers());
  }

  const refresh = (): Promise<void> =>
    apply().catch((error) => log.warn({ err: error }, 'The mesh could not be brought up to date'));

  return {
    apply,

    async start(): Promise<void> {
      await mesh.start(mesh.network ? await meshAddressStore(db).listPeers() : []);
      const timer = setInterval(() => void refresh(), REFRESH_MS).unref();
      endings.push(
        notifications.subscribe(MESH_PEERS_CHANNEL, refresh),
        notifications.onGap(() => void refresh()),
        () => clearInterval(timer),
      );
    },

    async stop(): Promise<void> {
      for (const end of endings.splice(0)) end();
      await mesh.stop();
    },
  };
}
