import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from '../database.js';

/** The count of this node, on the primary. */
export const replicaBeatStore = (db: Db, nodeId: string) => ({
  async write(beat: number, now: Date): Promise<void> {
    await sql`
      insert into replica_beats (node_id, beat, beaten_at) values (${nodeId}, ${beat}, ${now})
      on conflict (node_id) do update set beat = excluded.beat, beaten_at = excluded.beaten_at`.execute(db);
  },

  /** Of nodes that are no more. */
  async removeBefore(past: Date): Promise<void> {
    await sql`delete from replica_beats where beaten_at < ${past}`.execute(db);
  },
});

/** How far a replica has followed the count; undefined when it knows none of this node. */
export async function readBeat(
  pool: pg.Pool,
  nodeId: string,
  timeoutMs: number,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ beat: number }>({
    text: 'select beat from replica_beats where node_id = $1',
    values: [nodeId],
    query_timeout: timeoutMs,
  } as pg.QueryConfig);
  return rows[0]?.beat;
}
