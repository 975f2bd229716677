import type { BuildRow } from '../builds.store.js';

type Watched = Pick<BuildRow, 'status' | 'local' | 'progress_at' | 'stall_minutes'>;

const MINUTE_MS = 60_000;

/** It runs, and has got on with nothing for as long as the policy said when it began. */
export function isStalled({ status, local, progress_at, stall_minutes }: Watched, now: Date): boolean {
  if (status !== 'running' || local || !stall_minutes || !progress_at) return false;
  return now.getTime() - progress_at.getTime() >= stall_minutes * MINUTE_MS;
}

/** Whether the clock ended it for that, and not for its time limit. */
export const endedForStall = ({
  ended_at,
  progress_at,
  stall_minutes,
}: Pick<BuildRow, 'ended_at' | 'progress_at' | 'stall_minutes'>): boolean =>
  Boolean(stall_minutes && progress_at && ended_at) &&
  ended_at!.getTime() === progress_at!.getTime() + 2 * stall_minutes! * MINUTE_MS;

export const noProgress = ({ stall_minutes }: Pick<BuildRow, 'stall_minutes'>): string =>
  `No progress for ${2 * stall_minutes!} minutes`;
