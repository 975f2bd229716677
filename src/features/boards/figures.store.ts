import { sql } from 'kysely';
import type { Db } from '../../database/database.js';

export interface CardWeek {
  week: string;
  made: number;
  done: number;
}

/** Cards of one workspace by week: made then, and done then and done still. `since` is the beginning of a week. */
export async function listCardWeeks(db: Db, brandId: number, since: Date): Promise<CardWeek[]> {
  const { rows } = await sql<CardWeek>`
    select to_char(week, 'YYYY-MM-DD') as week, sum(made)::integer as made, sum(done)::integer as done
    from card_weeks where brand_id = ${brandId} and week >= week_of(${since}) group by 1
    having sum(made) > 0 or sum(done) > 0`.execute(db);
  return rows;
}
