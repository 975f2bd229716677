import type { SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { ENVIRONMENT_STATUSES } from '../health/desk-status.js';
import type { NetworkRuleOf } from '../sidecar/desk-address.js';
import { judgeDeskUrl, parseDeskUrl } from '../sidecar/desk-address.js';
import {
  deskNotFound,
  nothingToChange,
  sidecarUrlRefused,
  statusSetByPoller,
  statusUnknown,
} from '../workstations.errors.js';
import type { EnvironmentChange, EnvironmentView, ReauthView, TimelineView } from './desks.schemas.js';
import { type DeskRow, deskStore } from './desks.store.js';
import { viewEnvironment, viewEvent } from './desks.views.js';

interface EnvironmentOptions {
  db: Db;
  clock: Clock;
  networkRule: NetworkRuleOf;
}

export function createEnvironmentService({ db, clock, networkRule }: EnvironmentOptions) {
  async function rename(tx: Tx, before: DeskRow, change: EnvironmentChange, now: Date): Promise<string[]> {
    const name = change.name?.trim() ?? before.name;
    const description = change.description === undefined ? before.description : change.description;
    const changed = [
      ...(name === before.name ? [] : ['name']),
      ...(description === before.description ? [] : ['description']),
    ];
    if (changed.length > 0)
      await deskStore(tx, before.brand_id).change(before.desk_id, { name, description, updated_at: now });
    return changed;
  }

  async function repoint(tx: Tx, before: DeskRow, sidecarUrl: string, now: Date): Promise<string[]> {
    const judgement = judgeDeskUrl(sidecarUrl, networkRule(before));
    if ('fault' in judgement) throw sidecarUrlRefused(judgement.fault);
    if (sidecarUrl === before.sidecar_url) return [];
    const desks = deskStore(tx, before.brand_id);
    await desks.repoint(before.desk_id, sidecarUrl, now);
    await desks.addEvent(before.desk_id, { kind: 'repointed', at: now });
    return ['sidecar_url'];
  }

  async function pauseOrResume(tx: Tx, before: DeskRow, status: string, now: Date): Promise<string[]> {
    const desks = deskStore(tx, before.brand_id);
    const pauses = status === 'suspended' && before.status !== 'suspended';
    const resumes = status === 'provisioned' && before.status === 'suspended';
    if (!pauses && !resumes) return [];
    if (pauses) await desks.suspend(before.desk_id, now);
    else await desks.resume(before.desk_id, now);
    await desks.addEvent(before.desk_id, {
      kind: 'status',
      at: now,
      from: before.status,
      to: pauses ? 'suspended' : 'provisioned',
      reason: pauses ? 'suspended' : 'resumed',
    });
    return ['status'];
  }

  return {
    async getEnvironment(brandId: number, deskId: string): Promise<EnvironmentView> {
      return viewEnvironment(await deskStore(db, brandId).get(deskId), clock.now());
    },

    async changeEnvironment(
      caller: SessionCaller,
      deskId: string,
      change: EnvironmentChange,
    ): Promise<EnvironmentView> {
      refuseBadChange(change);
      const now = clock.now();
      const { sidecar_url: sidecarUrl, status } = change;
      const desk = await inTransaction(db, async (tx) => {
        const desks = deskStore(tx, caller.brandId);
        const before = await desks.findForUpdate(deskId);
        if (!before) throw deskNotFound();
        const fields = [
          ...(await rename(tx, before, change, now)),
          ...(sidecarUrl === undefined ? [] : await repoint(tx, before, sidecarUrl, now)),
          ...(status === undefined ? [] : await pauseOrResume(tx, before, status, now)),
        ];
        if (fields.length > 0)
          await recordAudit(tx, {
            brandId: caller.brandId,
            actor: caller,
            action: 'environment.changed',
            subject: `workstation:${deskId}`,
            details: { fields },
            at: now,
          });
        return (await desks.find(deskId)) ?? before;
      });
      return viewEnvironment(desk, now);
    },

    async readReauthStatus(brandId: number): Promise<ReauthView> {
      const { checked, dormant, signed_out } = await deskStore(db, brandId).readLogins(clock.now());
      const expired = signed_out.flatMap((desk) =>
        desk.credentials
          .filter(({ state }) => state === 'expired')
          .map(({ runtime, since }) => ({ workstation_id: desk.desk_id, name: desk.name, runtime, since })),
      );
      return { checked, dormant, expired };
    },

    async readTimeline(
      brandId: number,
      deskId: string,
      limit: number,
      before: number | null,
    ): Promise<TimelineView> {
      const desks = deskStore(db, brandId);
      await desks.get(deskId);
      const events = await desks.listEvents(deskId, limit, before);
      return { env_id: deskId, items: events.map(viewEvent) };
    },
  };
}

/** An invalid body is refused before the desk is looked up. */
function refuseBadChange(change: EnvironmentChange): void {
  if (Object.keys(change).length === 0) throw nothingToChange();
  const { status, sidecar_url: sidecarUrl } = change;
  if (status === 'active' || status === 'unreachable') throw statusSetByPoller(status);
  if (status !== undefined && !ENVIRONMENT_STATUSES.some((known) => known === status)) throw statusUnknown();
  const judgement = sidecarUrl === undefined ? undefined : parseDeskUrl(sidecarUrl);
  if (judgement && 'fault' in judgement) throw sidecarUrlRefused(judgement.fault);
}
