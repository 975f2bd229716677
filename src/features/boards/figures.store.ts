import { sql } from 'kysely';
import type { Db } from '../../database/database.js';

export interface CardWeek {
  week: string;
  made: number;
  done: number;
}

const weekOf = (column: string) =>
  sql`to_char(date_trunc('week', ${sql.ref(column)} at time zone 'UTC'), 'YYYY-MM-DD')`;

/** Cards of one workspace by week: made then, and done then and done still. */
export async function listCardWeeks(db: Db, brandId: number, since: Date): Promise<CardWeek[]> {
  const { rows } = await sql<CardWeek>`
    select week, sum(made)::integer as made, sum(done)::integer as done from (
      select ${weekOf('created_at')} as week, count(*) as made, 0 as done
      from cards where brand_id = ${brandId} and created_at >= ${since} group by 1
      union all
      select ${weekOf('completed_at')}, 0, count(*)
      from cards where brand_id = ${brandId} and completed_at >= ${since} group by 1
    ) counted group by week`.execute(db);
  return rows;
}
