import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import type { ConversationStatus } from '../learning/conversations.store.js';
import type { Kind } from '../records/memory.record.js';
import { confidenceAt } from '../records/memory-columns.store.js';

/** How many came and went in a week; `week` is null for all before the first one that is asked for. */
export interface Movement {
  week: string | null;
  created: number;
  archived: number;
  /** Out of use, as archived or as merged. */
  left: number;
}

export interface Standing {
  kind: Kind;
  /** 1 to 10 */
  band: number;
  stale: boolean;
  count: number;
}

const shownWeek = (column: string, since: Date) => sql`
  case when ${sql.ref(column)} >= ${since} then to_char(week_of(${sql.ref(column)}), 'YYYY-MM-DD') end`;

/** Of one agent, or of all of the workspace. */
export function healthStore(db: Db, brandId: number, agentId: string | undefined) {
  const own =
    agentId === undefined ? sql`brand_id = ${brandId}` : sql`brand_id = ${brandId} and agent_id = ${agentId}`;
  return {
    /** `since` is the beginning of a week. */
    async listMovements(since: Date): Promise<Movement[]> {
      const { rows } = await sql<Movement>`
        select week, sum(created)::integer as created, sum(archived)::integer as archived, sum(went)::integer as left
        from (
          select ${shownWeek('created_at', since)} as week, count(*) as created, 0 as archived, 0 as went
          from memories where ${own} group by 1
          union all
          select ${shownWeek('updated_at', since)}, 0, count(*) filter (where status = 'archived'), count(*)
          from memories where ${own} and status <> 'active' group by 1
        ) moved group by week`.execute(db);
      return rows;
    },

    /** Active memories. */
    async listStandings(now: Date, staleBefore: Date): Promise<Standing[]> {
      const { rows } = await sql<Standing>`
        select kind, least(width_bucket(${confidenceAt(now)}, 0, 1, 10), 10) as band,
          last_verified_at < ${staleBefore} as stale, count(*) as count
        from memories where ${own} and status = 'active'
        group by 1, 2, 3`.execute(db);
      return rows;
    },

    async countConversations(): Promise<{ status: ConversationStatus; count: number }[]> {
      const { rows } = await sql<{ status: ConversationStatus; count: number }>`
        select status, count(*)::int as count from memory_conversations where ${own} group by status`.execute(
        db,
      );
      return rows;
    },

    async countSources(): Promise<{ enabled: number; failing: number }> {
      const { rows } = await sql<{ enabled: number; failing: number }>`
        select count(*) filter (where enabled) as enabled,
          count(*) filter (where enabled and error is not null) as failing
        from memory_sources where ${own}`.execute(db);
      return rows[0]!;
    },
  };
}
