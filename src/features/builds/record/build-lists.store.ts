import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { BuildQuery } from '../builds.schemas.js';

export type ReviewState = NonNullable<BuildQuery['review']>;

export type Moment = 'queued_at' | 'finished_at' | 'reworked_at' | 'accepted_at' | 'pushed_at';

export interface ListOrder {
  matching: RawBuilder<unknown>;
  moment: Moment;
  oldestFirst: boolean;
  byRisk?: boolean;
}

/** Open work is listed oldest first, finished work newest first. Each order has its own index. */
const QUEUES: Record<ReviewState, ListOrder> = {
  to_review: {
    // An attempt with a successor needs no review.
    matching: sql`(b.outcome = 'succeeded' and b.kind = 'build' and not b.superseded and b.accepted_at is null and b.reworked_at is null)`,
    moment: 'finished_at',
    oldestFirst: true,
  },
  rework: { matching: sql`b.reworked_at is not null`, moment: 'reworked_at', oldestFirst: false },
  accepted: {
    matching: sql`(b.accepted_at is not null and b.pushed_at is null)`,
    moment: 'accepted_at',
    oldestFirst: true,
  },
  pushed: { matching: sql`b.pushed_at is not null`, moment: 'pushed_at', oldestFirst: false },
};

const ALL: ListOrder = { matching: sql`true`, moment: 'queued_at', oldestFirst: false };

export const orderOf = (review: ReviewState | undefined, sort?: BuildQuery['sort']): ListOrder => ({
  ...(review ? QUEUES[review] : ALL),
  byRisk: sort === 'risk',
});

/** Cursors hold times, so a score is stored as milliseconds. */
export const placeIn = (
  { moment, byRisk }: ListOrder,
  build: Record<Moment, Date | null> & { build_id: string; risk_score: number | null },
) => ({ at: byRisk ? new Date((build.risk_score ?? -1) + 1) : build[moment]!, id: build.build_id });

const HIGHEST_SCORE = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function pageAfter(
  { moment, oldestFirst, byRisk }: ListOrder,
  after: { at: Date; id: string } | undefined,
) {
  if (byRisk) {
    const place = sql`coalesce(b.risk_score, -1::smallint)`;
    const last = after ? after.at.getTime() - 1 : HIGHEST_SCORE + 1;
    return {
      beyond: sql`(${place}, b.build_id) < (${last}::smallint, ${after?.id ?? LAST_ID}::uuid)`,
      place,
      order: sql`place desc, build_id desc`,
    };
  }
  const place = sql.ref(`b.${moment}`);
  return oldestFirst
    ? {
        beyond: sql`(${place}, b.build_id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? FIRST_ID}::uuid)`,
        place,
        order: sql`place, build_id`,
      }
    : {
        beyond: sql`(${place}, b.build_id) < (${after?.at ?? 'infinity'}::timestamptz, ${after?.id ?? LAST_ID}::uuid)`,
        place,
        order: sql`place desc, build_id desc`,
      };
}

export interface BuildWeek {
  week: string;
  coder: string;
  builds: number;
  succeeded: number;
  tokens_in: number;
  tokens_out: number;
  cost_usd: number;
}

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
