import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Verdict } from '../review.schemas.js';
import { type BuildRow, buildColumns } from './builds.store.js';

export interface ReviewRow {
  build_id: string;
  reviewed_build_id: string;
  verdict: Verdict | null;
}

export type NewReview = Pick<
  BuildRow,
  'build_id' | 'coder' | 'profile' | 'branch' | 'base_sha' | 'queued_at'
>;

export function reviewerStore(db: Db | Tx, brandId: number) {
  return {
    async listOf(buildIds: readonly string[]): Promise<ReviewRow[]> {
      const { rows } = await sql<ReviewRow>`
        select r.build_id, r.reviewed_build_id, r.verdict from builds r
        where r.brand_id = ${brandId} and r.reviewed_build_id = any(${[...buildIds]}::uuid[])
        order by r.queued_at, r.build_id limit 1000`.execute(db);
      return rows;
    },

    async findLast(buildId: string, now: Date): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b
        where b.brand_id = ${brandId} and b.reviewed_build_id = ${buildId}
        order by b.queued_at desc, b.build_id desc limit 1`.execute(db);
      return rows[0];
    },

    /** A review has the number of its build, because it is not an attempt of its own. */
    async add(reviewed: BuildRow, review: NewReview): Promise<void> {
      await sql`
        insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, kind, reviewed_build_id, coder, profile,
          branch, base_branch, base_sha, origin_sha, created_by, created_by_agent, queued_at)
        values (${review.build_id}, ${brandId}, ${reviewed.task_id}, ${reviewed.ref}, ${reviewed.project_id}, ${reviewed.attempt},
          'review', ${reviewed.build_id}, ${review.coder}, ${review.profile}, ${review.branch}, ${reviewed.base_branch},
          ${review.base_sha}, ${reviewed.origin_sha ?? reviewed.base_sha}, ${reviewed.created_by}, ${reviewed.creator?.agent_id ?? null},
          ${review.queued_at})`.execute(db);
    },

    async saveVerdict(buildId: string, verdict: Verdict): Promise<void> {
      await sql`
        update builds set verdict = ${JSON.stringify(verdict)}::jsonb
        where brand_id = ${brandId} and build_id = ${buildId} and kind = 'review'`.execute(db);
    },

    async isReview(buildId: string): Promise<boolean> {
      const { rows } = await sql`
        select from builds where brand_id = ${brandId} and build_id = ${buildId} and kind = 'review'`.execute(
        db,
      );
      return rows.length > 0;
    },
  };
}

export function reviewPassStore(db: Db | Tx) {
  return {
    /** Builds that wait for a review while none is in progress. */
    async findWaiting(passedOver: readonly string[], now: Date): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b
        where b.review_wanted_at is not null and b.finished_at is null and b.build_id <> all(${[...passedOver]}::uuid[])
          and not exists (select from builds r where r.reviewed_build_id = b.build_id and r.finished_at is null)
        order by b.review_wanted_at limit 1`.execute(db);
      return rows[0];
    },

    async listQueued(limit: number): Promise<Pick<BuildRow, 'build_id' | 'brand_id' | 'project_id'>[]> {
      const { rows } = await sql<Pick<BuildRow, 'build_id' | 'brand_id' | 'project_id'>>`
        select build_id, brand_id, project_id from builds
        where kind = 'review' and finished_at is null and started_at is null and cancel_requested_at is null
        order by queued_at limit ${limit}`.execute(db);
      return rows;
    },

    async noteUnpaid(buildIds: readonly string[], now: Date): Promise<void> {
      await sql`
        update builds set unpaid_at = ${now}
        where build_id = any(${[...buildIds]}::uuid[]) and started_at is null`.execute(db);
    },

    /** Reviews that are no longer needed, or that no desk has taken since `forgotten`. */
    async lockIdle(
      passedOver: readonly string[],
      forgotten: Date,
      now: Date,
    ): Promise<(BuildRow & { is_wanted: boolean }) | undefined> {
      const isWanted = sql`exists (
        select from builds k where k.build_id = b.reviewed_build_id and k.finished_at is null)`;
      const { rows } = await sql<BuildRow & { is_wanted: boolean }>`
        select ${buildColumns(now)}, ${isWanted} as is_wanted from builds b
        where b.kind = 'review' and b.finished_at is null and b.cancel_requested_at is null
          and b.build_id <> all(${[...passedOver]}::uuid[])
          and ((b.started_at is null and greatest(b.queued_at, b.unpaid_at) < ${forgotten}) or not ${isWanted})
        order by b.queued_at limit 1 for no key update of b skip locked`.execute(db);
      return rows[0];
    },
  };
}
