import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';

export interface CardWeek {
  week: string;
  made: number;
  done: number;
}

/** Cards of one workspace by week: made then, and done then and done still. `since` is the beginning of a week. */
export async function listCardWeeks(db: Db, brandId: number, since: Date): Promise<CardWeek[]> {
  const { rows } = await sql<CardWeek>`
    select to_char(week, 'YYYY-MM-DD') as week, sum(made)::integer as made, sum(done)::integer as done
    from (
      select week_of(created_at) as week, count(*) as made, 0 as done
      from cards where brand_id = ${brandId} and created_at >= ${since} group by 1
      union all
      select week_of(completed_at), 0, count(*)
      from cards where brand_id = ${brandId} and completed_at >= ${since} group by 1
    ) counted group by 1`.execute(db);
  return rows;
}
