import type { TSchema } from 'typebox';
import type { Db, Tx } from '../../../platform/database/database.js';
import { columnOf, FIELD_NAMES, type FieldName, fieldOf } from './card-fields.js';
import { type KeptColumn, listKeptColumns } from './kept-columns.store.js';

/** Starting fails when the declared fields and the tables that keep them have parted: better than a card half saved. */
export async function assertFieldsAreKept(db: Db | Tx): Promise<void> {
  const columns = await listKeptColumns(db);
  const faults = [...FIELD_NAMES.flatMap((name) => faultsOf(name, columns)), ...unclaimed(columns)];
  if (faults.length > 0)
    throw new Error(
      `The fields of a card and the database differ:\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    );
}

function faultsOf(name: FieldName, columns: KeptColumn[]): string[] {
  const place = placeOf(name);
  if (!place) return [];
  const column = columns.find((each) => each.table === place.table && each.name === place.column);
  if (!column) return [`${name} is kept in ${place.table}.${place.column}, which is not there`];
  if (column.nullable === allowsNull(fieldOf(name).shown)) return [];
  return [`${name} and ${place.table}.${place.column} disagree about null`];
}

/** A column that nobody here knows is a newer version's, as long as rows can be written without it. */
function unclaimed(columns: KeptColumn[]): string[] {
  const claimed = new Set(FIELD_NAMES.flatMap((name) => columnOf(name) ?? []));
  return columns
    .filter(({ table, name, optional }) => {
      return table === 'cards' && !optional && !claimed.has(name as never);
    })
    .map(({ name }) => `cards.${name} needs a value and is no field's`);
}

function placeOf(name: FieldName): { table: KeptColumn['table']; column: string } | undefined {
  if (fieldOf(name).kept === 'body') return { table: 'card_bodies', column: name };
  const column = columnOf(name);
  return column && { table: 'cards', column };
}

const allowsNull = (schema: TSchema): boolean =>
  ((schema as { anyOf?: { type?: string }[] }).anyOf ?? []).some(({ type }) => type === 'null');
