import { readCsvRows } from './csv-text.js';
import { readTime } from './dates.js';
import {
  type Draft,
  type DraftRow,
  lostColumn,
  readPerson,
  type Someone,
  UnreadableExport,
} from './record.js';
import { readNumber } from './values.js';

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
