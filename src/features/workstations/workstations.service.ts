import { randomInt } from 'node:crypto';
import type { Db, Tx } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import { inTransaction } from '../../database/transaction.js';
import { DESK_TOKEN_PREFIX } from '../../http/authentication.js';
import type { SessionCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { PLAN_TERMS } from '../../kernel/plans.js';
import { newToken, sha256Hex } from '../../kernel/secrets.js';
import { type AuditActor, recordAudit } from '../../services/audit.js';
import type { ImageStore } from '../../services/images.js';
import type { Mesh } from '../../services/mesh.js';
import { type DeskNetworkRule, deskNetworks, judgeDeskUrl, parseDeskUrl } from './desk-address.js';
import { DeskImages } from './desk-images.js';
import { meshAddressStore } from './desk-reports.store.js';
import { installCommands, type ServiceAddress } from './installer.js';
import { ENVIRONMENT_STATUSES } from './onboarding.js';
import { SLOTS } from './poll-schedule.js';
import type { Runtime } from './sidecar-protocol.js';
import {
  deskNotFound,
  nothingToChange,
  sidecarUrlRefused,
  statusSetByPoller,
  statusUnknown,
  workstationLimit,
} from './workstations.errors.js';
import type {
  EnvironmentChange,
  EnvironmentView,
  OrderView,
  ReauthView,
  TimelineView,
} from './workstations.schemas.js';
import { type DeskRow, deskStore } from './workstations.store.js';
import { isDeskDormant, viewEnvironment, viewEvent, viewWorkstation } from './workstations.views.js';

export interface WorkstationOptions {
  db: Db;
  clock: Clock;
  /** Read when it is needed: a service on a port of the system's choice learns its address late. */
  address: ServiceAddress;
  deskNetworks: readonly string[];
  mesh: Mesh;
  images: ImageStore;
  notifications: Notifications;
}

export interface DeskOrder {
  name: string;
  runtime?: Runtime;
  region?: string | null;
  description?: string | null;
  /** The repository a hired builder works on. */
  repository?: { url: string; branch?: string } | null;
}

export interface OrderedDesk {
  workstationId: string;
  pat: string;
  installCommand: string;
  installCommandSudo: string;
}

export const DESK_CHECK_CHANNEL = 'desk-check';
export const MESH_PEERS_CHANNEL = 'mesh-peers';

export class WorkstationService {
  readonly images: DeskImages;
  readonly #networks;

  constructor(private readonly options: WorkstationOptions) {
    this.#networks = deskNetworks(options.deskNetworks);
    this.images = new DeskImages(options);
  }

  /** Where a desk may be dialled. */
  networkRule(desk: { mesh_address: string | null }): DeskNetworkRule {
    return this.options.mesh.network
      ? { mesh: true, address: desk.mesh_address }
      : { mesh: false, networks: this.#networks };
  }

  // --- for other features ---------------------------------------------------------------------

  /** Orders a desk as part of the caller's transaction; a full plan is refused with the 403 of the order route. */
  orderDesk(db: Db | Tx, brandId: number, order: DeskOrder, actor: AuditActor): Promise<OrderedDesk> {
    const now = this.options.clock.now();
    const deskId = newId();
    const pat = newToken(DESK_TOKEN_PREFIX);
    return inTransaction(db, async (tx) => {
      const desks = deskStore(tx, brandId);
      await this.#refuseOverCap(desks, now);
      const shortId = sha256Hex(deskId).slice(0, 8);
      await desks.insert({
        deskId,
        shortId,
        name: order.name.trim(),
        runtime: order.runtime ?? 'claude_code',
        region: order.region ?? null,
        description: order.description ?? null,
        workspacePath: `/srv/guildhall/${shortId}`,
        repository: order.repository ?? null,
        tokenHash: sha256Hex(pat),
        pollSlot: randomInt(SLOTS),
        now,
      });
      await desks.addEvent(deskId, { kind: 'ordered', at: now, to: 'provisioned' });
      await recordAudit(tx, {
        brandId,
        actor,
        action: 'workstation.ordered',
        subject: `workstation:${deskId}`,
        at: now,
      });
      const commands = installCommands(this.options.address, {
        pat,
        env_id: deskId,
        runtime: order.runtime ?? 'claude_code',
      });
      return {
        workstationId: deskId,
        pat,
        installCommand: commands.install_command,
        installCommandSudo: commands.install_command_sudo,
      };
    });
  }

  /** Releases a desk as part of the caller's transaction; false when the workspace has none with that id. */
  releaseDesk(db: Db | Tx, brandId: number, deskId: string, actor: AuditActor): Promise<boolean> {
    const at = this.options.clock.now();
    return inTransaction(db, async (tx) => {
      const released = await deskStore(tx, brandId).delete(deskId);
      if (!released) return false;
      await recordAudit(tx, {
        brandId,
        actor,
        action: 'workstation.released',
        subject: `workstation:${deskId}`,
        at,
      });
      // What lies outside the database goes after the commit, wherever the transaction was begun.
      await this.options.notifications.publish(tx, MESH_PEERS_CHANNEL, { imageKey: released.image_key });
      return true;
    });
  }

  countLiveDesks(brandId: number, db: Db | Tx = this.options.db): Promise<number> {
    return deskStore(db, brandId).countLive(this.options.clock.now());
  }

  countMachines(brandId: number, db: Db | Tx = this.options.db): Promise<number> {
    return deskStore(db, brandId).countAll();
  }

  // --- workstations ---------------------------------------------------------------------------

  async order(caller: SessionCaller, order: DeskOrder): Promise<OrderView> {
    const { workstationId, pat, installCommand, installCommandSudo } = await this.orderDesk(
      this.options.db,
      caller.brandId,
      order,
      caller,
    );
    const { poll_url, onboarding_url, onboarding_steps, ...desk } = viewWorkstation(
      await this.#get(caller.brandId, workstationId),
    );
    const secrets = { pat, install_command: installCommand, install_command_sudo: installCommandSudo };
    return { ...desk, ...secrets, poll_url, onboarding_url, onboarding_steps };
  }

  async getWorkstation(brandId: number, deskId: string) {
    return viewWorkstation(await this.#get(brandId, deskId));
  }

  async listWorkstations(brandId: number) {
    const now = this.options.clock.now();
    const desks = await deskStore(this.options.db, brandId).list();
    const isSilent = (desk: DeskRow) => isDeskDormant(desk, now);
    return {
      workstations: desks.filter((desk) => !isSilent(desk)).map(viewWorkstation),
      dormant: desks.filter(isSilent).map(viewWorkstation),
      total: desks.length,
    };
  }

  async release(caller: SessionCaller, deskId: string) {
    const desk = await this.#get(caller.brandId, deskId);
    if (!(await this.releaseDesk(this.options.db, caller.brandId, deskId, caller))) throw deskNotFound();
    await this.images.forget(desk.image_key);
    await this.applyMeshPeers();
    return { workstation_id: deskId, released: true as const };
  }

  async regenerateToken(caller: SessionCaller, deskId: string) {
    const now = this.options.clock.now();
    const pat = newToken(DESK_TOKEN_PREFIX);
    const desk = await inTransaction(this.options.db, async (tx) => {
      const desks = deskStore(tx, caller.brandId);
      const changed = await desks.replaceToken(deskId, sha256Hex(pat), now);
      if (!changed) throw deskNotFound();
      await desks.addEvent(deskId, { kind: 'token_regenerated', at: now });
      await this.#audit(tx, caller, 'workstation.token_regenerated', deskId, now);
      return changed;
    });
    const commands = installCommands(this.options.address, { pat, env_id: deskId, runtime: desk.runtime });
    return { workstation_id: deskId, pat, ...commands };
  }

  // --- environments ---------------------------------------------------------------------------

  async getEnvironment(brandId: number, deskId: string): Promise<EnvironmentView> {
    return viewEnvironment(await this.#get(brandId, deskId), this.options.clock.now());
  }

  async changeEnvironment(
    caller: SessionCaller,
    deskId: string,
    change: EnvironmentChange,
  ): Promise<EnvironmentView> {
    refuseBadChange(change);
    const now = this.options.clock.now();
    const desk = await inTransaction(this.options.db, async (tx) => {
      const desks = deskStore(tx, caller.brandId);
      const before = await desks.findForUpdate(deskId);
      if (!before) throw deskNotFound();
      const changed = await this.#apply(tx, before, change, now);
      if (changed.length > 0)
        await this.#audit(tx, caller, 'environment.changed', deskId, now, { fields: changed });
      return (await desks.find(deskId)) ?? before;
    });
    return viewEnvironment(desk, now);
  }

  /** Answers the names of the fields that really changed. */
  async #apply(tx: Tx, before: DeskRow, change: EnvironmentChange, now: Date): Promise<string[]> {
    const desks = deskStore(tx, before.brand_id);
    const changed: string[] = [];
    const name = change.name?.trim() ?? before.name;
    const description = change.description === undefined ? before.description : change.description;
    if (name !== before.name) changed.push('name');
    if (description !== before.description) changed.push('description');
    if (changed.length > 0) await desks.writeSettings(before.desk_id, { name, description }, now);

    if (change.sidecar_url !== undefined) {
      const judgement = judgeDeskUrl(change.sidecar_url, this.networkRule(before));
      if ('fault' in judgement) throw sidecarUrlRefused(judgement.fault);
      if (change.sidecar_url !== before.sidecar_url) {
        await desks.repoint(before.desk_id, change.sidecar_url, now);
        await desks.addEvent(before.desk_id, { kind: 'repointed', at: now });
        changed.push('sidecar_url');
      }
    }
    if (change.status === 'suspended' && before.status !== 'suspended') {
      await desks.suspend(before.desk_id, now);
      await desks.addEvent(before.desk_id, {
        kind: 'status',
        at: now,
        from: before.status,
        to: 'suspended',
        reason: 'suspended',
      });
      changed.push('status');
    }
    if (change.status === 'provisioned' && before.status === 'suspended') {
      await desks.resume(before.desk_id, now);
      await desks.addEvent(before.desk_id, {
        kind: 'status',
        at: now,
        from: 'suspended',
        to: 'provisioned',
        reason: 'resumed',
      });
      changed.push('status');
    }
    return changed;
  }

  async readReauthStatus(brandId: number): Promise<ReauthView> {
    const now = this.options.clock.now();
    const desks = await deskStore(this.options.db, brandId).list();
    const live = desks.filter((desk) => !isDeskDormant(desk, now));
    const expired = live.flatMap((desk) =>
      desk.credentials
        .filter(({ state }) => state === 'expired')
        .map(({ runtime, since }) => ({ workstation_id: desk.desk_id, name: desk.name, runtime, since })),
    );
    return { checked: live.length, dormant: desks.length - live.length, expired };
  }

  async readTimeline(
    brandId: number,
    deskId: string,
    limit: number,
    before: number | null,
  ): Promise<TimelineView> {
    await this.#get(brandId, deskId);
    const events = await deskStore(this.options.db, brandId).listEvents(deskId, limit, before);
    return { env_id: deskId, items: events.map(viewEvent) };
  }

  /** Makes the hub of this node, when it has one, know exactly the desks that are in the mesh. */
  async applyMeshPeers(): Promise<void> {
    if (!this.options.mesh.network) return;
    await this.options.mesh.applyPeers(await meshAddressStore(this.options.db).listPeers());
  }

  async #get(brandId: number, deskId: string): Promise<DeskRow> {
    const desk = await deskStore(this.options.db, brandId).find(deskId);
    if (!desk) throw deskNotFound();
    return desk;
  }

  async #refuseOverCap(desks: ReturnType<typeof deskStore>, now: Date): Promise<void> {
    const plan = await desks.lockPlan();
    if (!plan) throw deskNotFound();
    const limit = PLAN_TERMS[plan].workstations;
    const current = await desks.countLive(now);
    if (current >= limit) throw workstationLimit(current, limit);
  }

  #audit(
    tx: Tx,
    caller: SessionCaller,
    action: string,
    deskId: string,
    at: Date,
    details = {},
  ): Promise<void> {
    return recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action,
      subject: `workstation:${deskId}`,
      details,
      at,
    });
  }
}

/** Everything that is wrong whatever the desk is, before the desk is looked at. */
function refuseBadChange(change: EnvironmentChange): void {
  if (Object.keys(change).length === 0) throw nothingToChange();
  const { status, sidecar_url: sidecarUrl } = change;
  if (status === 'active' || status === 'unreachable') throw statusSetByPoller(status);
  if (status !== undefined && !ENVIRONMENT_STATUSES.some((known) => known === status)) throw statusUnknown();
  const judgement = sidecarUrl === undefined ? undefined : parseDeskUrl(sidecarUrl);
  if (judgement && 'fault' in judgement) throw sidecarUrlRefused(judgement.fault);
}
