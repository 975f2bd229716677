import { DAY, secondsFrom } from './clock.js';

const MONDAY = 1;

/** `2026-11-09`, as it is called in UTC. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/** The first moment of the week that it lies in: Monday, in UTC. */
export function startOfWeek(instant: Date): Date {
  const midnight = new Date(`${dayOf(instant)}T00:00:00Z`);
  return secondsFrom(midnight, -((midnight.getUTCDay() + 7 - MONDAY) % 7) * DAY);
}

/** The Mondays of so many weeks, oldest first, with this one as the last. */
export function lastWeeks(now: Date, count: number): Date[] {
  const current = startOfWeek(now);
  return Array.from({ length: count }, (_, i) => secondsFrom(current, (i + 1 - count) * 7 * DAY));
}
