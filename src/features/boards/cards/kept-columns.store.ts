import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface KeptColumn {
  table: 'cards' | 'card_bodies';
  name: string;
  nullable: boolean;
  /** A row can be written without saying anything about it. */
  optional: boolean;
}

/** The columns of the tables that keep cards, as the database has them; every workspace's cards lie in the same ones. */
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
