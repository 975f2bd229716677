import { randomInt } from 'node:crypto';
import type { SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { DeskLogin, Runtime } from '../../../kernel/plans.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import { newToken, sha256Hex } from '../../../kernel/secrets.js';
import { type AuditActor, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import { DESK_TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { CallerChecks } from '../../identity/index.js';
import { dormantFrom } from '../health/desk-status.js';
import { installCommands, type ServiceAddress } from '../installer/installer.js';
import { prove } from '../sidecar/sidecar-protocol.js';
import { deskNotFound, workstationLimit } from '../workstations.errors.js';
import type { DeskKeys } from './desk-keys.js';
import type { OrderView } from './desks.schemas.js';
import {
  type BuilderDeskRow,
  builderDeskStore,
  type DeskRow,
  deskStore,
  listExistingDesks,
  type NewDeskEvent,
} from './desks.store.js';
import { isDeskDormant, viewEnvironment, viewWorkstation } from './desks.views.js';
import { type DeskImages, IMAGE_LEFT_CHANNEL } from './images.service.js';
import { MESH_PEERS_CHANNEL, type MeshPeers } from './mesh-peers.js';
import { SLOTS } from './poll-schedule.js';

interface DeskServiceOptions {
  db: Db;
  clock: Clock;
  /** Read on use, because a service on a free port learns its address after the start. */
  address: ServiceAddress;
  notifications: Notifications;
  images: DeskImages;
  meshPeers: MeshPeers;
  keys: DeskKeys;
  requireStillSignedIn: CallerChecks['requireStillSignedIn'];
}

interface DeskOrder {
  name: string;
  runtime?: Runtime;
  region?: string | null;
  description?: string | null;
  /** The repository that a hired builder works on. */
  repository?: { url: string; branch?: string } | null;
  /** Restricts builds to this project. */
  onlyProjectId?: string;
}

interface OrderedDesk {
  deskId: string;
  pat: string;
  install_command: string;
  install_command_sudo: string;
}

export function createDeskService(options: DeskServiceOptions) {
  const { db, clock, address, notifications, images, meshPeers, keys, requireStillSignedIn } = options;

  /** Part of the caller's transaction. A full plan is refused with 403. */
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
      await requirePlanLimit(desks, now);
      const shortId = sha256Hex(deskId).slice(0, 8);
      await desks.insert({
        desk_id: deskId,
        short_id: shortId,
        name: order.name.trim(),
        runtime,
        region: order.region ?? null,
        description: order.description ?? null,
        workspace_path: `/srv/guildhall/${shortId}`,
        repository: order.repository ? JSON.stringify(order.repository) : null,
        only_project_id: order.onlyProjectId ?? null,
        ...keys.keep(deskId, pat),
        poll_slot: randomInt(SLOTS),
        ordered_by: actor.userId ?? null,
        created_at: now,
        updated_at: now,
      });
      await desks.addEvent(deskId, { kind: 'ordered', at: now, to: 'provisioned' });
      await recordAudit(tx, {
        brandId,
        actor,
        action: 'workstation.ordered',
        subject: `workstation:${deskId}`,
        at: now,
      });
      return { deskId, pat, ...installCommands(address, { pat, env_id: deskId, runtime }) };
    });
  }

  /** Part of the caller's transaction. Returns false when the workspace has no such desk. */
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
      // Published with the commit, also when the caller owns the transaction, so that mesh peers and images
      // are cleaned up after it.
      await notifications.publish(tx, MESH_PEERS_CHANNEL, {});
      if (released.image_key !== null)
        await notifications.publish(tx, IMAGE_LEFT_CHANNEL, { imageKey: released.image_key });
      return true;
    });
  }

  return {
    orderDesk,
    releaseDesk,

    /** Spans all workspaces. */
    listExisting: (deskIds: string[]): Promise<string[]> => listExistingDesks(db, deskIds),

    async orderWorkstation(caller: SessionCaller, order: DeskOrder): Promise<OrderView> {
      const { deskId, ...secrets } = await inTransaction(db, async (tx) => {
        await requireStillSignedIn(tx, caller);
        return orderDesk(tx, caller.brandId, order, caller);
      });
      const { poll_url, onboarding_url, onboarding_steps, ...desk } = viewWorkstation(
        await deskStore(db, caller.brandId).get(deskId),
      );
      return { ...desk, ...secrets, poll_url, onboarding_url, onboarding_steps };
    },

    async getWorkstation(brandId: number, deskId: string) {
      return viewWorkstation(await deskStore(db, brandId).get(deskId));
    },

    /** `until` is when the next desk becomes dormant, which changes the list without an event. */
    async listWorkstations(brandId: number) {
      const now = clock.now();
      const desks = await deskStore(db, brandId).list();
      return { list: splitByDormancy(desks, now, viewWorkstation), until: nextDormancy(desks, now) };
    },

    async listEnvironments(brandId: number) {
      const now = clock.now();
      return splitByDormancy(await deskStore(db, brandId).list(), now, (desk) => ({
        ...viewWorkstation(desk),
        environment: viewEnvironment(desk, now),
      }));
    },

    async releaseWorkstation(caller: SessionCaller, deskId: string) {
      const desk = await deskStore(db, caller.brandId).get(deskId);
      if (!(await releaseDesk(db, caller.brandId, deskId, caller))) throw deskNotFound();
      await images.forget(desk.image_key);
      await meshPeers.apply();
      return { workstation_id: deskId, released: true as const };
    },

    /** For the erasure of a workspace. Pictures go first, because nothing references them afterwards. */
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

function splitByDormancy<V>(desks: DeskRow[], now: Date, view: (desk: DeskRow) => V) {
  const isDormant = (desk: DeskRow) => isDeskDormant(desk, now);
  return {
    workstations: desks.filter((desk) => !isDormant(desk)).map(view),
    dormant: desks.filter(isDormant).map(view),
    total: desks.length,
  };
}

function nextDormancy(desks: DeskRow[], now: Date): Date | undefined {
  const heard = desks
    .filter((desk) => desk.status !== 'suspended' && !isDeskDormant(desk, now))
    .map(({ last_contact_at, created_at }) => (last_contact_at ?? created_at).getTime());
  return heard.length > 0 ? dormantFrom(new Date(heard.reduce((a, b) => Math.min(a, b)))) : undefined;
}

async function requirePlanLimit(desks: ReturnType<typeof deskStore>, now: Date): Promise<void> {
  const plan = await desks.lockPlan();
  if (!plan) throw deskNotFound();
  const limit = PLAN_TERMS[plan].workstations;
  const current = await desks.countLive(now);
  if (current >= limit) throw workstationLimit(current, limit);
}

export interface BuilderDesk {
  deskId: string;
  name: string;
  runtime: Runtime;
  /** The only project that the desk builds for, or null for all. */
  onlyProjectId: string | null;
  suspended: boolean;
  /** Active and not dormant. */
  ready: boolean;
  /** As last reported by a health check. */
  logins: readonly DeskLogin[];
  /** Proves to the desk that the message comes from this service. */
  prove(message: string): string;
  /** Changes with the desk's token. Builds started under another token are stopped. */
  tokenMark: string;
}

export function createBuilderDesks({ db, clock, keys }: { db: Db; clock: Clock; keys: DeskKeys }) {
  const describe = (desk: BuilderDeskRow): BuilderDesk => ({
    deskId: desk.desk_id,
    name: desk.name,
    runtime: desk.runtime,
    onlyProjectId: desk.only_project_id,
    suspended: desk.status === 'suspended',
    ready: desk.status === 'active' && !desk.dormant,
    logins: desk.credentials,
    prove: (message) => prove(keys.proofKey(desk), message),
    tokenMark: keys.markOf(desk),
  });

  return {
    async findBuilder(brandId: number, deskId: string): Promise<BuilderDesk | undefined> {
      const desk = await builderDeskStore(db, brandId).find(deskId, clock.now());
      return desk && describe(desk);
    },

    noteEvent: (tx: Tx, { brandId, deskId }: { brandId: number; deskId: string }, event: NewDeskEvent) =>
      deskStore(tx, brandId).addEvent(deskId, event),

    async listBuilders(brandId: number): Promise<BuilderDesk[]> {
      return (await builderDeskStore(db, brandId).list(clock.now())).map(describe);
    },
  };
}
