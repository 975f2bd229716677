import { type RawBuilder, sql } from 'kysely';
import type { BuildQuery } from '../builds.schemas.js';

export type ReviewState = NonNullable<BuildQuery['review']>;

/** By when builds came into a state: a moment of theirs. */
type Moment = 'queued_at' | 'finished_at' | 'reworked_at' | 'accepted_at' | 'pushed_at';

export interface ListOrder {
  /** What a build of the list is like. */
  matching: RawBuilder<unknown>;
  moment: Moment;
  oldestFirst: boolean;
}

/** An attempt that was followed by another one is not asked about any more. */
const isLatest = sql`not exists (select from builds n where n.task_id = b.task_id and n.attempt > b.attempt)`;

/** What waits for somebody: the longest first. What is over: the latest first. Each has an index of its own. */
const QUEUES: Record<ReviewState, ListOrder> = {
  to_review: {
    matching: sql`(b.outcome = 'succeeded' and b.accepted_at is null and b.reworked_at is null and ${isLatest})`,
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
export const orderOf = (review: ReviewState | undefined): ListOrder => (review ? QUEUES[review] : ALL);

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** What comes after a place of the list, in its order. */
export function pageAfter({ moment, oldestFirst }: ListOrder, after: { at: Date; id: string } | undefined) {
  const at = sql.ref(`b.${moment}`);
  return oldestFirst
    ? {
        beyond: sql`(${at}, b.build_id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? FIRST_ID}::uuid)`,
        order: sql`${at}, b.build_id`,
      }
    : {
        beyond: sql`(${at}, b.build_id) < (${after?.at ?? 'infinity'}::timestamptz, ${after?.id ?? LAST_ID}::uuid)`,
        order: sql`${at} desc, b.build_id desc`,
      };
}
