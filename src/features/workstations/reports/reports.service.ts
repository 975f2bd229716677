import type { DeskCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { unauthorized } from '../../../kernel/errors.js';
import { violatedConstraint } from '../../../platform/database/connection/database-errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Mesh } from '../../../platform/mesh/mesh.js';
import { type DeskRow, deskReportStore, deskStore, type NewDeskEvent } from '../desks/desks.store.js';
import { meshAddressStore } from '../desks/fleet.store.js';
import { MESH_PEERS_CHANNEL, type MeshPeers } from '../desks/mesh-peers.js';
import type { NetworkRuleOf } from '../sidecar/desk-address.js';
import { judgeDeskUrl } from '../sidecar/desk-address.js';
import {
  machineTaken,
  meshFull,
  meshKeyTaken,
  sidecarUrlRefused,
  tokenOfAnotherDesk,
} from '../workstations.errors.js';

interface DeskReportOptions {
  db: Db;
  clock: Clock;
  mesh: Mesh;
  meshPeers: MeshPeers;
  notifications: Notifications;
  networkRule: NetworkRuleOf;
}

export type DeskReports = ReturnType<typeof createDeskReports>;

/** Published with the commit that registers a sidecar, so that it is checked soon. */
export const DESK_CHECK_CHANNEL = 'desk-check';

interface Hello {
  env_id: string;
  hostname: string;
  installation_id: string;
}

interface Report {
  tx: Tx;
  desk: DeskRow;
  store: ReturnType<typeof deskReportStore>;
  now: Date;
}

const RECEIVED = { received: true } as const;

export function createDeskReports(options: DeskReportOptions) {
  const { db, clock, mesh, meshPeers, notifications, networkRule } = options;

  /** Writes a report and its event. The desk may have been released since its token was checked. */
  function record<T>(
    caller: DeskCaller,
    write: (report: Report) => Promise<T>,
    toEvent: (desk: DeskRow) => Omit<NewDeskEvent, 'at'> | undefined,
  ): Promise<T> {
    const now = clock.now();
    return inTransaction(db, async (tx) => {
      const desks = deskStore(tx, caller.brandId);
      const desk = await desks.findForUpdate(caller.deskId);
      if (!desk) throw unauthorized('This desk was released', { 'www-authenticate': 'Bearer' });
      const result = await write({ tx, desk, store: deskReportStore(tx, desk.desk_id), now });
      const event = toEvent(desk);
      if (event) await desks.addEvent(desk.desk_id, { ...event, at: now });
      return result;
    });
  }

  const restarted = (now: Date) => ({
    installer_step: 'hello',
    installer_exit_code: null,
    installer_message: null,
    last_contact_at: now,
    updated_at: now,
  });

  /**
   * Undefined when the installation belongs to another desk of the workspace. A unique index decides which
   * desk was first.
   */
  async function acceptHello(caller: DeskCaller, { hostname, installation_id }: Hello) {
    try {
      return await record(
        caller,
        async ({ desk, store, now }) => {
          const hello = { hello_at: now, hostname, installation_id, misrouted: false };
          await store.write({ ...hello, ...restarted(now) });
          return desk;
        },
        () => ({ kind: 'hello' }),
      );
    } catch (error) {
      if (violatedConstraint(error) === 'desks_one_per_installation') return undefined;
      throw error;
    }
  }

  const refuseHello = (caller: DeskCaller): Promise<void> =>
    record(
      caller,
      ({ store, now }) => store.write({ misrouted: true, ...restarted(now) }),
      () => ({ kind: 'hello_refused', reason: 'misrouted' }),
    );

  async function allocateAddress(tx: Tx): Promise<string> {
    const { network } = mesh;
    const address =
      network &&
      (await meshAddressStore(tx).findFreeAddress(network.firstDeskAddress, network.lastDeskAddress));
    if (!address) throw meshFull();
    return address;
  }

  /** Returns the desk's address, or null without a mesh. */
  async function registerPeer(caller: DeskCaller, publicKey: string): Promise<string | null> {
    const { network } = mesh;
    try {
      return await record(
        caller,
        async ({ tx, desk, store, now }) => {
          const address = network ? (desk.mesh_address ?? (await allocateAddress(tx))) : null;
          await store.write({
            mesh_public_key: network ? canonicalKey(publicKey) : null,
            mesh_address: address,
            mesh_registered_at: now,
            last_contact_at: now,
            updated_at: now,
          });
          if (network) await notifications.publish(tx, MESH_PEERS_CHANNEL, {});
          return address;
        },
        () => ({ kind: 'mesh_registered' }),
      );
    } catch (error) {
      if (violatedConstraint(error) === 'desks_mesh_key_unique') throw meshKeyTaken();
      throw error;
    }
  }

  return {
    async hello(caller: DeskCaller, hello: Hello) {
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
      {
        step,
        exit_code: exitCode = null,
        message = null,
      }: { step: string; exit_code?: number | null; message?: string | null },
    ) {
      const outcome = exitCode === null ? '' : ` (exit ${exitCode})`;
      await record(
        caller,
        ({ store, now }) => store.writeStep({ step, exitCode, message, now }),
        () => ({ kind: 'installer_step', reason: `${step}${outcome}` }),
      );
      return RECEIVED;
    },

    async joinMesh(caller: DeskCaller, publicKey: string) {
      const address = await registerPeer(caller, publicKey);
      const hub = await mesh.hub();
      if (!hub)
        return { address: null, server_public_key: null, endpoint: null, allowed_ips: null, keepalive: null };
      await meshPeers.apply();
      const { publicKey: server, endpoint, allowedIps, keepalive } = hub;
      return { address, server_public_key: server, endpoint, allowed_ips: allowedIps, keepalive };
    },

    async registerSidecar(caller: DeskCaller, sidecarUrl: string) {
      await record(
        caller,
        async ({ tx, desk, store, now }) => {
          const judgement = judgeDeskUrl(sidecarUrl, networkRule(desk));
          if ('fault' in judgement) throw sidecarUrlRefused(judgement.fault);
          await store.writeSidecar(sidecarUrl, now);
          await notifications.publish(tx, DESK_CHECK_CHANNEL, { deskId: desk.desk_id });
        },
        (desk) => (desk.sidecar_url === sidecarUrl ? undefined : { kind: 'sidecar_registered' }),
      );
      return RECEIVED;
    },

    async heartbeat(caller: DeskCaller) {
      await deskReportStore(db, caller.deskId).write({ last_contact_at: clock.now() });
      return RECEIVED;
    },
  };
}

/** `wg` refuses a key whose last character has unused bits set. */
const canonicalKey = (key: string): string => Buffer.from(key, 'base64').toString('base64');
