import { isDeepStrictEqual } from 'node:util';
import type { CredentialReport, HealthReport, Isolation } from '../sidecar/sidecar-protocol.js';

export const ENVIRONMENT_STATUSES = ['provisioned', 'active', 'unreachable', 'suspended'] as const;
export type EnvironmentStatus = (typeof ENVIRONMENT_STATUSES)[number];

export const WORKSTATION_STATUSES = ['provisioning', 'ready', 'unreachable', 'suspended'] as const;
type WorkstationStatus = (typeof WORKSTATION_STATUSES)[number];

const WORKSTATION_STATUS: Record<EnvironmentStatus, WorkstationStatus> = {
  provisioned: 'provisioning',
  active: 'ready',
  unreachable: 'unreachable',
  suspended: 'suspended',
};

export const workstationStatus = (status: EnvironmentStatus): WorkstationStatus => WORKSTATION_STATUS[status];

export const MISSES_TO_UNREACHABLE = 3;
const DORMANT_AFTER_MS = 14 * 24 * 60 * 60 * 1000;

export const dormantBefore = (now: Date): Date => new Date(now.getTime() - DORMANT_AFTER_MS);

export const dormantFrom = (heardAt: Date): Date => new Date(heardAt.getTime() + DORMANT_AFTER_MS + 1);

/** Counts from the order when the desk never made contact. */
export function isDormant(
  desk: { status: EnvironmentStatus; lastContactAt: Date | null; createdAt: Date },
  now: Date,
): boolean {
  return desk.status !== 'suspended' && (desk.lastContactAt ?? desk.createdAt) < dormantBefore(now);
}

/** One attempt to reach a sidecar, as the timeline shows it. */
export interface Probe {
  at: string;
  outcome: 'answered' | 'missed' | 'misrouted';
  detail: string;
  duration_ms: number;
}

/** The result of a check, once the answering desk is identified. */
export type Finding = { probe: Probe } & (
  | { kind: 'answered'; health: HealthReport }
  | { kind: 'missed' }
  | { kind: 'misrouted' }
);

interface StoredCredential {
  runtime: string;
  state: 'ok' | 'expired';
  since: string;
}

/** The part of a desk's record that checks read and write. */
export interface CheckedFacts {
  status: EnvironmentStatus;
  /** Set when the installer fails, cleared by the next hello or answered check. */
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

interface Verdict {
  facts: CheckedFacts;
  transition: { from: EnvironmentStatus; to: EnvironmentStatus; reason: string; probes: Probe[] } | null;
  /** Whether there is more to store than the time of contact. */
  changed: boolean;
}

/** An answer makes a desk ready. Three misses make a live or resumed desk unreachable. */
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
    ...before,
    status: before.status === 'suspended' ? 'suspended' : 'active',
    installer_exit_code: null,
    installer_message: null,
    misses: 0,
    missed_probes: [],
    misrouted: false,
    first_answered_at: before.first_answered_at ?? at,
    resumed_at: null,
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
  const changed = !isDeepStrictEqual(before, facts);
  return { facts: { ...facts, last_contact_at: at }, transition, changed };
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

/** `since` is when a login was first seen in its current state. */
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
