import { readCsvRows } from './csv-text.js';
import type { ImportRecord } from './record.js';
import { type ReadRow, tidyRecord, UnreadableExport } from './record.js';

/** The cells of one row by the names of their columns; a name may head several. */
export interface NamedCells {
  /** The first that is not empty, of the first name that has one. */
  get(...names: string[]): string | null;
  /** All that are not empty, of all names. */
  all(...names: string[]): string[];
}

const headerKey = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, ' ');

/** Rows below a first line of names, each made a record by `toRecord`. */
export function* readTable(
  text: string,
  titleNames: readonly string[],
  toRecord: (cells: NamedCells) => Partial<ImportRecord>,
): Generator<ReadRow> {
  const rows = readCsvRows(text);
  const first = rows.next().value;
  if (!first) throw new UnreadableExport('The file is empty');
  if (!('cells' in first)) throw new UnreadableExport(`The first line cannot be read: ${first.reason}`);
  const columns = new Map<string, number[]>();
  for (const [index, name] of first.cells.entries()) {
    const key = headerKey(name);
    const known = columns.get(key);
    if (known) known.push(index);
    else columns.set(key, [index]);
  }
  if (!titleNames.some((name) => columns.has(name)))
    throw new UnreadableExport(
      `The first line names no column for the title; it would be called one of: ${titleNames.join(', ')}`,
    );
  const width = first.cells.length;
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
    const record = tidyRecord(toRecord(namedCells(columns, cells)));
    yield typeof record === 'string' ? { row, reason: record } : { row, record };
  }
}

/** Asked dozens of times for every row of a file: nothing is made that is not answered. */
function namedCells(columns: ReadonlyMap<string, number[]>, cells: readonly string[]): NamedCells {
  return {
    get(...names) {
      for (const name of names) {
        const indexes = columns.get(name);
        if (!indexes) continue;
        for (const index of indexes) {
          const cell = cells[index]?.trim();
          if (cell) return cell;
        }
      }
      return null;
    },
    all: (...names) =>
      names.flatMap((name) => (columns.get(name) ?? []).flatMap((index) => cells[index]?.trim() || [])),
  };
}
