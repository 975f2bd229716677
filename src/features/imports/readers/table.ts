import {
  type Draft,
  type DraftRow,
  lostColumn,
  readPerson,
  type Someone,
  UnreadableExport,
} from './record.js';
import { readNumber, readTime } from './values.js';

/** The cells of one row by the names of their columns; a name may head several. */
export interface NamedCells {
  /** The first that is not empty, of the first name that has one. */
  get(...names: string[]): string | null;
  /** All that are not empty, of all names. */
  all(...names: string[]): string[];
  /** All that are not empty, by the names that begin so. */
  beginning(prefix: string): { name: string; values: string[] }[];
  /** All parts of all cells: `one, two`; `one; two`. */
  list(...names: string[]): string[];
  number(...names: string[]): number | null;
  person(...names: string[]): Someone | null;
  /** An unreadable time is noted in the card's text under its label. */
  time(label: string, ...names: string[]): string | null;
}

const headerKey = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, ' ');

export interface TableReader {
  titles: readonly string[];
  /** Columns about the other program and not about the card. */
  ignored?: readonly string[];
  toDraft(cells: NamedCells): Draft;
}

/** Each row below a first line of names as a draft. Columns that no reader asked for are named as lost. */
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
  /** A name may head several. */
  indexes: number[];
  /** How the loss is called when no reader asks for it. */
  lost: string;
  isRead: boolean;
}

/** The columns with a value in this row that no reader asks for. */
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

/** A row of cells, or why it cannot be told where they end. */
export type CsvRow = { row: number; cells: string[] } | { row: number; reason: string };

const DELIMITERS = [',', ';', '\t'];
const MOST_CELLS = 2000;
/** Longer than whatever a card can take; a quotation mark that is open for so long was never meant to be one. */
const LONGEST_CELL = 2 * 1024 * 1024;
/** Each look for the end of a quoted cell that has none costs a walk through the file. */
const MOST_OPEN_QUOTES = 20;

/** What the first line has most of outside of quotes. */
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

/** Rows of cells, from the first line, which is row 1; empty lines are counted and left out. Every character is looked at once. */
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

/** Where the next line begins. */
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
    // What stands behind a closing quotation mark belongs to the cell: not by the book, but programs write it.
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

/** Where the next delimiter or the end of the line is. */
function plainUntil(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === delimiter || char === '\n' || char === '\r') return at;
  }
  return text.length;
}

/** A quoted cell, in which two quotation marks are one; undefined where it does not end. */
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
