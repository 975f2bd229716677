import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { violatedConstraint } from '../../../platform/database/schema/constraints.js';
import type { WebhookMessage, WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import {
  type FleetEvent,
  fleetStore,
  type LockedDesk,
  type PolledDesk,
  type StoredCheck,
} from '../desks/fleet.store.js';
import { type Finding, judgeFinding } from '../health/health-verdict.js';
import { machineUpdateStore } from '../updates/updates.store.js';

export interface NewFinding {
  desk: PolledDesk;
  finding: Finding;
  startedAt: Date;
  /** When this node last heard the desk, where that is newer than the record. */
  lastHeard: Date | null;
}

interface Waiting extends NewFinding {
  written(): void;
  failed(error: unknown): void;
}

const MOST_IN_A_BATCH = 200;

type Outbox = Pick<WebhookOutbox, 'tell'>;

export type FindingWriter = (finding: NewFinding) => Promise<void>;

/** Stores findings in batches, one at a time: when a whole fleet changes, it takes one connection and few commits. */
export function createFindingWriter(db: Db, outbox: Outbox): FindingWriter {
  const queue: Waiting[] = [];
  let writing = false;

  async function drain(): Promise<void> {
    if (writing) return;
    writing = true;
    while (queue.length > 0) {
      const batch = queue.splice(0, MOST_IN_A_BATCH);
      try {
        await storeFindings(db, outbox, batch);
        for (const { written } of batch) written();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    writing = false;
  }

  return (finding) =>
    new Promise((written, failed) => {
      queue.push({ ...finding, written, failed });
      void drain();
    });
}

async function storeFindings(db: Db, outbox: Outbox, batch: NewFinding[]): Promise<void> {
  try {
    await inTransaction(db, (tx) => writeBatch(tx, outbox, batch));
  } catch (error) {
    if (violatedConstraint(error) !== 'desks_one_per_installation') throw error;
    // Two desks reported one installation at the same moment: alone, only the second of them is left out,
    // and the next check finds it misrouted.
    if (batch.length === 1) return;
    for (const finding of batch) await storeFindings(db, outbox, [finding]);
  }
}

async function writeBatch(tx: Tx, outbox: Outbox, batch: NewFinding[]): Promise<void> {
  const fleet = fleetStore(tx);
  const desks = new Map(
    (await fleet.lock(batch.map(({ desk }) => desk.desk_id))).map((desk) => [desk.desk_id, desk]),
  );
  const checks = new Map<string, StoredCheck>();
  const events: FleetEvent[] = [];
  const arrived: LockedDesk[] = [];
  for (const finding of batch) {
    const current = desks.get(finding.desk.desk_id);
    if (!current || isOvertaken(current, finding)) continue;
    const outcome = judge(current, finding);
    if (!outcome) continue;
    checks.set(current.desk_id, outcome.check);
    events.push(...outcome.events);
    const next = { ...current, ...outcome.check };
    desks.set(current.desk_id, next);
    if (runsOther(current, next)) arrived.push(next);
  }
  await fleet.writeChecks([...checks.values()]);
  await fleet.addEvents(events);
  await outbox.tell(
    tx,
    events.flatMap((event) => messageOf(event, desks.get(event.desk_id)!)),
  );
  for (const { desk_id, sidecar_version, sidecar_code_digest, checked_at } of arrived) {
    await machineUpdateStore(tx).finishArrived(desk_id, sidecar_version, sidecar_code_digest, checked_at!);
  }
}

const TOLD = { active: 'desk.ready', unreachable: 'desk.unreachable' } as const;

/** A desk that can be used, or no longer, is told to whoever listens. */
function messageOf({ kind, to_status, at, reason }: FleetEvent, desk: LockedDesk): WebhookMessage[] {
  if (kind !== 'status' || (to_status !== 'active' && to_status !== 'unreachable')) return [];
  const data = { workstation_id: desk.desk_id, env_id: desk.desk_id, reason };
  return [{ brandId: desk.brand_id, type: TOLD[to_status], at, data }];
}

/** Also true for the first that is heard of a desk: an update may have been sent to it before. */
const runsOther = (before: LockedDesk, after: LockedDesk): boolean =>
  before.sidecar_version !== after.sidecar_version ||
  before.sidecar_code_digest !== after.sidecar_code_digest;

/** What the check was made with no longer holds, or a newer check has been stored. */
const isOvertaken = (current: LockedDesk, { desk, startedAt }: NewFinding): boolean =>
  current.check_epoch !== desk.check_epoch ||
  current.status === 'suspended' ||
  (current.checked_at !== null && current.checked_at > startedAt);

function judge(current: LockedDesk, { finding, startedAt, lastHeard }: NewFinding) {
  const { facts, transition, changed } = judgeFinding(current, finding, startedAt);
  if (!changed) return undefined;
  // The first miss is the moment to put down when the desk was last heard: from here on nobody else will.
  if (finding.kind !== 'answered') facts.last_contact_at = lastHeard ?? facts.last_contact_at;
  const base = { desk_id: current.desk_id, at: startedAt, from_status: null, to_status: null, probes: [] };
  const events: FleetEvent[] = [];
  if (transition) {
    const { from, to, reason, probes } = transition;
    events.push({ ...base, kind: 'status', from_status: from, to_status: to, reason, probes });
  }
  if (facts.misrouted && !current.misrouted) {
    events.push({ ...base, kind: 'misrouted', reason: finding.probe.detail, probes: [finding.probe] });
  }
  if (facts.last_upgrade_at !== current.last_upgrade_at) {
    events.push({ ...base, kind: 'sidecar_updated', reason: facts.sidecar_version });
  }
  return { check: { ...facts, desk_id: current.desk_id, checked_at: startedAt }, events };
}
