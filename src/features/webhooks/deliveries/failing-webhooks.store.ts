import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';

interface DueNotice {
  webhook_id: string;
  brand_id: number;
  url: string;
}

/** Across workspaces. */
export function failingStore(db: Db) {
  return {
    /** Each also gets a notice for the admins. */
    async disable(failingSince: Date, days: number, reason: string, now: Date): Promise<number> {
      const { rows } = await sql`
        update webhooks set enabled = false, disabled_reason = ${reason}, notice_due_at = ${now}
        where enabled and failing_since is not null and failing_since <= ${failingSince} and failing_days >= ${days}
        returning 1`.execute(db);
      return rows.length;
    },

    /** Claims notices until `lease`, after which another node may send them. */
    async claimNotices(now: Date, lease: Date, limit: number): Promise<DueNotice[]> {
      const { rows } = await sql<DueNotice>`
        update webhooks set notice_due_at = ${lease}
        where webhook_id in (
          select webhook_id from webhooks where notice_due_at is not null and notice_due_at <= ${now}
          order by notice_due_at limit ${limit} for update skip locked)
        returning webhook_id, brand_id, url`.execute(db);
      return rows;
    },

    async noteNotice(webhookId: string): Promise<void> {
      await sql`update webhooks set notice_due_at = null where webhook_id = ${webhookId}`.execute(db);
    },
  };
}
