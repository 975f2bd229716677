import { sql } from 'kysely';
import type { TSchema } from 'typebox';
import type { Db, Tx } from '../../../platform/database/database.js';
import { columnOf, FIELD_NAMES, type FieldName, fieldOf } from './card-fields.js';

/** Stops the service from starting when declared fields and table columns differ. */
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

/** An unknown column belongs to a newer version, which is fine as long as rows can be written without it. */
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

export interface KeptColumn {
  table: 'cards' | 'card_bodies';
  name: string;
  nullable: boolean;
  /** Has a default or allows null. */
  optional: boolean;
}

export async function listKeptColumns(db: Db | Tx): Promise<KeptColumn[]> {
  const { rows } = await sql<KeptColumn>`
    select c.relname as table, a.attname as name, not a.attnotnull as nullable,
      a.atthasdef or not a.attnotnull as optional
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.oid in ('cards'::regclass, 'card_bodies'::regclass) and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum
  `.execute(db);
  return rows;
}
