const HOUR_MS = 60 * 60_000;
const LONGEST_HOLD_MS = 8 * 24 * HOUR_MS;

/** Matches limits that reset over time; running out of credit does not. */
const LIMIT_WORDS = /usage limit|rate limit|hit your limit|limit reached|too many requests|\b429\b/i;

/**
 * Reads when a provider's limit resets: a date, a duration or a time of day, or one hour from now when no
 * time is given. Undefined when the text mentions no limit.
 */
export function findHold(text: string, now: Date): string | undefined {
  if (!LIMIT_WORDS.test(text)) return undefined;
  const until =
    readEpoch(/limit reached\|(\d{10})\b/i.exec(text)?.[1]) ??
    readSpan(text, now) ??
    readMoment(text, now) ??
    new Date(now.getTime() + HOUR_MS);
  return holdUntil(until, now);
}

export function holdUntil(until: Date, now: Date): string | undefined {
  const ahead = until.getTime() - now.getTime();
  if (!(ahead > 0)) return undefined;
  return new Date(now.getTime() + Math.min(ahead, LONGEST_HOLD_MS)).toISOString();
}

export const readEpoch = (seconds: unknown): Date | undefined => {
  const value = Number(seconds);
  return Number.isFinite(value) && value > 1e9 && value < 1e11 ? new Date(value * 1000) : undefined;
};

const UNITS: Record<string, number> = { day: 24 * HOUR_MS, hour: HOUR_MS, minute: 60_000, second: 1000 };

function readSpan(text: string, now: Date): Date | undefined {
  const span = /try again in ((?:(?:less than )?\d+ (?:day|hour|minute|second)s?[ ,]*(?:and )?)+)/i.exec(
    text,
  )?.[1];
  if (!span) return undefined;
  let length = 0;
  for (const [, count, unit] of span.matchAll(/(\d+) (day|hour|minute|second)/gi))
    length += Number(count) * UNITS[unit!.toLowerCase()]!;
  return new Date(now.getTime() + length);
}

/** A time of day means the next occurrence in the machine's time zone. */
function readMoment(text: string, now: Date): Date | undefined {
  const found =
    /(?:try again at|resets(?: at)?) (?:([A-Z][a-z]{2,8} \d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? )?(\d{1,2})(?::(\d{2}))? ?([AP]M)/i.exec(
      text,
    );
  if (!found) return undefined;
  const [, day, year, hour, minute = '00', half] = found;
  const hours = (Number(hour) % 12) + (half!.toUpperCase() === 'PM' ? 12 : 0);
  const moment = day ? new Date(`${day}, ${year}`) : new Date(now);
  moment.setHours(hours, Number(minute), 0, 0);
  if (!day && moment <= now) moment.setDate(moment.getDate() + 1);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
