import { readCsvRows } from './csv-text.js';
import { lostColumn } from './losses.js';
import type { ImportRecord } from './record.js';
import { type ReadRow, tidyRecord, UnreadableExport } from './record.js';

/** The cells of one row by the names of their columns; a name may head several. */
export interface NamedCells {
  /** The first that is not empty, of the first name that has one. */
  get(...names: string[]): string | null;
  /** All that are not empty, of all names. */
  all(...names: string[]): string[];
  /** All that are not empty, by the names that begin so. */
  beginning(prefix: string): { name: string; values: string[] }[];
}

const headerKey = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, ' ');

interface TableReader {
  titles: readonly string[];
  /** Columns that tell of the program they come from, and not of the card. */
  ignored?: readonly string[];
  toRecord(cells: NamedCells): Partial<ImportRecord>;
}

/** Rows below a first line of names, each made a record. What stands in columns that nobody asked for is named as lost. */
export function* readTable(
  text: string,
  { titles, ignored = [], toRecord }: TableReader,
): Generator<ReadRow> {
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
    const draft = toRecord(namedCells(columns, cells));
    const record = tidyRecord({ ...draft, lost: [...(draft.lost ?? []), ...listLost(all, cells)] });
    yield typeof record === 'string' ? { row, reason: record } : { row, record };
  }
}

interface Column {
  key: string;
  /** A name may head several. */
  indexes: number[];
  /** What is lost where nobody reads it. */
  lost: string;
  isRead: boolean;
}

/** The columns that say something in a row and that nobody asks for. */
const listLost = (columns: readonly Column[], cells: readonly string[]): string[] =>
  columns.flatMap(({ isRead, indexes, lost }) =>
    !isRead && indexes.some((index) => saysSomething(cells[index])) ? lost : [],
  );

/** Asked dozens of times for every row of a file: nothing is made that is not answered. */
function namedCells(columns: ReadonlyMap<string, Column>, cells: readonly string[]): NamedCells {
  const valuesOf = (column: Column): string[] => {
    column.isRead = true;
    return column.indexes.flatMap((index) => cells[index]?.trim() || []);
  };
  return {
    get(...names) {
      let found: string | null = null;
      for (const name of names) {
        const column = columns.get(name);
        if (!column) continue;
        column.isRead = true;
        for (let at = 0; found === null && at < column.indexes.length; at += 1)
          found = cells[column.indexes[at]!]?.trim() || null;
      }
      return found;
    },
    all: (...names) =>
      names.flatMap((name) => {
        const column = columns.get(name);
        return column ? valuesOf(column) : [];
      }),
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
