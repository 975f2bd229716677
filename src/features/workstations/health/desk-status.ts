/** The words for a desk's state, and when it counts as silent. */
export const ENVIRONMENT_STATUSES = ['provisioned', 'active', 'unreachable', 'suspended'] as const;
export type EnvironmentStatus = (typeof ENVIRONMENT_STATUSES)[number];

export const WORKSTATION_STATUSES = ['provisioning', 'ready', 'unreachable', 'suspended'] as const;
export type WorkstationStatus = (typeof WORKSTATION_STATUSES)[number];

const STATUS_WORDS: Record<EnvironmentStatus, WorkstationStatus> = {
  provisioned: 'provisioning',
  active: 'ready',
  unreachable: 'unreachable',
  suspended: 'suspended',
};

export const workstationStatus = (status: EnvironmentStatus): WorkstationStatus => STATUS_WORDS[status];

/** Checks missed in a row that make a live desk unreachable. */
export const MISSES_TO_UNREACHABLE = 3;
const DORMANT_AFTER_MS = 14 * 24 * 60 * 60 * 1000;

export const dormantBefore = (now: Date): Date => new Date(now.getTime() - DORMANT_AFTER_MS);

/** The first moment at which a desk that was heard of then counts as silent. */
export const dormantFrom = (heardAt: Date): Date => new Date(heardAt.getTime() + DORMANT_AFTER_MS + 1);

/** Silent for more than two weeks: since the last contact, or since the order when there never was one. */
export function isDormant(
  desk: { status: EnvironmentStatus; lastContactAt: Date | null; createdAt: Date },
  now: Date,
): boolean {
  return desk.status !== 'suspended' && (desk.lastContactAt ?? desk.createdAt) < dormantBefore(now);
}
