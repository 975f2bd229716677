import { HOUR } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Mesh } from '../../../platform/mesh/mesh.js';
import { meshAddressStore } from './fleet.store.js';

interface MeshPeerOptions {
  db: Db;
  log: Log;
  mesh: Mesh;
  notifications: Notifications;
}

export type MeshPeers = ReturnType<typeof createMeshPeers>;

/** Published with the commit that adds a desk to the mesh or removes it. */
export const MESH_PEERS_CHANNEL = 'mesh-peers';

const REFRESH_MS = HOUR * 1000;

/** Keeps the peers of this node's mesh hub equal to the desks in the database. */
export function createMeshPeers({ db, log, mesh, notifications }: MeshPeerOptions) {
  const endings: (() => void)[] = [];

  async function apply(): Promise<void> {
    if (mesh.network) await mesh.applyPeers(await meshAddressStore(db).listPeers());
  }

  const refresh = (): Promise<void> =>
    apply().catch((error) => log.warn({ err: error }, 'The mesh could not be updated'));

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
