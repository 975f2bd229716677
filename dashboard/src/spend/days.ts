/** Calendar days such as `2026-11-16` in the workspace's time zone, independent of the user's. */

export type Day = string;

const DAY_MS = 24 * 60 * 60 * 1000;
const PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** Falls back to UTC if the browser does not know the time zone; being a day off is better than failing. */
export function dayIn(timezone: string, now: Date): Day {
  try {
    return formatIn(timezone, now);
  } catch {
    return formatIn('UTC', now);
  }
}

const formatIn = (timeZone: string, now: Date): Day =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(now);

export const firstOfMonth = (day: Day): Day => `${day.slice(0, 8)}01`;

export const addDays = (day: Day, count: number): Day =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** Undefined unless the text is a valid date. */
export function readDay(text: string | null): Day | undefined {
  if (!text || !PATTERN.test(text)) return undefined;
  const moment = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text) ? text : undefined;
}

/** All days of an inclusive range; empty if it is reversed. */
export function daysBetween(from: Day, to: Day): Day[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, Math.min(count, 366)) }, (_, at) => addDays(from, at));
}

const names = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const dayName = (day: Day): string => names.format(new Date(`${day}T00:00:00Z`));

const longNames = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
export const longDayName = (day: Day): string => longNames.format(new Date(`${day}T00:00:00Z`));
