const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Parses `tomorrow`, `fri`, `in 3 days`, `12.3.`, `12 mar` or `2027-03-12` to an ISO date. */
export function readDay(text: string, now = new Date()): string | undefined {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const day = readDistance(words, today) ?? readWeekday(words, today) ?? readDate(words, today) ?? undefined;
  return day && spell(day);
}

const later = (from: Date, days: number): Date =>
  new Date(from.getFullYear(), from.getMonth(), from.getDate() + days);

function readDistance(words: string, today: Date): Date | undefined {
  if (words === 'today') return today;
  if (words === 'tomorrow' || words === 'tom') return later(today, 1);
  if (words === 'next week') return later(today, (8 - today.getDay()) % 7 || 7);
  const [, count, unit] = /^(?:in )?(\d{1,3}) ?(d|days?|w|weeks?)$/.exec(words) ?? [];
  return count ? later(today, Number(count) * (unit!.startsWith('w') ? 7 : 1)) : undefined;
}

/** Always in the future: on a Friday, `fri` is a week away. */
function readWeekday(words: string, today: Date): Date | undefined {
  const name = words.replace(/^next /, '');
  const at = name.length < 2 ? -1 : DAYS.findIndex((day) => day.startsWith(name));
  return at === -1 ? undefined : later(today, (at - today.getDay() + 7) % 7 || 7);
}

function readDate(words: string, today: Date): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words) ?? [];
  if (year) return makeDate(Number(year), Number(month), Number(day));
  const [, dayOfMonth, monthOfYear, itsYear] = /^(\d{1,2})\.\s?(\d{1,2})\.?\s?(\d{4})?$/.exec(words) ?? [];
  if (dayOfMonth) return inYear(Number(dayOfMonth), Number(monthOfYear), itsYear, today);
  const [, first, second, third] =
    /^([a-z]{3,}|\d{1,2})\.? ([a-z]{3,}|\d{1,2})\.?(?:,? (\d{4}))?$/.exec(words) ?? [];
  if (!first || !second) return undefined;
  const [number, name] = /\d/.test(first) ? [first, second] : [second, first];
  const place = MONTHS.findIndex((each) => each.startsWith(name));
  return place === -1 ? undefined : inYear(Number(number), place + 1, third, today);
}

/** A day that has already passed this year means next year. */
function inYear(day: number, month: number, year: string | undefined, today: Date): Date | undefined {
  if (year) return makeDate(Number(year), month, day);
  const thisYear = makeDate(today.getFullYear(), month, day);
  if (thisYear && thisYear >= today) return thisYear;
  return makeDate(today.getFullYear() + 1, month, day);
}

/** Rejects dates that do not exist, such as February 31. */
function makeDate(year: number, month: number, day: number): Date | undefined {
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date : undefined;
}

function spell(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A due date ends at 23:59 in the user's time zone. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:00`).toISOString();

export const dayOf = (at: string): string => spell(new Date(at));
