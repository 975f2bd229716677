import type { CredentialReport, HealthReport, Isolation } from '../sidecar/sidecar-protocol.js';
import { type EnvironmentStatus, MISSES_TO_UNREACHABLE } from './desk-status.js';

/** One attempt to reach a sidecar, as the timeline shows it. */
export interface Probe {
  at: string;
  outcome: 'answered' | 'missed' | 'misrouted';
  detail: string;
  duration_ms: number;
}

/** What a check found, once it is known whose answer it was. */
export type Finding = { probe: Probe } & (
  | { kind: 'answered'; health: HealthReport }
  | { kind: 'missed' }
  | { kind: 'misrouted' }
);

export interface StoredCredential {
  runtime: string;
  state: 'ok' | 'expired';
  since: string;
}

/** The part of a desk's record that checks read and write. */
export interface CheckedFacts {
  status: EnvironmentStatus;
  /** Of the installer's failure, until the next hello or the next answer. */
  installer_exit_code: number | null;
  installer_message: string | null;
  misses: number;
  missed_probes: Probe[];
  misrouted: boolean;
  first_answered_at: Date | null;
  resumed_at: Date | null;
  last_contact_at: Date | null;
  installation_id: string | null;
  sidecar_version: string | null;
  sidecar_code_digest: string | null;
  last_upgrade_at: Date | null;
  building: boolean;
  pending_sync_count: number;
  isolation: Isolation | null;
  credentials: StoredCredential[];
}

export interface Verdict {
  facts: CheckedFacts;
  transition: { from: EnvironmentStatus; to: EnvironmentStatus; reason: string; probes: Probe[] } | null;
  /** Something to store beside the time of contact. */
  changed: boolean;
}

/** The rules of health checks: answered makes ready, three misses make a live or resumed desk unreachable. */
export function judgeFinding(before: CheckedFacts, finding: Finding, at: Date): Verdict {
  return finding.kind === 'answered'
    ? answered(before, finding.health, finding.probe, at)
    : missed(before, finding);
}

function answered(before: CheckedFacts, health: HealthReport, probe: Probe, at: Date): Verdict {
  const heardBefore = before.sidecar_version !== null || before.sidecar_code_digest !== null;
  const upgraded =
    heardBefore &&
    (before.sidecar_version !== health.version || before.sidecar_code_digest !== health.codeDigest);
  const facts: CheckedFacts = {
    status: before.status === 'suspended' ? 'suspended' : 'active',
    installer_exit_code: null,
    installer_message: null,
    misses: 0,
    missed_probes: [],
    misrouted: false,
    first_answered_at: before.first_answered_at ?? at,
    resumed_at: null,
    last_contact_at: at,
    installation_id: health.installationId ?? before.installation_id,
    sidecar_version: health.version,
    sidecar_code_digest: health.codeDigest,
    last_upgrade_at: upgraded ? at : before.last_upgrade_at,
    building: health.building,
    pending_sync_count: health.pendingSyncCount,
    isolation: health.isolation,
    credentials: mergeCredentials(before.credentials, health.credentials, at),
  };
  const transition =
    before.status === facts.status
      ? null
      : { from: before.status, to: facts.status, reason: 'answered', probes: [probe] };
  return { facts, transition, changed: !sameButContact(before, facts) };
}

function missed(before: CheckedFacts, finding: Finding): Verdict {
  const probes = [...before.missed_probes, finding.probe].slice(-MISSES_TO_UNREACHABLE);
  const full = before.misses >= MISSES_TO_UNREACHABLE;
  const facts: CheckedFacts = {
    ...before,
    misses: Math.min(before.misses + 1, MISSES_TO_UNREACHABLE),
    missed_probes: full ? before.missed_probes : probes,
    misrouted: before.misrouted || finding.kind === 'misrouted',
  };
  const canBeLost =
    before.status === 'active' || (before.status === 'provisioned' && before.resumed_at !== null);
  if (canBeLost && facts.misses >= MISSES_TO_UNREACHABLE) {
    facts.status = 'unreachable';
    const reason = facts.misrouted ? 'misrouted' : 'unreachable';
    return {
      facts,
      transition: { from: before.status, to: 'unreachable', reason, probes: facts.missed_probes },
      changed: true,
    };
  }
  return { facts, transition: null, changed: !full || facts.misrouted !== before.misrouted };
}

/** `since` is when a login was first seen in its present state. */
function mergeCredentials(
  before: StoredCredential[],
  reported: CredentialReport[],
  at: Date,
): StoredCredential[] {
  return reported.map(({ runtime, state, checkedAt }) => {
    const known = before.find((credential) => credential.runtime === runtime && credential.state === state);
    const since = checkedAt && checkedAt < at ? checkedAt : at;
    return known ?? { runtime, state, since: since.toISOString() };
  });
}

function sameButContact(a: CheckedFacts, b: CheckedFacts): boolean {
  return (
    a.status === b.status &&
    a.installer_exit_code === b.installer_exit_code &&
    a.misses === b.misses &&
    a.misrouted === b.misrouted &&
    a.first_answered_at?.getTime() === b.first_answered_at?.getTime() &&
    a.resumed_at?.getTime() === b.resumed_at?.getTime() &&
    a.installation_id === b.installation_id &&
    a.sidecar_version === b.sidecar_version &&
    a.sidecar_code_digest === b.sidecar_code_digest &&
    a.building === b.building &&
    a.pending_sync_count === b.pending_sync_count &&
    a.isolation === b.isolation &&
    a.credentials.length === b.credentials.length &&
    a.credentials.every((credential, index) => {
      const other = b.credentials[index];
      return other?.runtime === credential.runtime && other.state === credential.state;
    })
  );
}
