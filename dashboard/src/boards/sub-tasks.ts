import type { TileCard } from '../api/boards.js';

export interface SubTasks {
  done: number;
  all: number;
}

/** Counts by parent card; canceled sub-tasks are excluded. */
export function countSubTasks(cards: readonly TileCard[]): Map<string, SubTasks> {
  const counts = new Map<string, SubTasks>();
  for (const { parent_id, status } of cards) {
    if (!parent_id || status === 'canceled') continue;
    const known = counts.get(parent_id);
    counts.set(parent_id, {
      done: (known?.done ?? 0) + Number(status === 'done'),
      all: (known?.all ?? 0) + 1,
    });
  }
  return counts;
}

/** Prefers points over minutes. */
export function describeEstimate(
  card: Pick<TileCard, 'estimate_points' | 'estimate_minutes'>,
): string | undefined {
  const { estimate_points: points, estimate_minutes: minutes } = card;
  if (points !== null) return `${points} pt`;
  if (minutes === null) return undefined;
  return minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`;
}
