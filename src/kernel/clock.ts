/** The only source of the current time for rules, SQL parameters and expiry, so that tests can change it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export interface ClockState {
  offsetMs: number;
  frozenAt: Date | null;
}

export class MovableClock implements Clock {
  #offsetMs = 0;
  #frozenAt: Date | null = null;

  now(): Date {
    return this.#frozenAt ? new Date(this.#frozenAt) : new Date(Date.now() + this.#offsetMs);
  }

  advance(seconds: number): void {
    if (this.#frozenAt) this.#frozenAt = new Date(this.#frozenAt.getTime() + seconds * 1000);
    else this.#offsetMs += seconds * 1000;
  }

  freeze(frozen: boolean): void {
    if (frozen) {
      this.#frozenAt ??= this.now();
    } else if (this.#frozenAt) {
      this.#offsetMs = this.#frozenAt.getTime() - Date.now();
      this.#frozenAt = null;
    }
  }

  get state(): ClockState {
    return { offsetMs: this.#offsetMs, frozenAt: this.#frozenAt };
  }

  restore(state: ClockState): void {
    this.#offsetMs = state.offsetMs;
    this.#frozenAt = state.frozenAt;
  }
}

export const secondsFrom = (instant: Date, seconds: number): Date =>
  new Date(instant.getTime() + seconds * 1000);

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const MONDAY = 1;

/** Returns the UTC date, such as `2026-11-09`. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/** Returns Monday 00:00 UTC. */
function startOfWeek(instant: Date): Date {
  const midnight = new Date(`${dayOf(instant)}T00:00:00Z`);
  return secondsFrom(midnight, -((midnight.getUTCDay() + 7 - MONDAY) % 7) * DAY);
}

/** Returns the Mondays of the last `count` weeks, oldest first, including the current week. */
export function lastWeeks(now: Date, count: number): Date[] {
  const current = startOfWeek(now);
  return Array.from({ length: count }, (_, i) => secondsFrom(current, (i + 1 - count) * 7 * DAY));
}

/** Must start with a letter, because an offset such as `+01:00` has no daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

/** Cached, because creating a formatter takes longer than using it. */
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

export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    calendarOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns the local date in a time zone, such as `2026-11-16`. */
export function dayIn(timezone: string, instant: Date): string {
  const parts = new Map(
    calendarOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts.get('year')!.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
}

export const monthOf = (day: string): string => day.slice(0, 7);
