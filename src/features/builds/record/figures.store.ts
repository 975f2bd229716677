import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface BuildWeek {
  week: string;
  coder: string;
  builds: number;
  succeeded: number;
  tokens_in: number;
  tokens_out: number;
  cost_usd: number;
}

/** Builds of one workspace by the week in which they were asked for. `since` is the beginning of a week. */
export async function listBuildWeeks(db: Db | Tx, brandId: number, since: Date): Promise<BuildWeek[]> {
  const { rows } = await sql<BuildWeek>`
    select to_char(week_of(queued_at), 'YYYY-MM-DD') as week, coder, count(*) filter (where kind = 'build')::int as builds,
      count(*) filter (where kind = 'build' and outcome = 'succeeded')::int as succeeded,
      coalesce(sum(tokens_in), 0)::bigint as tokens_in, coalesce(sum(tokens_out), 0)::bigint as tokens_out,
      coalesce(sum(cost_usd::numeric), 0)::float8 as cost_usd
    from builds where brand_id = ${brandId} and queued_at >= ${since}
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}
