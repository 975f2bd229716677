const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i;
/** `12/Mar/24 9:15 AM`, `12 Mar 2024` */
const NAMED =
  /^(\d{1,2})[/ .-]([a-z]{3})[a-z]*[/ .-](\d{4}|\d{2})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?$/i;
/** `Mar 12, 2024` */
const MONTH_FIRST =
  /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?$/i;
/** A date as a browser writes one: `Tue Mar 12 2024 09:15:00 GMT+0000 (GMT)` */
const BROWSER =
  /^[a-z]{3} ([a-z]{3}) (\d{1,2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT([+-]\d{4})(?: \([^)]{1,60}\))?$/i;
const SLASHED = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?$/i;

/** The moment as ISO text; undefined where it is none, or could be two. What names no zone is UTC. */
export function readTime(text: string | null | undefined): string | undefined {
  const given = (text ?? '').trim();
  if (given === '' || given.length > 80) return undefined;
  const iso = ISO.exec(given);
  if (iso) return moment(+iso[1]!, +iso[2]!, +iso[3]!, iso.slice(4, 7), undefined, iso[7]);
  const named = NAMED.exec(given);
  if (named) return moment(year(named[3]!), monthOf(named[2]!), +named[1]!, named.slice(4, 7), named[7]);
  const first = MONTH_FIRST.exec(given);
  if (first) return moment(+first[3]!, monthOf(first[1]!), +first[2]!, first.slice(4, 7), first[7]);
  const browser = BROWSER.exec(given);
  if (browser)
    return moment(
      +browser[3]!,
      monthOf(browser[1]!),
      +browser[2]!,
      browser.slice(4, 7),
      undefined,
      browser[7],
    );
  const slashed = SLASHED.exec(given);
  return slashed ? readSlashed(slashed) : undefined;
}

/** Day and month are told apart only where one of them cannot be a month, or a dot says that the day comes first. */
function readSlashed(found: RegExpExecArray): string | undefined {
  const [one, other] = [+found[1]!, +found[2]!];
  const time = found.slice(4, 7);
  if (found[0].includes('.') || one > 12) return moment(+found[3]!, other, one, time, found[7]);
  if (other > 12 || one === other) return moment(+found[3]!, one, other, time, found[7]);
  return undefined;
}

const year = (text: string): number => (text.length === 2 ? 2000 + +text : +text);
const monthOf = (name: string): number => MONTHS.indexOf(name.toLowerCase()) + 1;

function moment(
  years: number,
  month: number,
  day: number,
  [hours = '0', minutes = '0', seconds = '0']: (string | undefined)[],
  half?: string,
  zone = 'Z',
): string | undefined {
  const hour = half ? (+hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : +hours;
  if (years < 1 || month < 1 || month > 12 || hour > 23 || +minutes > 59 || +seconds > 59) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(years, month - 1, day);
  at.setUTCHours(hour, +minutes, +seconds);
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined;
  const moved = new Date(at.getTime() - offsetOf(zone));
  const shown = moved.getUTCFullYear();
  return shown < 1 || shown > 9999 ? undefined : moved.toISOString();
}

function offsetOf(zone: string): number {
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!found) return 0;
  const minutes = +found[2]! * 60 + +found[3]!;
  return (found[1] === '-' ? -1 : 1) * minutes * 60_000;
}
