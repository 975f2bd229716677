import type { TileCard } from '../api/boards.js';

/** How many cards stand below one, and how many of them are done. */
export interface SubTasks {
  done: number;
  all: number;
}

/** By the card they belong to; what was canceled is not asked for any more. */
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

/** Points where there are any, else time. */
export function describeEstimate(
  card: Pick<TileCard, 'estimate_points' | 'estimate_minutes'>,
): string | undefined {
  const { estimate_points: points, estimate_minutes: minutes } = card;
  if (points !== null) return `${points} pt`;
  if (minutes === null) return undefined;
  return minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`;
}
