import { columnAndStatusDisagree, columnsDiffer, unknownColumn } from '../boards.errors.js';

export const STATUSES = ['pending', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];

export interface Column {
  id: string;
  name: string;
  status: Status;
}

/** Ways to name a column. If several are given, they must name the same one. */
export interface ColumnReference {
  column?: string | { id?: string; name?: string };
  column_id?: string;
  column_name?: string;
}

export const nameKey = (name: string): string => name.trim().toLowerCase();

export function findColumn(columns: readonly Column[], reference: ColumnReference): Column | undefined {
  const named = listNamings(columns, reference);
  const [first] = named;
  if (named.some((column) => column.id !== first?.id)) throw columnsDiffer();
  return first;
}

function listNamings(
  columns: readonly Column[],
  { column, column_id, column_name }: ColumnReference,
): Column[] {
  const byName = (name: string) => getColumn(columns, name, (each) => nameKey(each.name) === nameKey(name));
  const byId = (id: string) => getColumn(columns, id, (each) => each.id === id.toLowerCase());
  const named: Column[] = [];
  if (typeof column === 'string') named.push(byName(column));
  if (typeof column === 'object') {
    if (column.id !== undefined) named.push(byId(column.id));
    if (column.name !== undefined) named.push(byName(column.name));
  }
  if (column_id !== undefined) named.push(byId(column_id));
  if (column_name !== undefined) named.push(byName(column_name));
  return named;
}

function getColumn(columns: readonly Column[], wanted: string, matches: (column: Column) => boolean): Column {
  const column = columns.find(matches);
  if (!column) throw unknownColumn(wanted);
  return column;
}

export interface Place {
  column: Column;
  status: Status;
}

/** The place of a card after a write that named a column, a status, both or neither. */
export function placeCard(
  columns: readonly Column[],
  current: Place,
  named: { column?: Column; status?: Status },
): Place {
  const { column, status } = named;
  if (column) {
    if (status !== undefined && status !== column.status) throw columnAndStatusDisagree();
    return { column, status: column.status };
  }
  if (status === undefined) return current;
  if (current.column.status === status) return { column: current.column, status };
  return { column: columns.find((each) => each.status === status) ?? current.column, status };
}
