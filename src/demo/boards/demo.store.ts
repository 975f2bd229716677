import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.js';
import type { Row } from './card-story.js';

/**
 * Inserts rows with past dates, which no request could create. Contains only the columns that the demo uses.
 */
export async function insertRows(
  tx: Tx,
  table: 'cards' | 'card_bodies' | 'card_comments',
  rows: Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const name = sql.table(table);
  const columns = sql.join([...new Set(rows.flatMap(Object.keys))].map((column) => sql.ref(column)));
  await sql`
    insert into ${name} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::jsonb)
  `.execute(tx);
}
