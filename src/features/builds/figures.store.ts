import { sql } from 'kysely';
import type { Db } from '../../database/database.js';

export interface BuildWeek {
  week: string;
  coder: string;
  builds: number;
  succeeded: number;
  tokens_in: number;
  tokens_out: number;
  cost_usd: number;
}

/** Builds of one workspace by the week in which they were asked for: what has ended is tallied. `since` is the beginning of a week. */
export async function listBuildWeeks(db: Db, brandId: number, since: Date): Promise<BuildWeek[]> {
  const { rows } = await sql<BuildWeek>`
    select to_char(week, 'YYYY-MM-DD') as week, coder, sum(builds)::int as builds, sum(succeeded)::int as succeeded,
      sum(tokens_in)::bigint as tokens_in, sum(tokens_out)::bigint as tokens_out, sum(cost_usd)::float8 as cost_usd
    from (
      select week, coder, ended, builds, succeeded, tokens_in, tokens_out, cost_usd
      from build_weeks where brand_id = ${brandId} and week >= week_of(${since})
      union all
      select week_of(queued_at), coder, 1, (kind = 'build')::int, 0, coalesce(tokens_in, 0), coalesce(tokens_out, 0),
        coalesce(cost_usd::numeric, 0)
      from builds where brand_id = ${brandId} and finished_at is null and queued_at >= ${since}
    ) counted
    group by 1, 2 having sum(ended) > 0 order by 1, 2`.execute(db);
  return rows;
}
