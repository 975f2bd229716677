import type { DeskCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { unauthorized } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { violatedConstraint } from '../../../platform/database/schema/constraints.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Mesh } from '../../../platform/mesh/mesh.js';
import { type DeskRow, deskStore } from '../desks/desks.store.js';
import { meshAddressStore } from '../mesh/mesh-addresses.store.js';
import { MESH_PEERS_CHANNEL, type MeshPeers } from '../mesh/mesh-peers.js';
import { judgeDeskUrl } from '../sidecar/desk-address.js';
import type { NetworkRuleOf } from '../sidecar/desk-networks.js';
import {
  machineTaken,
  meshFull,
  meshKeyTaken,
  sidecarUrlRefused,
  tokenOfAnotherDesk,
} from '../workstations.errors.js';
import type { MeshView } from './reports.schemas.js';
import { deskReportStore } from './reports.store.js';

interface DeskReportOptions {
  db: Db;
  clock: Clock;
  mesh: Mesh;
  meshPeers: MeshPeers;
  notifications: Notifications;
  networkRule: NetworkRuleOf;
}

export type DeskReports = ReturnType<typeof createDeskReports>;

/** Said with the commit that registers a sidecar: it is checked soon. */
export const DESK_CHECK_CHANNEL = 'desk-check';

const RECEIVED = { received: true } as const;

/** What desks report: by their installer, and by their sidecar. */
export function createDeskReports(options: DeskReportOptions) {
  const { db, clock, mesh, meshPeers, notifications, networkRule } = options;

  /** The desk may have been released between the check of its token and now. */
  function changeDesk<T>(caller: DeskCaller, work: (tx: Tx, desk: DeskRow) => Promise<T>): Promise<T> {
    return inTransaction(db, async (tx) => {
      const desk = await deskStore(tx, caller.brandId).findForUpdate(caller.deskId);
      if (!desk) throw unauthorized('This desk was released', { 'www-authenticate': 'Bearer' });
      return work(tx, desk);
    });
  }

  /** undefined when another desk of the workspace stands for the installation; the database decides who was first. */
  async function acceptHello(
    caller: DeskCaller,
    hello: { hostname: string; installation_id: string },
  ): Promise<DeskRow | undefined> {
    const now = clock.now();
    try {
      return await changeDesk(caller, async (tx, desk) => {
        await deskReportStore(tx, desk.desk_id).writeHello({
          hostname: hello.hostname,
          installationId: hello.installation_id,
          now,
        });
        await deskStore(tx, caller.brandId).addEvent(desk.desk_id, { kind: 'hello', at: now });
        return desk;
      });
    } catch (error) {
      if (violatedConstraint(error) === 'desks_one_per_installation') return undefined;
      throw error;
    }
  }

  function refuseHello(caller: DeskCaller): Promise<void> {
    const now = clock.now();
    return changeDesk(caller, async (tx, desk) => {
      await deskReportStore(tx, desk.desk_id).writeRefusedHello(now);
      await deskStore(tx, caller.brandId).addEvent(desk.desk_id, {
        kind: 'hello_refused',
        at: now,
        reason: 'misrouted',
      });
    });
  }

  async function allocateAddress(tx: Tx): Promise<string> {
    const { network } = mesh;
    const address =
      network &&
      (await meshAddressStore(tx).findFreeAddress(network.firstDeskAddress, network.lastDeskAddress));
    if (!address) throw meshFull();
    return address;
  }

  /** Answers the desk's address, null without a mesh. */
  async function registerPeer(caller: DeskCaller, publicKey: string): Promise<string | null> {
    const now = clock.now();
    const { network } = mesh;
    try {
      return await changeDesk(caller, async (tx, desk) => {
        const address = network ? (desk.mesh_address ?? (await allocateAddress(tx))) : null;
        await deskReportStore(tx, desk.desk_id).writeMesh({
          publicKey: network ? canonicalKey(publicKey) : null,
          address,
          now,
        });
        await deskStore(tx, caller.brandId).addEvent(desk.desk_id, { kind: 'mesh_registered', at: now });
        if (network) await notifications.publish(tx, MESH_PEERS_CHANNEL, {});
        return address;
      });
    } catch (error) {
      if (violatedConstraint(error) === 'desks_mesh_key_unique') throw meshKeyTaken();
      throw error;
    }
  }

  return {
    async hello(caller: DeskCaller, hello: { env_id: string; hostname: string; installation_id: string }) {
      if (hello.env_id.toLowerCase() !== caller.deskId) throw tokenOfAnotherDesk();
      const accepted = await acceptHello(caller, hello);
      if (!accepted) {
        await refuseHello(caller);
        throw machineTaken();
      }
      return {
        env_id: caller.deskId,
        name: accepted.name,
        runtime: accepted.runtime,
        workspace_path: accepted.workspace_path,
        mesh: mesh.network !== undefined,
      };
    },

    async step(
      caller: DeskCaller,
      report: { step: string; exit_code?: number | null; message?: string | null },
    ) {
      const now = clock.now();
      const exitCode = report.exit_code ?? null;
      await changeDesk(caller, async (tx, desk) => {
        const desks = deskStore(tx, caller.brandId);
        await deskReportStore(tx, desk.desk_id).writeStep({
          step: report.step,
          exitCode,
          message: report.message ?? null,
          now,
        });
        const outcome = exitCode === null ? '' : ` (exit ${exitCode})`;
        await desks.addEvent(desk.desk_id, {
          kind: 'installer_step',
          at: now,
          reason: `${report.step}${outcome}`,
        });
      });
      return RECEIVED;
    },

    async joinMesh(caller: DeskCaller, publicKey: string): Promise<MeshView> {
      const address = await registerPeer(caller, publicKey);
      const hub = await mesh.hub();
      if (!hub)
        return { address: null, server_public_key: null, endpoint: null, allowed_ips: null, keepalive: null };
      await meshPeers.apply();
      const { publicKey: server, endpoint, allowedIps, keepalive } = hub;
      return { address, server_public_key: server, endpoint, allowed_ips: allowedIps, keepalive };
    },

    async registerSidecar(caller: DeskCaller, sidecarUrl: string) {
      const now = clock.now();
      await changeDesk(caller, async (tx, desk) => {
        const judgement = judgeDeskUrl(sidecarUrl, networkRule(desk));
        if ('fault' in judgement) throw sidecarUrlRefused(judgement.fault);
        await deskReportStore(tx, desk.desk_id).writeSidecar(sidecarUrl, now);
        if (desk.sidecar_url !== sidecarUrl) {
          await deskStore(tx, caller.brandId).addEvent(desk.desk_id, { kind: 'sidecar_registered', at: now });
        }
        await notifications.publish(tx, DESK_CHECK_CHANNEL, { deskId: desk.desk_id });
      });
      return RECEIVED;
    },

    async heartbeat(caller: DeskCaller) {
      await deskReportStore(db, caller.deskId).writeContact(clock.now());
      return RECEIVED;
    },
  };
}

/** `wg` refuses a key whose last character carries bits that mean nothing. */
const canonicalKey = (key: string): string => Buffer.from(key, 'base64').toString('base64');
