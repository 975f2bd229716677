/** Days as the service writes them, `2026-11-16`: days of the workspace, wherever the reader is. */

export type Day = string;

const DAY_MS = 24 * 60 * 60 * 1000;
const PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** A zone that this browser does not know is told in UTC, as a day more or less is better than no page. */
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

/** Undefined where it is no day of the calendar. */
export function readDay(text: string | null): Day | undefined {
  if (!text || !PATTERN.test(text)) return undefined;
  const moment = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text) ? text : undefined;
}

/** Every day from the one to the other, both included; none where they are the wrong way round. */
export function daysBetween(from: Day, to: Day): Day[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, Math.min(count, 366)) }, (_, at) => addDays(from, at));
}

const names = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const dayName = (day: Day): string => names.format(new Date(`${day}T00:00:00Z`));

const longNames = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
export const longDayName = (day: Day): string => longNames.format(new Date(`${day}T00:00:00Z`));
