import type { Db } from '../../database/database.js';
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { DeskNetworkRule } from './desk-address.js';
import { FindingWriter } from './finding-writer.js';
import { fleetStore, type PolledDesk } from './fleet.store.js';
import { type Finding, judgeFinding, type Probe } from './health-verdict.js';
import type { HealthAnswer, SidecarClient } from './sidecar-client.js';
import { deskStore } from './workstations.store.js';

interface DeskCheckerOptions {
  db: Db;
  clock: Clock;
  client: SidecarClient;
  networkRule(desk: { mesh_address: string | null }): DeskNetworkRule;
}

export interface CheckResult {
  outcome: Probe['outcome'];
  /** When the desk answered and nothing but the time of contact is new. */
  contactAt: Date | null;
}

/** Checks one desk and stores what is new about it. */
export class DeskChecker {
  readonly #writer: FindingWriter;
  readonly #latest = new Map<string, number>();
  #sequence = 0;

  constructor(private readonly options: DeskCheckerOptions) {
    this.#writer = new FindingWriter(options.db);
  }

  /** `forgiving`: a miss is not held against the desk (the hub itself has only just come up). */
  async check(desk: PolledDesk, lastHeard: Date | null, forgiving = false): Promise<CheckResult> {
    const sequence = ++this.#sequence;
    const startedAt = this.options.clock.now();
    const began = performance.now();
    const answer = await this.options.client.readHealth(
      desk.sidecar_url,
      this.options.networkRule(desk),
      desk.token_hash,
    );
    const probe = { at: startedAt.toISOString(), duration_ms: Math.round(performance.now() - began) };

    // An answer that comes after that of a younger check is old news.
    if ((this.#latest.get(desk.desk_id) ?? 0) > sequence) return { outcome: 'missed', contactAt: null };
    this.#remember(desk.desk_id, sequence);

    const finding = await this.#findOut(desk, answer, probe);
    if (finding.kind !== 'answered' && forgiving) return { outcome: finding.probe.outcome, contactAt: null };
    if (!judgeFinding(desk, finding, startedAt).changed) {
      return { outcome: finding.probe.outcome, contactAt: finding.kind === 'answered' ? startedAt : null };
    }
    await this.#writer.write({ desk, finding, startedAt, lastHeard });
    return { outcome: finding.probe.outcome, contactAt: null };
  }

  #remember(deskId: string, sequence: number): void {
    this.#latest.delete(deskId);
    this.#latest.set(deskId, sequence);
    // Only checks that overlap matter, so the oldest memories can go.
    if (this.#latest.size > 20_000) this.#latest.delete(this.#latest.keys().next().value!);
  }

  /** Whose answer was it? Only what differs from the record needs the database. */
  async #findOut(
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
      const isAnothers = isUuid(health.envId) && (await fleetStore(this.options.db).isDesk(health.envId));
      return isAnothers ? misrouted('Another desk answered') : missed('An unknown desk answered');
    }
    if (!proved) return missed('The answer does not prove knowledge of the token');
    if (health.installationId !== null && health.installationId !== desk.installation_id) {
      const taken = await deskStore(this.options.db, desk.brand_id).isInstallationTaken(
        desk.desk_id,
        health.installationId,
      );
      if (taken) return misrouted('The installation already hosts another desk');
    }
    return { kind: 'answered', health, probe: { ...probe, outcome: 'answered', detail: 'Answered' } };
  }
}
