const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const DAY_MS = 86_400_000;

/**
 * Uses the largest unit of at least one, rounded: 1.5 months are two months. Days are calendar days, so a time
 * later today is never shown as tomorrow.
 */
export function describeDistance(at: string, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  for (const [unit, length] of STEPS) {
    const count = unit === 'day' ? countDays(at, now) : Math.round(seconds / length);
    if (Math.abs(seconds) >= length * (unit === 'day' ? 1 : 0.95) && count !== 0)
      return relative.format(count, unit);
  }
  return 'just now';
}

function countDays(at: string, now: number): number {
  const midnight = (instant: number) => new Date(instant).setHours(0, 0, 0, 0);
  return Math.round((midnight(new Date(at).getTime()) - midnight(now)) / DAY_MS);
}
