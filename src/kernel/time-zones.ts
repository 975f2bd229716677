/** Letters first: an offset such as `+01:00` is no place, and knows no summer. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

/** Making one takes longer than using it. */
const calendars = new Map<string, Intl.DateTimeFormat>();

function calendarOf(timezone: string): Intl.DateTimeFormat {
  const known = calendars.get(timezone);
  if (known) return known;
  const calendar = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  calendars.set(timezone, calendar);
  return calendar;
}

/** Whether it is a name of the IANA database. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    calendarOf(name);
    return true;
  } catch {
    return false;
  }
}

/** `2026-11-16`, as people in that time zone call the day of a moment. */
export function dayIn(timezone: string, instant: Date): string {
  const parts = new Map(
    calendarOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts.get('year')!.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
}

/** `2026-11`, of a day. */
export const monthOf = (day: string): string => day.slice(0, 7);
