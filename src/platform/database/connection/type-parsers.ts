import pg from 'pg';

const oid = {
  int8: 20,
  date: 1082,
  interval: 1186,
  timestamptz: 1184,
  numeric: 1700,
  textArray: 1009,
  int8Array: 1016,
  numericArray: 1231,
};

const parseTextArray: (text: string) => (string | null)[] = pg.types.getTypeParser(oid.textArray, 'text');
const parseNumberArray = (text: string) =>
  parseTextArray(text).map((item) => (item === null ? null : Number(item)));
const keepText = (text: string) => text;

const parseAnyInstant: (text: string) => Date = pg.types.getTypeParser(oid.timestamptz, 'text');

const twoDigits = (text: string, at: number) =>
  (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;

/** The zeros at its end are left out; of six digits three count. */
function readMilliseconds(text: string, from: number, to: number): number {
  let milliseconds = 0;
  for (let at = from, worth = 100; at < to && worth >= 1; at += 1, worth /= 10)
    milliseconds += (text.charCodeAt(at) - 48) * worth;
  return milliseconds;
}

/** A connection speaks of instants in UTC. Those of our centuries are read without the driver's patterns, which take more than twice as long. */
function parseInstant(text: string): Date {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  if (!(year >= 1000) || text[4] !== '-' || !text.endsWith('+00')) return parseAnyInstant(text);
  const [month, day] = [twoDigits(text, 5) - 1, twoDigits(text, 8)];
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  return new Date(
    Date.UTC(year, month, day, hour, minute, second, readMilliseconds(text, 20, text.length - 3)),
  );
}

const ownParsers = new Map<number, (text: string) => unknown>([
  [oid.int8, Number],
  [oid.numeric, Number],
  [oid.int8Array, parseNumberArray],
  [oid.numericArray, parseNumberArray],
  // The driver would make a Date at local midnight out of a calendar day.
  [oid.date, keepText],
  [oid.interval, keepText],
  [oid.timestamptz, parseInstant],
]);

/** How column values become JavaScript values, for one pool or client: the driver's own table stays as it is. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : ownParsers.get(id);
    return own ?? pg.types.getTypeParser(id, format as 'text');
  },
};
