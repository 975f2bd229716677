import { violatedConstraint } from '../../database/constraints.js';
import type { Db, Tx } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import { inTransaction } from '../../database/transaction.js';
import { DESK_TOKEN_PREFIX } from '../../http/authentication.js';
import type { DeskCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { unauthorized } from '../../kernel/errors.js';
import { isWellFormedToken, sha256Hex } from '../../kernel/secrets.js';
import type { Mesh } from '../../services/mesh.js';
import { judgeDeskUrl } from './desk-address.js';
import { deskReportStore, meshAddressStore } from './desk-reports.store.js';
import { findDeskByToken } from './fleet.store.js';
import {
  machineTaken,
  meshFull,
  meshKeyTaken,
  sidecarUrlRefused,
  tokenOfAnotherDesk,
} from './workstations.errors.js';
import type { MeshView } from './workstations.schemas.js';
import { DESK_CHECK_CHANNEL, MESH_PEERS_CHANNEL, type WorkstationService } from './workstations.service.js';
import { type DeskRow, deskStore } from './workstations.store.js';

interface DeskReportOptions {
  db: Db;
  clock: Clock;
  mesh: Mesh;
  notifications: Notifications;
  workstations: WorkstationService;
}

/** Recognises a desk by its token. Nothing is remembered, so a token that was replaced or released is dead at once. */
export function deskAuthenticator(db: Db): (token: string) => Promise<DeskCaller | undefined> {
  return async (token) => {
    if (!isWellFormedToken(DESK_TOKEN_PREFIX, token)) return undefined;
    const desk = await findDeskByToken(db, sha256Hex(token));
    return desk && { kind: 'desk', brandId: desk.brand_id, deskId: desk.desk_id };
  };
}

/** What desks report: by their installer, and by their sidecar. */
export class DeskReportService {
  constructor(private readonly options: DeskReportOptions) {}

  async hello(caller: DeskCaller, hello: { env_id: string; hostname: string; installation_id: string }) {
    if (hello.env_id.toLowerCase() !== caller.deskId) throw tokenOfAnotherDesk();
    const accepted = await this.#acceptHello(caller, hello);
    if (!accepted) {
      await this.#refuseHello(caller);
      throw machineTaken();
    }
    return {
      env_id: caller.deskId,
      name: accepted.name,
      runtime: accepted.runtime,
      workspace_path: accepted.workspace_path,
      mesh: this.options.mesh.network !== undefined,
    };
  }

  /** undefined when another desk of the workspace stands for the installation; the database decides who was first. */
  async #acceptHello(
    caller: DeskCaller,
    hello: { hostname: string; installation_id: string },
  ): Promise<DeskRow | undefined> {
    const now = this.options.clock.now();
    try {
      return await this.#change(caller, async (tx, desk) => {
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

  #refuseHello(caller: DeskCaller): Promise<void> {
    const now = this.options.clock.now();
    return this.#change(caller, async (tx, desk) => {
      await deskReportStore(tx, desk.desk_id).writeRefusedHello(now);
      await deskStore(tx, caller.brandId).addEvent(desk.desk_id, {
        kind: 'hello_refused',
        at: now,
        reason: 'misrouted',
      });
    });
  }

  async step(
    caller: DeskCaller,
    report: { step: string; exit_code?: number | null; message?: string | null },
  ) {
    const now = this.options.clock.now();
    const exitCode = report.exit_code ?? null;
    await this.#change(caller, async (tx, desk) => {
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
      await desks.pruneEvents(desk.desk_id);
    });
    return RECEIVED;
  }

  async joinMesh(caller: DeskCaller, publicKey: string): Promise<MeshView> {
    const now = this.options.clock.now();
    const { network } = this.options.mesh;
    const address = await this.#guardKey(() =>
      this.#change(caller, async (tx, desk) => {
        const free = network ? (desk.mesh_address ?? (await this.#allocate(tx))) : null;
        await deskReportStore(tx, desk.desk_id).writeMesh({
          publicKey: network ? canonicalKey(publicKey) : null,
          address: free,
          now,
        });
        await deskStore(tx, caller.brandId).addEvent(desk.desk_id, { kind: 'mesh_registered', at: now });
        if (network) await this.options.notifications.publish(tx, MESH_PEERS_CHANNEL, {});
        return free;
      }),
    );
    const hub = await this.options.mesh.hub();
    if (!hub)
      return { address: null, server_public_key: null, endpoint: null, allowed_ips: null, keepalive: null };
    await this.options.workstations.applyMeshPeers();
    const { publicKey: server, endpoint, allowedIps, keepalive } = hub;
    return { address, server_public_key: server, endpoint, allowed_ips: allowedIps, keepalive };
  }

  async #guardKey<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (violatedConstraint(error) === 'desks_mesh_key_unique') throw meshKeyTaken();
      throw error;
    }
  }

  async #allocate(tx: Tx): Promise<string> {
    const { network } = this.options.mesh;
    const address =
      network &&
      (await meshAddressStore(tx).findFreeAddress(network.firstDeskAddress, network.lastDeskAddress));
    if (!address) throw meshFull();
    return address;
  }

  async registerSidecar(caller: DeskCaller, sidecarUrl: string) {
    const now = this.options.clock.now();
    await this.#change(caller, async (tx, desk) => {
      const judgement = judgeDeskUrl(sidecarUrl, this.options.workstations.networkRule(desk));
      if ('fault' in judgement) throw sidecarUrlRefused(judgement.fault);
      await deskReportStore(tx, desk.desk_id).writeSidecar(sidecarUrl, now);
      if (desk.sidecar_url !== sidecarUrl) {
        await deskStore(tx, caller.brandId).addEvent(desk.desk_id, { kind: 'sidecar_registered', at: now });
      }
      await this.options.notifications.publish(tx, DESK_CHECK_CHANNEL, { deskId: desk.desk_id });
    });
    return RECEIVED;
  }

  async heartbeat(caller: DeskCaller) {
    await deskReportStore(this.options.db, caller.deskId).writeContact(this.options.clock.now());
    return RECEIVED;
  }

  /** The desk may have been released between the check of its token and now. */
  #change<T>(caller: DeskCaller, work: (tx: Tx, desk: DeskRow) => Promise<T>): Promise<T> {
    return inTransaction(this.options.db, async (tx) => {
      const desk = await deskStore(tx, caller.brandId).findForUpdate(caller.deskId);
      if (!desk) throw unauthorized('This desk was released', { 'www-authenticate': 'Bearer' });
      return work(tx, desk);
    });
  }
}

/** `wg` refuses a key whose last character carries bits that mean nothing. */
const canonicalKey = (key: string): string => Buffer.from(key, 'base64').toString('base64');

const RECEIVED = { received: true } as const;
