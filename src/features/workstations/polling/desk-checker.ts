import type { Clock } from '../../../kernel/clock.js';
import { isUuid } from '../../../kernel/ids.js';
import { violatedConstraint } from '../../../platform/database/connection/database-errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { WebhookMessage, WebhookOutbox } from '../../../platform/outbox/outbox.js';
import { SecretNotOpened } from '../../../platform/secrets/secret-box.js';
import type { DeskKeys } from '../desks/desk-keys.js';
import { deskStore, insertEvents, type NewDeskEvent } from '../desks/desks.store.js';
import { fleetStore, type LockedDesk, type PolledDesk, type StoredCheck } from '../desks/fleet.store.js';
import { type Finding, judgeFinding, type Probe } from '../health/desk-status.js';
import type { NetworkRuleOf } from '../sidecar/desk-address.js';
import type { HealthAnswer, SidecarClient } from '../sidecar/sidecar-client.js';
import { machineUpdateStore } from '../updates/updates.store.js';

type Outbox = Pick<WebhookOutbox, 'record'>;

interface DeskCheckerOptions {
  db: Db;
  clock: Clock;
  client: SidecarClient;
  networkRule: NetworkRuleOf;
  outbox: Outbox;
  keys: Pick<DeskKeys, 'proofKey'>;
}

/** `overtaken`: a later check of the desk was answered first, so this answer is outdated. */
export type CheckOutcome = Probe['outcome'] | 'overtaken';

interface CheckResult {
  outcome: CheckOutcome;
  /** Set when the desk answered and only the time of contact is new. */
  contactAt: Date | null;
}

export type DeskChecker = ReturnType<typeof createDeskChecker>;

/** Only overlapping checks matter, so old entries are dropped. */
const MOST_REMEMBERED = 20_000;

export function createDeskChecker({ db, clock, client, networkRule, outbox, keys }: DeskCheckerOptions) {
  const writeFinding = createFindingWriter(db, outbox);
  const latest = new Map<string, number>();
  let lastSequence = 0;

  function isOvertaken(deskId: string, sequence: number): boolean {
    if ((latest.get(deskId) ?? 0) > sequence) return true;
    latest.delete(deskId);
    latest.set(deskId, sequence);
    if (latest.size > MOST_REMEMBERED) latest.delete(latest.keys().next().value!);
    return false;
  }

  async function readHealth(desk: PolledDesk): Promise<HealthAnswer> {
    try {
      return await client.readHealth(desk.sidecar_url, networkRule(desk), keys.proofKey(desk));
    } catch (error) {
      if (!(error instanceof SecretNotOpened)) throw error;
      return { fault: 'The key of this desk cannot be opened with SECRETS_KEY' };
    }
  }

  /** Identifies the answering desk, and reads the database only if the answer differs from the record. */
  async function identify(
    desk: PolledDesk,
    answer: HealthAnswer,
    probe: { at: string; duration_ms: number },
  ): Promise<Finding> {
    const found = (kind: 'missed' | 'misrouted', detail: string): Finding => ({
      kind,
      probe: { ...probe, outcome: kind, detail },
    });
    if ('fault' in answer) return found('missed', answer.fault);
    const { health, proved } = answer;
    if (health.envId !== desk.desk_id) {
      const isOtherDesk = isUuid(health.envId) && (await fleetStore(db).isDesk(health.envId));
      return isOtherDesk
        ? found('misrouted', 'Another desk answered')
        : found('missed', 'An unknown desk answered');
    }
    if (!proved) return found('missed', 'The answer does not prove knowledge of the token');
    if (health.installationId !== null && health.installationId !== desk.installation_id) {
      const taken = await deskStore(db, desk.brand_id).isInstallationTaken(
        desk.desk_id,
        health.installationId,
      );
      if (taken) return found('misrouted', 'The installation already hosts another desk');
    }
    return { kind: 'answered', health, probe: { ...probe, outcome: 'answered', detail: 'Answered' } };
  }

  return {
    /** `forgiving`: a miss does not count, because the mesh hub has just started. */
    async check(desk: PolledDesk, lastHeard: Date | null, forgiving = false): Promise<CheckResult> {
      lastSequence += 1;
      const sequence = lastSequence;
      const startedAt = clock.now();
      const began = performance.now();
      const answer = await readHealth(desk);
      if (isOvertaken(desk.desk_id, sequence)) return { outcome: 'overtaken', contactAt: null };

      const probe = { at: startedAt.toISOString(), duration_ms: Math.round(performance.now() - began) };
      const finding = await identify(desk, answer, probe);
      const { outcome } = finding.probe;
      if (finding.kind !== 'answered' && forgiving) return { outcome, contactAt: null };
      if (!judgeFinding(desk, finding, startedAt).changed) {
        return { outcome, contactAt: finding.kind === 'answered' ? startedAt : null };
      }
      await writeFinding({ desk, finding, startedAt, lastHeard });
      return { outcome, contactAt: null };
    },
  };
}

interface NewFinding {
  desk: PolledDesk;
  finding: Finding;
  startedAt: Date;
  /** When this node last heard from the desk, if that is newer than the record. */
  lastHeard: Date | null;
}

type FoundEvent = NewDeskEvent & { desk_id: string };

interface Waiting extends NewFinding {
  written(): void;
  failed(error: unknown): void;
}

const MOST_IN_A_BATCH = 200;

/** Stores findings in batches, one at a time, so that a change of all desks takes few commits. */
function createFindingWriter(db: Db, outbox: Outbox) {
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

  return (finding: NewFinding): Promise<void> =>
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
    // Two desks reported the same installation at once. Stored one by one, only the second is left out, and
    // its next check is misrouted.
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
  const events: FoundEvent[] = [];
  const updated: LockedDesk[] = [];
  for (const finding of batch) {
    const current = desks.get(finding.desk.desk_id);
    if (!current || isOutdated(current, finding)) continue;
    const outcome = judge(current, finding);
    if (!outcome) continue;
    checks.set(current.desk_id, outcome.check);
    events.push(...outcome.events);
    const next = { ...current, ...outcome.check };
    desks.set(current.desk_id, next);
    if (changedVersion(current, next)) updated.push(next);
  }
  await fleet.writeChecks([...checks.values()]);
  await insertEvents(tx, events);
  await outbox.record(
    tx,
    events.flatMap((event) => messageOf(event, desks.get(event.desk_id)!)),
  );
  for (const { desk_id, sidecar_version, sidecar_code_digest, checked_at } of updated) {
    await machineUpdateStore(tx).finishArrived(desk_id, sidecar_version, sidecar_code_digest, checked_at!);
  }
}

const WEBHOOK_EVENTS = { active: 'desk.ready', unreachable: 'desk.unreachable' } as const;

function messageOf({ kind, to, at, reason = null }: FoundEvent, desk: LockedDesk): WebhookMessage[] {
  if (kind !== 'status' || (to !== 'active' && to !== 'unreachable')) return [];
  const data = { workstation_id: desk.desk_id, env_id: desk.desk_id, reason };
  return [{ brandId: desk.brand_id, type: WEBHOOK_EVENTS[to], at, data }];
}

/** Also true at the first contact, because an update may have been sent before it. */
const changedVersion = (before: LockedDesk, after: LockedDesk): boolean =>
  before.sidecar_version !== after.sidecar_version ||
  before.sidecar_code_digest !== after.sidecar_code_digest;

/** The desk was changed since the check started, or a newer check has been stored. */
const isOutdated = (current: LockedDesk, { desk, startedAt }: NewFinding): boolean =>
  current.check_epoch !== desk.check_epoch ||
  current.status === 'suspended' ||
  (current.checked_at !== null && current.checked_at > startedAt);

function judge(current: LockedDesk, { finding, startedAt, lastHeard }: NewFinding) {
  const { facts, transition, changed } = judgeFinding(current, finding, startedAt);
  if (!changed) return undefined;
  // Contact times of answered checks are stored rarely, so the first miss stores the last one.
  if (finding.kind !== 'answered') facts.last_contact_at = lastHeard ?? facts.last_contact_at;
  const base = { desk_id: current.desk_id, at: startedAt };
  const events: FoundEvent[] = [];
  if (transition) events.push({ ...base, kind: 'status', ...transition });
  if (facts.misrouted && !current.misrouted) {
    events.push({ ...base, kind: 'misrouted', reason: finding.probe.detail, probes: [finding.probe] });
  }
  if (facts.last_upgrade_at !== current.last_upgrade_at) {
    events.push({ ...base, kind: 'sidecar_updated', reason: facts.sidecar_version });
  }
  return { check: { ...facts, desk_id: current.desk_id, checked_at: startedAt }, events };
}
