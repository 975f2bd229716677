import {
  type Draft,
  type DraftRow,
  lostColumn,
  readPerson,
  type Someone,
  UnreadableExport,
} from './record.js';
import { readNumber, readTime } from './values.js';

/** The cells of one row by column name; several columns can have the same name. */
export interface NamedCells {
  /** The first non-empty cell of the first name that has one. */
  get(...names: string[]): string | null;
  /** All non-empty cells of all names. */
  all(...names: string[]): string[];
  /** All non-empty cells of the columns whose names start with the prefix. */
  beginning(prefix: string): { name: string; values: string[] }[];
  /** All parts of all cells, divided by commas or semicolons. */
  list(...names: string[]): string[];
  number(...names: string[]): number | null;
  person(...names: string[]): Someone | null;
  /** Adds an unreadable time to the card's text under its label. */
  time(label: string, ...names: string[]): string | null;
}

const headerKey = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, ' ');

export interface TableReader {
  titles: readonly string[];
  /** Columns that describe the source product, not the card. */
  ignored?: readonly string[];
  toDraft(cells: NamedCells): Draft;
}

/** Yields each row as a draft. Columns that the reader does not use are listed as lost. */
export function* readTable(
  text: string,
  { titles, ignored = [], toDraft }: TableReader,
): Generator<DraftRow> {
  const rows = readCsvRows(text);
  const first = rows.next().value;
  if (!first) throw new UnreadableExport('The file is empty');
  if (!('cells' in first)) throw new UnreadableExport(`The first line cannot be read: ${first.reason}`);
  const columns = new Map<string, Column>();
  for (const [index, name] of first.cells.entries()) {
    const key = headerKey(name);
    const known = columns.get(key);
    if (known) known.indexes.push(index);
    else
      columns.set(key, {
        key,
        indexes: [index],
        lost: lostColumn(name.trim()),
        isRead: key === '' || ignored.includes(key),
      });
  }
  if (!titles.some((name) => columns.has(name)))
    throw new UnreadableExport(
      `The first line names no column for the title; it would be called one of: ${titles.join(', ')}`,
    );
  const width = first.cells.length;
  const all = [...columns.values()];
  for (const each of rows) {
    if (!('cells' in each)) {
      yield each;
      continue;
    }
    const { row, cells } = each;
    if (cells.slice(width).some((cell) => cell.trim() !== '')) {
      yield { row, reason: `It has ${cells.length} cells, the first line has ${width}` };
      continue;
    }
    const unreadable: string[] = [];
    const draft = toDraft(namedCells(columns, cells, unreadable));
    const notes = [...(draft.notes ?? []), ...unreadable];
    yield { row, draft: { ...draft, notes, unreadColumns: listUnread(all, cells) } };
  }
}

interface Column {
  key: string;
  indexes: number[];
  lost: string;
  isRead: boolean;
}

const listUnread = (columns: readonly Column[], cells: readonly string[]): string[] =>
  columns.flatMap(({ isRead, indexes, lost }) =>
    !isRead && indexes.some((index) => saysSomething(cells[index])) ? lost : [],
  );

/** Called dozens of times for every row of a file, so `get` allocates nothing. */
function namedCells(
  columns: ReadonlyMap<string, Column>,
  cells: readonly string[],
  unreadable: string[],
): NamedCells {
  const valuesOf = (column: Column): string[] => {
    column.isRead = true;
    return column.indexes.flatMap((index) => cells[index]?.trim() || []);
  };
  function get(...names: string[]): string | null {
    let found: string | null = null;
    for (const name of names) {
      const column = columns.get(name);
      if (!column) continue;
      column.isRead = true;
      for (let at = 0; found === null && at < column.indexes.length; at += 1)
        found = cells[column.indexes[at]!]?.trim() || null;
    }
    return found;
  }
  const all = (...names: string[]): string[] =>
    names.flatMap((name) => {
      const column = columns.get(name);
      return column ? valuesOf(column) : [];
    });
  return {
    get,
    all,
    list: (...names) => all(...names).flatMap((cell) => cell.split(/[,;\n]/).map((part) => part.trim())),
    number: (...names) => readNumber(get(...names)),
    person: (...names) => readPerson(get(...names)),
    time(label, ...names) {
      const text = get(...names);
      const time = text === null ? null : readTime(text);
      if (time === undefined) unreadable.push(`${label}: ${text}`);
      return time ?? null;
    },
    beginning: (prefix) =>
      [...columns.values()].flatMap((column) => {
        if (!column.key.startsWith(prefix)) return [];
        const values = valuesOf(column);
        return values.length > 0 ? { name: column.key, values } : [];
      }),
  };
}

const NOTHING_SAID = /^(?:|no|none|false|0(?:[.,]0+)?|-1|\[\]|\{\}|null)$/i;
const saysSomething = (cell: string | undefined): boolean =>
  cell !== undefined && cell !== '' && (cell.length > 20 || !NOTHING_SAID.test(cell.trim()));

export type CsvRow = { row: number; cells: string[] } | { row: number; reason: string };

const DELIMITERS = [',', ';', '\t'];
const MOST_CELLS = 2000;
/** Longer than any card field; a longer quoted cell means that a quotation mark was never closed. */
const LONGEST_CELL = 2 * 1024 * 1024;
/** Each search for the end of an unclosed quoted cell scans the file. */
const MOST_OPEN_QUOTES = 20;

/** Picks the delimiter that is most frequent outside of quotes in the first line. */
export function sniffDelimiter(text: string): string {
  const counts = DELIMITERS.map(() => 0);
  let quoted = false;
  for (let at = 0; at < Math.min(text.length, 200_000); at += 1) {
    const char = text[at]!;
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '\n' || char === '\r')) {
      if (counts.some((count) => count > 0) || text.slice(0, at).trim() !== '') break;
    } else if (!quoted) {
      const kind = DELIMITERS.indexOf(char);
      if (kind >= 0) counts[kind]! += 1;
    }
  }
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** Yields the rows, counted from 1 with empty lines counted but left out; reads every character once. */
export function* readCsvRows(text: string, delimiter = sniffDelimiter(text)): Generator<CsvRow> {
  let at = 0;
  let row = 0;
  let openQuotes = 0;
  while (at < text.length) {
    row += 1;
    const parsed = parseRow(text, at, delimiter);
    if ('cells' in parsed) {
      at = parsed.end;
      if (parsed.cells.some((cell) => cell.trim() !== '')) yield { row, cells: parsed.cells };
      continue;
    }
    yield { row, reason: parsed.reason };
    openQuotes += 1;
    if (openQuotes === MOST_OPEN_QUOTES) {
      yield {
        row: row + 1,
        reason: 'Too many quotation marks are never closed: nothing from here on was read',
      };
      return;
    }
    at = endOfLine(text, at);
  }
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline + 1;
}

function parseRow(
  text: string,
  from: number,
  delimiter: string,
): { cells: string[]; end: number } | { reason: string } {
  const cells: string[] = [];
  for (let at = from; ; ) {
    if (cells.length === MOST_CELLS) return { reason: `It has more than ${MOST_CELLS} cells` };
    const cell = text[at] === '"' ? parseQuoted(text, at + 1) : { text: '', end: at };
    if (!cell) return { reason: 'A quotation mark is never closed' };
    // Text after a closing quotation mark is kept: RFC 4180 forbids it, but some programs write it.
    const rest = plainUntil(text, cell.end, delimiter);
    cells.push(rest === cell.end ? cell.text : cell.text + text.slice(cell.end, rest));
    if (rest >= text.length) return { cells, end: text.length };
    if (text[rest] === delimiter) {
      at = rest + 1;
      continue;
    }
    return { cells, end: text[rest] === '\r' && text[rest + 1] === '\n' ? rest + 2 : rest + 1 };
  }
}

function plainUntil(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === delimiter || char === '\n' || char === '\r') return at;
  }
  return text.length;
}

/** Reads a quoted cell, in which `""` is one quotation mark; undefined if it is never closed. */
function parseQuoted(text: string, from: number): { text: string; end: number } | undefined {
  const parts: string[] = [];
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || quote - from > LONGEST_CELL) return undefined;
    if (text[quote + 1] !== '"') {
      parts.push(text.slice(at, quote));
      return { text: parts.length === 1 ? parts[0]! : parts.join(''), end: quote + 1 };
    }
    parts.push(text.slice(at, quote + 1));
    at = quote + 2;
  }
}
