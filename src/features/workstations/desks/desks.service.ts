import { randomInt } from 'node:crypto';
import type { SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import type { Runtime } from '../../../kernel/runtimes.js';
import { newToken, sha256Hex } from '../../../kernel/secrets.js';
import { type AuditActor, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import { DESK_TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { StillAllowed } from '../../identity/index.js';
import { dormantFrom } from '../health/desk-status.js';
import { installCommands, type ServiceAddress } from '../installer/installer.js';
import { MESH_PEERS_CHANNEL, type MeshPeers } from '../mesh/mesh-peers.js';
import { deskNotFound, workstationLimit } from '../workstations.errors.js';
import type { DeskKeys } from './desk-keys.js';
import type { OrderView } from './desks.schemas.js';
import { type DeskRow, deskStore, type ListedDesk, listExistingDesks } from './desks.store.js';
import { isDeskDormant, viewEnvironment, viewWorkstation } from './desks.views.js';
import { type DeskImages, IMAGE_LEFT_CHANNEL } from './images.service.js';
import { SLOTS } from './poll-schedule.js';

export interface DeskServiceOptions {
  db: Db;
  clock: Clock;
  /** Read when it is needed: a service on a port of the system's choice learns its address late. */
  address: ServiceAddress;
  notifications: Notifications;
  images: DeskImages;
  meshPeers: MeshPeers;
  keys: DeskKeys;
  requireStillSignedIn: StillAllowed['requireStillSignedIn'];
}

export interface DeskOrder {
  name: string;
  runtime?: Runtime;
  region?: string | null;
  description?: string | null;
  /** The repository a hired builder works on. */
  repository?: { url: string; branch?: string } | null;
  /** The one project that it builds for; left out, it builds for all. */
  onlyProjectId?: string;
}

export interface OrderedDesk {
  workstationId: string;
  pat: string;
  installCommand: string;
  installCommandSudo: string;
}

/** Ordering, listing and releasing desks. */
export function createDeskService(options: DeskServiceOptions) {
  const { db, clock, address, notifications, images, meshPeers, keys, requireStillSignedIn } = options;

  async function getDesk(brandId: number, deskId: string): Promise<DeskRow> {
    const desk = await deskStore(db, brandId).find(deskId);
    if (!desk) throw deskNotFound();
    return desk;
  }

  /** Orders a desk as part of the caller's transaction; a full plan is refused with the 403 of the order route. */
  function orderDesk(
    outer: Db | Tx,
    brandId: number,
    order: DeskOrder,
    actor: AuditActor,
  ): Promise<OrderedDesk> {
    const now = clock.now();
    const deskId = newId();
    const pat = newToken(DESK_TOKEN_PREFIX);
    const runtime = order.runtime ?? 'claude_code';
    return inTransaction(outer, async (tx) => {
      const desks = deskStore(tx, brandId);
      await refuseOverCap(desks, now);
      const shortId = sha256Hex(deskId).slice(0, 8);
      await desks.insert({
        deskId,
        shortId,
        name: order.name.trim(),
        runtime,
        region: order.region ?? null,
        description: order.description ?? null,
        workspacePath: `/srv/guildhall/${shortId}`,
        repository: order.repository ?? null,
        onlyProjectId: order.onlyProjectId ?? null,
        ...keys.keep(deskId, pat),
        pollSlot: randomInt(SLOTS),
        orderedBy: actor.userId ?? null,
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
      const commands = installCommands(address, { pat, env_id: deskId, runtime });
      return {
        workstationId: deskId,
        pat,
        installCommand: commands.install_command,
        installCommandSudo: commands.install_command_sudo,
      };
    });
  }

  /** Releases a desk as part of the caller's transaction; false when the workspace has none with that id. */
  function releaseDesk(outer: Db | Tx, brandId: number, deskId: string, actor: AuditActor): Promise<boolean> {
    const at = clock.now();
    return inTransaction(outer, async (tx) => {
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
      await notifications.publish(tx, MESH_PEERS_CHANNEL, {});
      if (released.image_key !== null)
        await notifications.publish(tx, IMAGE_LEFT_CHANNEL, { imageKey: released.image_key });
      return true;
    });
  }

  return {
    orderDesk,
    releaseDesk,

    /** Those of the ids that are still a desk's, whoever's it is. */
    listExisting: (deskIds: string[]): Promise<string[]> => listExistingDesks(db, deskIds),

    async orderWorkstation(caller: SessionCaller, order: DeskOrder): Promise<OrderView> {
      const ordered = await inTransaction(db, async (tx) => {
        await requireStillSignedIn(tx, caller);
        return orderDesk(tx, caller.brandId, order, caller);
      });
      const { workstationId, pat, installCommand, installCommandSudo } = ordered;
      const { poll_url, onboarding_url, onboarding_steps, ...desk } = viewWorkstation(
        await getDesk(caller.brandId, workstationId),
      );
      const secrets = { pat, install_command: installCommand, install_command_sudo: installCommandSudo };
      return { ...desk, ...secrets, poll_url, onboarding_url, onboarding_steps };
    },

    async getWorkstation(brandId: number, deskId: string) {
      const desk = await deskStore(db, brandId).findListed(deskId);
      if (!desk) throw deskNotFound();
      return viewWorkstation(desk);
    },

    /** With it, until when it is so if no desk changes: then the next one counts as silent. */
    async listWorkstations(brandId: number) {
      const now = clock.now();
      const desks = await deskStore(db, brandId).listListed();
      return { list: listBySilence(desks, now, viewWorkstation), until: nextSilence(desks, now) };
    },

    async listEnvironments(brandId: number) {
      const now = clock.now();
      return listBySilence(await deskStore(db, brandId).list(), now, (desk) => ({
        ...viewWorkstation(desk),
        environment: viewEnvironment(desk, now),
      }));
    },

    async releaseWorkstation(caller: SessionCaller, deskId: string) {
      const desk = await getDesk(caller.brandId, deskId);
      if (!(await releaseDesk(db, caller.brandId, deskId, caller))) throw deskNotFound();
      await images.forget(desk.image_key);
      await meshPeers.apply();
      return { workstation_id: deskId, released: true as const };
    },

    /** Every desk of a workspace that is about to go; first its picture, which nothing would lead to afterwards. */
    async releaseAll(brandId: number, actor: AuditActor, signal?: AbortSignal): Promise<void> {
      const desks = await deskStore(db, brandId).list();
      for (const { desk_id, image_key } of desks) {
        signal?.throwIfAborted();
        await images.erase(image_key);
        await releaseDesk(db, brandId, desk_id, actor);
      }
      if (desks.length > 0) await meshPeers.apply();
    },

    async regenerateToken(caller: SessionCaller, deskId: string) {
      const now = clock.now();
      const pat = newToken(DESK_TOKEN_PREFIX);
      const desk = await inTransaction(db, async (tx) => {
        await requireStillSignedIn(tx, caller);
        const desks = deskStore(tx, caller.brandId);
        const changed = await desks.replaceToken(deskId, keys.keep(deskId, pat), now);
        if (!changed) throw deskNotFound();
        await desks.addEvent(deskId, { kind: 'token_regenerated', at: now });
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'workstation.token_regenerated',
          subject: `workstation:${deskId}`,
          at: now,
        });
        return changed;
      });
      const commands = installCommands(address, { pat, env_id: deskId, runtime: desk.runtime });
      return { workstation_id: deskId, pat, ...commands };
    },
  };
}

function listBySilence<D extends ListedDesk, V>(desks: D[], now: Date, view: (desk: D) => V) {
  const isSilent = (desk: D) => isDeskDormant(desk, now);
  return {
    workstations: desks.filter((desk) => !isSilent(desk)).map(view),
    dormant: desks.filter(isSilent).map(view),
    total: desks.length,
  };
}

function nextSilence(desks: ListedDesk[], now: Date): Date | undefined {
  const heard = desks
    .filter((desk) => desk.status !== 'suspended' && !isDeskDormant(desk, now))
    .map(({ last_contact_at, created_at }) => (last_contact_at ?? created_at).getTime());
  return heard.length > 0 ? dormantFrom(new Date(heard.reduce((a, b) => Math.min(a, b)))) : undefined;
}

async function refuseOverCap(desks: ReturnType<typeof deskStore>, now: Date): Promise<void> {
  const plan = await desks.lockPlan();
  if (!plan) throw deskNotFound();
  const limit = PLAN_TERMS[plan].workstations;
  const current = await desks.countLive(now);
  if (current >= limit) throw workstationLimit(current, limit);
}
