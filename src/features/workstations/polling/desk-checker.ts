import type { Clock } from '../../../kernel/clock.js';
import { isUuid } from '../../../kernel/ids.js';
import type { Db } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import { SecretNotOpened } from '../../../platform/secrets/secret-box.js';
import type { DeskKeys } from '../desks/desk-keys.js';
import { deskStore } from '../desks/desks.store.js';
import { fleetStore, type PolledDesk } from '../desks/fleet.store.js';
import { type Finding, judgeFinding, type Probe } from '../health/health-verdict.js';
import type { NetworkRuleOf } from '../sidecar/desk-networks.js';
import type { HealthAnswer, SidecarClient } from '../sidecar/sidecar-client.js';
import { createFindingWriter } from './finding-writer.js';

interface DeskCheckerOptions {
  db: Db;
  clock: Clock;
  client: SidecarClient;
  networkRule: NetworkRuleOf;
  outbox: Pick<WebhookOutbox, 'tell'>;
  keys: Pick<DeskKeys, 'proofKey'>;
}

/** `overtaken`: the answer came after that of a younger check, so it says nothing about the desk any more. */
export type CheckOutcome = Probe['outcome'] | 'overtaken';

export interface CheckResult {
  outcome: CheckOutcome;
  /** When the desk answered and nothing but the time of contact is new. */
  contactAt: Date | null;
}

export type DeskChecker = ReturnType<typeof createDeskChecker>;

/** Only checks that overlap matter, so the oldest memories can go. */
const MOST_REMEMBERED = 20_000;

/** Checks one desk and stores what is new about it. */
export function createDeskChecker({ db, clock, client, networkRule, outbox, keys }: DeskCheckerOptions) {
  const writeFinding = createFindingWriter(db, outbox);
  /** The youngest check of a desk that has been answered. */
  const latest = new Map<string, number>();
  let lastSequence = 0;

  function isOvertaken(deskId: string, sequence: number): boolean {
    if ((latest.get(deskId) ?? 0) > sequence) return true;
    latest.delete(deskId);
    latest.set(deskId, sequence);
    if (latest.size > MOST_REMEMBERED) latest.delete(latest.keys().next().value!);
    return false;
  }

  /** A desk whose key does not open cannot be told from a stranger. */
  async function readHealth(desk: PolledDesk): Promise<HealthAnswer> {
    try {
      return await client.readHealth(desk.sidecar_url, networkRule(desk), keys.proofKey(desk));
    } catch (error) {
      if (!(error instanceof SecretNotOpened)) throw error;
      return { fault: 'The key of this desk cannot be opened with SECRETS_KEY' };
    }
  }

  /** Whose answer was it? Only what differs from the record needs the database. */
  async function findOut(
    desk: PolledDesk,
    answer: HealthAnswer,
    probe: { at: string; duration_ms: number },
  ): Promise<Finding> {
    const missed = (detail: string): Finding => ({
      kind: 'missed',
      probe: { ...probe, outcome: 'missed', detail },
    });
    const misrouted = (detail: string): Finding => ({
      kind: 'misrouted',
      probe: { ...probe, outcome: 'misrouted', detail },
    });
    if ('fault' in answer) return missed(answer.fault);
    const { health, proved } = answer;
    if (health.envId !== desk.desk_id) {
      const isAnothers = isUuid(health.envId) && (await fleetStore(db).isDesk(health.envId));
      return isAnothers ? misrouted('Another desk answered') : missed('An unknown desk answered');
    }
    if (!proved) return missed('The answer does not prove knowledge of the token');
    if (health.installationId !== null && health.installationId !== desk.installation_id) {
      const taken = await deskStore(db, desk.brand_id).isInstallationTaken(
        desk.desk_id,
        health.installationId,
      );
      if (taken) return misrouted('The installation already hosts another desk');
    }
    return { kind: 'answered', health, probe: { ...probe, outcome: 'answered', detail: 'Answered' } };
  }

  return {
    /** `forgiving`: a miss is not held against the desk (the hub itself has only just come up). */
    async check(desk: PolledDesk, lastHeard: Date | null, forgiving = false): Promise<CheckResult> {
      lastSequence += 1;
      const sequence = lastSequence;
      const startedAt = clock.now();
      const began = performance.now();
      const answer = await readHealth(desk);
      if (isOvertaken(desk.desk_id, sequence)) return { outcome: 'overtaken', contactAt: null };

      const probe = { at: startedAt.toISOString(), duration_ms: Math.round(performance.now() - began) };
      const finding = await findOut(desk, answer, probe);
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
