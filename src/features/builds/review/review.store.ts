import { sql } from 'kysely';
import type { ActorIds } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';

export function reviewStore(db: Db | Tx, brandId: number) {
  return {
    /** `error` says why there is nothing to push. */
    async accept(
      buildId: string,
      accepted: { by: ActorIds; at: Date; pushAt: Date | null; error: string | null },
    ): Promise<void> {
      await sql`
        update builds set accepted_at = ${accepted.at}, accepted_by = ${accepted.by.userId},
          reviewed_by_agent = ${accepted.by.agentId},
          push_next_at = ${accepted.pushAt}, push_error = ${accepted.error}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async rework(buildId: string, sentBack: { by: ActorIds; at: Date }): Promise<void> {
      await sql`
        update builds set reworked_at = ${sentBack.at}, reworked_by = ${sentBack.by.userId},
          reviewed_by_agent = ${sentBack.by.agentId}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async pushAgain(buildId: string, at: Date): Promise<void> {
      await sql`
        update builds set push_next_at = ${at}, push_error = null, push_attempts = 0
        where brand_id = ${brandId} and build_id = ${buildId} and pushed_at is null`.execute(db);
    },

    /** False when another node has recorded it already. */
    async notePushed(buildId: string, branch: string, at: Date): Promise<boolean> {
      const { rows } = await sql`
        update builds set pushed_at = ${at}, pushed_branch = nullif(${branch}::text, branch), push_error = null, push_next_at = null
        where brand_id = ${brandId} and build_id = ${buildId} and pushed_at is null
        returning build_id`.execute(db);
      return rows.length > 0;
    },

    /** Returns whom to notify, only for the first failure. */
    async notePushFailed(
      buildId: string,
      error: string,
      nextAt: Date | null,
    ): Promise<{ task_id: string; accepted_by: number | null } | undefined> {
      const { rows } = await sql<{ task_id: string; accepted_by: number | null; is_first: boolean }>`
        update builds b set push_error = ${error}, push_next_at = ${nextAt}
        from builds before
        where b.brand_id = ${brandId} and b.build_id = ${buildId} and b.pushed_at is null and before.build_id = b.build_id
        returning b.task_id, b.accepted_by, before.push_error is null as is_first`.execute(db);
      return rows[0]?.is_first ? rows[0] : undefined;
    },
  };
}

export interface DuePush {
  build_id: string;
  brand_id: number;
  push_attempts: number;
}

/** Spans all workspaces. Claimed pushes are left alone until `leaseEnd`. */
export async function claimPushes(db: Db, now: Date, leaseEnd: Date, limit: number): Promise<DuePush[]> {
  const { rows } = await sql<DuePush>`
    update builds set push_attempts = push_attempts + 1, push_next_at = ${leaseEnd}
    where build_id in (
      select build_id from builds where push_next_at <= ${now}
      order by push_next_at limit ${limit} for update skip locked)
    returning build_id, brand_id, push_attempts`.execute(db);
  return rows;
}
