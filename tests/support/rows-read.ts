import { sql } from 'kysely';
import type { Db, Tx } from '../../src/platform/database/database.js';

class Undone extends Error {}

/** Counts the rows of these tables that the work reads with these planner settings off. Always rolls back. */
export async function rowsReadBy(
  db: Db,
  tables: readonly string[],
  settingsOff: readonly string[],
  work: (tx: Tx) => Promise<unknown>,
): Promise<number> {
  let read = 0;
  const undone = db.transaction().execute(async (tx) => {
    for (const name of settingsOff) await sql`select set_config(${name}, 'off', true)`.execute(tx);
    const before = await rowsRead(tx, tables);
    await work(tx);
    read = (await rowsRead(tx, tables)) - before;
    throw new Undone();
  });
  await undone.catch((error) => {
    if (!(error instanceof Undone)) throw error;
  });
  return read;
}

/** Rows of the tables that this connection has read. */
async function rowsRead(tx: Tx, tables: readonly string[]): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
    where relname = any(${tables}::text[])`.execute(tx);
  return rows[0]!.read;
}
