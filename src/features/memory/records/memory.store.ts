import { type RawBuilder, sql } from 'kysely';
import type { ActorIds } from '../../../kernel/actors.js';
import type { Db } from '../../../platform/database/database.js';
import { hasEnabledWebhook } from '../../../platform/database/schema/sql-fragments.js';
import type { Importance, Kind, MemoryRow, Status } from './memory.record.js';

export const confidenceAt = (now: Date): RawBuilder<number> =>
  sql<number>`memory_confidence(set_confidence, last_verified_at, importance, ${now})`;

export const recordColumns = (now: Date) => sql`
  memory_id, agent_id, kind, title, body, description, tags, importance, status, source_id, conversation_id, extractor,
  merged_into, merged_from, superseded_by, from_guest, created_at, updated_at, last_verified_at, ${confidenceAt(now)} as confidence`;

export interface NewMemory {
  memoryId: string;
  agentId: string;
  kind: Kind;
  title: string;
  body: string;
  description: string | null;
  tags: string[];
  confidence: number;
  importance: Importance;
  excerpt?: string;
  sourceId?: string | null;
  conversationId?: string | null;
  extractor?: 'model' | 'rule-based' | null;
  mergedFrom?: string[];
  fromGuest?: boolean;
  /** Undefined when the service itself makes the change. */
  by?: ActorIds;
}

export interface MemoryChanges {
  title?: string;
  body?: string;
  /** Absent keeps, null clears. */
  description?: string | null;
  kind?: Kind;
  tags?: string[];
  confidence?: number;
  importance?: Importance;
  status?: Exclude<Status, 'merged'>;
}

export interface StatsRow {
  kind: Kind;
  status: Status;
  count: number;
  confidence: number;
}

export interface KnownMemory {
  memory_id: string;
  title: string;
  body: string;
  status: Status;
  from_guest: boolean;
}

export function memoryStore(db: Db, brandId: number) {
  return {
    /**
     * Undefined when the agent does not belong to the workspace, or when `onlyWithoutWebhooks` is set and the workspace
     * has an enabled webhook.
     */
    async insert(
      memory: NewMemory,
      now: Date,
      { onlyWithoutWebhooks = false } = {},
    ): Promise<MemoryRow | undefined> {
      const { rows } = await sql<MemoryRow>`
        insert into memories (memory_id, brand_id, agent_id, kind, title, body, description, tags, set_confidence, importance,
          excerpt, source_id, conversation_id, extractor, merged_from, created_at, updated_at, last_verified_at, changed_by,
          changed_by_agent, from_guest)
        select ${memory.memoryId}, ${brandId}, ${memory.agentId}, ${memory.kind}, ${memory.title}, ${memory.body},
          ${memory.description}, ${memory.tags}::text[], ${memory.confidence}, ${memory.importance}, ${memory.excerpt ?? ''},
          ${memory.sourceId ?? null}::uuid, ${memory.conversationId ?? null}::uuid, ${memory.extractor ?? null},
          ${memory.mergedFrom ?? []}::uuid[], ${now}, ${now}, ${now}, ${memory.by?.userId ?? null}::integer,
          ${memory.by?.agentId ?? null}::text, ${memory.fromGuest ?? false}
        where exists (select from agents where agent_id = ${memory.agentId} and brand_id = ${brandId})
          ${onlyWithoutWebhooks ? sql`and not ${hasEnabledWebhook(brandId)}` : sql``}
        returning ${recordColumns(now)}`.execute(db);
      return rows[0];
    },

    async find(memoryId: string, now: Date): Promise<MemoryRow | undefined> {
      const { rows } = await sql<MemoryRow>`
        select ${recordColumns(now)} from memories where memory_id = ${memoryId} and brand_id = ${brandId}`.execute(
        db,
      );
      return rows[0];
    },

    /**
     * In the order of the ids. `coalesce` stops the planner from reading all of the workspace's memories by
     * their index.
     */
    async listByIds(memoryIds: readonly string[], now: Date): Promise<MemoryRow[]> {
      const { rows } = await sql<MemoryRow>`
        select ${recordColumns(now)} from memories
        where memory_id = any(${memoryIds}::uuid[]) and coalesce(brand_id = ${brandId}, false)`.execute(db);
      const byId = new Map(rows.map((row) => [row.memory_id, row]));
      return memoryIds.flatMap((id) => byId.get(id) ?? []);
    },

    /**
     * Every call verifies the memory, even without changes. Setting a status detaches the memory from the
     * pattern it was merged into.
     */
    async change(
      memoryId: string,
      changes: MemoryChanges,
      now: Date,
      by?: ActorIds,
    ): Promise<MemoryRow | undefined> {
      const { title, body, description, kind, tags, confidence, importance, status } = changes;
      const { rows } = await sql<MemoryRow>`
        update memories set
          title = coalesce(${title ?? null}, title),
          body = coalesce(${body ?? null}, body),
          description = case when ${description !== undefined} then ${description ?? null} else description end,
          kind = coalesce(${kind ?? null}, kind),
          tags = coalesce(${tags ?? null}::text[], tags),
          set_confidence = coalesce(${confidence ?? null}, set_confidence),
          importance = coalesce(${importance ?? null}, importance),
          status = coalesce(${status ?? null}, status),
          merged_into = case when ${status === undefined} then merged_into end,
          superseded_by = case when ${status === undefined} then superseded_by end,
          updated_at = ${now}, last_verified_at = ${now}, changed_by = ${by?.userId ?? null}::integer,
          changed_by_agent = ${by?.agentId ?? null}::text
        where memory_id = ${memoryId} and brand_id = ${brandId}
        returning ${recordColumns(now)}`.execute(db);
      return rows[0];
    },

    async supersede(
      memoryIds: readonly string[],
      { memoryId, agentId, by }: Pick<NewMemory, 'memoryId' | 'agentId' | 'by'>,
      now: Date,
    ): Promise<number> {
      const { rows } = await sql`
        update memories set status = 'archived', merged_into = null, superseded_by = ${memoryId}, updated_at = ${now},
          changed_by = ${by?.userId ?? null}::integer, changed_by_agent = ${by?.agentId ?? null}::text
        where memory_id = any(${memoryIds}::uuid[]) and brand_id = ${brandId} and agent_id = ${agentId}
        returning memory_id`.execute(db);
      return rows.length;
    },

    async remove(memoryId: string): Promise<boolean> {
      const { rows } = await sql`
        delete from memories where memory_id = ${memoryId} and brand_id = ${brandId} returning memory_id`.execute(
        db,
      );
      return rows.length > 0;
    },

    async listStats(agentId: string | undefined, now: Date): Promise<StatsRow[]> {
      // Matches one index on workspace and agent that contains all needed columns.
      const whose =
        agentId === undefined
          ? sql`brand_id = ${brandId}`
          : sql`brand_id = ${brandId} and agent_id = ${agentId}`;
      const { rows } = await sql<StatsRow>`
        select kind, status, count(*) as count, sum(${confidenceAt(now)}) as confidence
        from memories where ${whose} group by kind, status`.execute(db);
      return rows;
    },

    async verify(memoryId: string, now: Date): Promise<void> {
      await sql`
        update memories set last_verified_at = ${now}, changed_by = null, changed_by_agent = null
        where memory_id = ${memoryId} and brand_id = ${brandId}`.execute(db);
    },
  };
}
