import { misuse } from './failure.js';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DAYS_IN = { d: 1, w: 7 };

/**
 * Parses `today`, `tomorrow`, `friday` (the next one, never today), `+3d`, `+2w`, a date or a timestamp. A
 * date means the end of that day in the local time zone.
 */
export function readDue(text: string, now = new Date()): string {
  const word = text.trim().toLowerCase();
  if (word === 'today') return endOf(now, 0);
  if (word === 'tomorrow') return endOf(now, 1);
  const [, count, unit] = /^\+(\d{1,4})([dw])$/.exec(word) ?? [];
  if (count !== undefined) return endOf(now, Number(count) * DAYS_IN[unit as keyof typeof DAYS_IN]);
  const weekday = word.length < 3 ? -1 : WEEKDAYS.findIndex((name) => name.startsWith(word));
  if (weekday >= 0) return endOf(now, ((weekday - now.getDay() + 6) % 7) + 1);
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(word) ?? [];
  if (year !== undefined) return endOfDay(Number(year), Number(month), Number(day), text);
  if (/^\d{4}-\d{2}-\d{2}t/.test(word) && !Number.isNaN(Date.parse(text)))
    return new Date(text).toISOString();
  throw refused(text);
}

const refused = (text: string) =>
  misuse(
    `--due must be a day, not ${JSON.stringify(text)}`,
    'Use today, tomorrow, friday, +3d, 2026-12-01, or none to clear it.',
  );

const endOf = (now: Date, days: number): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 23, 59).toISOString();

/** Rejects the 31st of a short month, which Date would turn into the first of the next one. */
function endOfDay(year: number, month: number, day: number, text: string): string {
  const end = new Date(year, month - 1, day, 23, 59);
  if (end.getMonth() !== month - 1 || end.getDate() !== day) throw refused(text);
  return end.toISOString();
}
