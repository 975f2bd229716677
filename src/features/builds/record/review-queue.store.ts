import { type RawBuilder, sql } from 'kysely';
import type { BuildQuery } from '../builds.schemas.js';

export type ReviewState = NonNullable<BuildQuery['review']>;

/** By when builds came into a state: a moment of theirs. */
export type Moment = 'queued_at' | 'finished_at' | 'reworked_at' | 'accepted_at' | 'pushed_at';

export interface ListOrder {
  /** What a build of the list is like. */
  matching: RawBuilder<unknown>;
  moment: Moment;
  oldestFirst: boolean;
  /** By how much of a risk they are, the riskiest first, whatever their moments. */
  byRisk?: boolean;
}

/** What waits for somebody: the longest first. What is over: the latest first. Each has an index of its own. */
const QUEUES: Record<ReviewState, ListOrder> = {
  to_review: {
    // An attempt that was followed by another one is not asked about any more.
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

/** What a list of builds is narrowed to by their review, and its order. */
export const orderOf = (review: ReviewState | undefined, sort?: BuildQuery['sort']): ListOrder => ({
  ...(review ? QUEUES[review] : ALL),
  byRisk: sort === 'risk',
});

/** Where a build stands in such a list. Cursors know moments: a score is the one so many milliseconds after the first. */
export const placeIn = (
  { moment, byRisk }: ListOrder,
  build: Record<Moment, Date | null> & { build_id: string; risk_score: number | null },
) => ({ at: byRisk ? new Date((build.risk_score ?? -1) + 1) : build[moment]!, id: build.build_id });

const HIGHEST_SCORE = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** What comes after a place of the list, and its order by `place` and id. */
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
