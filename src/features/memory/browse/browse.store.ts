import { sql } from 'kysely';
import type { ActorNames } from '../../../kernel/actors.js';
import type { TimePlace } from '../../../kernel/cursor.js';
import type { Db } from '../../../platform/database/database.js';
import { actorNames, anywhere, firstWithWords } from '../../../platform/database/schema/sql-fragments.js';
import type { ConversationStatus } from '../learning/conversations.store.js';
import type { Kind, MemoryRow, Status } from '../records/memory.record.js';
import { confidenceAt, recordColumns } from '../records/memory.store.js';

export interface MemoryFilter {
  agentId: string;
  status?: Status;
  kind?: Kind;
  q?: string;
  /** Last verified before or since this time. */
  verified?: { before: Date } | { since: Date };
}

export interface MemoryWithWords {
  memory_id: string;
  agent_id: string;
  title: string;
  body: string;
  description: string | null;
  tags: string[];
}

export interface HistoryRow {
  entry_id: number;
  at: Date;
  action: string;
  actor: ActorNames | null;
  changes: Record<string, { from: unknown; to: unknown }>;
}

const matching = (brandId: number, { agentId, status, kind, q, verified }: MemoryFilter) => {
  const parts = [sql`brand_id = ${brandId} and agent_id = ${agentId}`];
  if (status) parts.push(sql`status = ${status}`);
  if (kind) parts.push(sql`kind = ${kind}`);
  if (verified && 'before' in verified) parts.push(sql`last_verified_at < ${verified.before}`);
  if (verified && 'since' in verified) parts.push(sql`last_verified_at >= ${verified.since}`);
  // The same expression as in the index `memories_by_part`.
  if (q) parts.push(sql`memory_text(title, body, description, tags) ilike ${anywhere(q)}`);
  return sql.join(parts, sql` and `);
};

export function browseStore(db: Db, brandId: number) {
  return {
    /**
     * Active memories of all agents that contain the words: matches in the title first, then last changed
     * first.
     */
    async findByWords(text: string, limit: number): Promise<MemoryWithWords[]> {
      const found = firstWithWords(
        { brandId, text },
        {
          from: sql`memories`,
          id: sql`memory_id`,
          // Must match the expression of the index exactly.
          words: sql`search_words(brand_id, title, memory_text('', body, description, tags))`,
          changedAt: sql`updated_at`,
          where: sql`brand_id = ${brandId} and status = 'active'`,
        },
        limit,
      );
      const { rows } = await sql<MemoryWithWords>`
        select m.memory_id, m.agent_id, m.title, m.body, m.description, m.tags
        from (${found}) first
        join memories m on m.memory_id = first.id and m.brand_id = ${brandId}
        order by first.in_title desc, first.changed_at desc, first.id`.execute(db);
      return rows;
    },

    async listPage(
      filter: MemoryFilter,
      after: TimePlace | undefined,
      limit: number,
      now: Date,
    ): Promise<MemoryRow[]> {
      const further = after ? sql`and (updated_at, memory_id) < (${after.at}, ${after.id}::uuid)` : sql``;
      const { rows } = await sql<MemoryRow>`
        select ${recordColumns(now)} from memories where ${matching(brandId, filter)} ${further}
        order by updated_at desc, memory_id desc limit ${limit}`.execute(db);
      return rows;
    },

    async count(filter: MemoryFilter): Promise<number> {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from memories where ${matching(brandId, filter)}`.execute(db);
      return rows[0]!.total;
    },

    /**
     * Newest first, with the total number of entries. The caller has checked that the memory belongs to the
     * workspace.
     */
    async listHistory(memoryId: string, limit: number): Promise<{ rows: HistoryRow[]; total: number }> {
      const { rows } = await sql<HistoryRow>`
        select h.entry_id, h.at, h.action, ${actorNames(sql`h.actor_user_id`, sql`h.actor_agent_id`)} as actor, h.changes
        from memory_history h
        where h.memory_id = ${memoryId} and h.brand_id = ${brandId}
        order by h.entry_id desc limit ${limit}`.execute(db);
      if (rows.length < limit) return { rows, total: rows.length };
      // Without a condition on the workspace, the index alone answers the query.
      const count = await sql<{ total: number }>`
        select count(*) as total from memory_history where memory_id = ${memoryId}`.execute(db);
      return { rows, total: count.rows[0]!.total };
    },
  };
}

interface OwnChange {
  id: string;
  brand_id: number;
  memory_id: string;
  action: string;
  at: Date;
}

/** A person's changes to memories in their workspaces, without the texts, which belong to the workspace. */
export async function listChangesBy(
  db: Db,
  userId: number,
  after: string | undefined,
  limit: number,
): Promise<OwnChange[]> {
  const { rows } = await sql<OwnChange>`
    select h.entry_id::text as id, h.brand_id, h.memory_id, h.action, h.at from memory_history h
    join memberships m on m.brand_id = h.brand_id and m.user_id = h.actor_user_id and m.active
    where h.actor_user_id = ${userId} and h.entry_id > ${after ?? '0'}::bigint
    order by h.entry_id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Number of memories created and retired in a week; `week` is null for everything before the first requested
 * week.
 */
export interface Movement {
  week: string | null;
  created: number;
  archived: number;
  /** Archived or merged. */
  left: number;
}

export interface ConfidenceCount {
  kind: Kind;
  /** 1 to 10 */
  band: number;
  stale: boolean;
  count: number;
}

const shownWeek = (column: string, since: Date) => sql`
  case when ${sql.ref(column)} >= ${since} then to_char(week_of(${sql.ref(column)}), 'YYYY-MM-DD') end`;

/** Of one agent, or of the whole workspace. */
export function healthStore(db: Db, brandId: number, agentId: string | undefined) {
  const own =
    agentId === undefined ? sql`brand_id = ${brandId}` : sql`brand_id = ${brandId} and agent_id = ${agentId}`;
  return {
    /** `since` is the start of a week. */
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

    async countByConfidence(now: Date, staleBefore: Date): Promise<ConfidenceCount[]> {
      const { rows } = await sql<ConfidenceCount>`
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
