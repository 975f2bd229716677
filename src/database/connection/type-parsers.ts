import pg from 'pg';

const oid = {
  int8: 20,
  date: 1082,
  interval: 1186,
  numeric: 1700,
  textArray: 1009,
  int8Array: 1016,
  numericArray: 1231,
};

const parseTextArray: (text: string) => (string | null)[] = pg.types.getTypeParser(oid.textArray, 'text');
const parseNumberArray = (text: string) =>
  parseTextArray(text).map((item) => (item === null ? null : Number(item)));
const keepText = (text: string) => text;

const ownParsers = new Map<number, (text: string) => unknown>([
  [oid.int8, Number],
  [oid.numeric, Number],
  [oid.int8Array, parseNumberArray],
  [oid.numericArray, parseNumberArray],
  // The driver would make a Date at local midnight out of a calendar day.
  [oid.date, keepText],
  [oid.interval, keepText],
]);

/** How column values become JavaScript values, for one pool or client: the driver's own table stays as it is. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : ownParsers.get(id);
    return own ?? pg.types.getTypeParser(id, format as 'text');
  },
};
