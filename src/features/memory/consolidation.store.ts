import { sql } from 'kysely';
import type { ActorIds } from '../../kernel/actors.js';
import type { Db } from '../../platform/database/database.js';
import type { Importance, MemoryRow } from './records/memory.record.js';
import { confidenceAt, recordColumns } from './records/memory.store.js';

export interface Learning {
  id: string;
  title: string;
  body: string;
  tags: string[];
  confidence: number;
  importance: Importance;
}

export type SourceText = Pick<Learning, 'id' | 'title' | 'body' | 'tags'>;

export interface PatternText extends SourceText {
  merged_from: string[];
}

const LEARNINGS = sql`kind = 'learning' and status = 'active' and not consolidated and not from_guest`;

export function consolidationStore(db: Db, brandId: number) {
  return {
    /** Locked until the transaction ends, oldest first. */
    async listLearnings(agentId: string, now: Date): Promise<Learning[]> {
      const { rows } = await sql<Learning>`
        select memory_id as id, title, body, tags, importance, ${confidenceAt(now)} as confidence from memories
        where agent_id = ${agentId} and brand_id = ${brandId} and ${LEARNINGS}
        order by created_at, memory_id for update`.execute(db);
      return rows;
    },

    async merge(memoryIds: readonly string[], patternId: string, now: Date): Promise<void> {
      await sql`
        update memories set status = 'merged', merged_into = ${patternId}, consolidated = true, updated_at = ${now}, changed_by = null, changed_by_agent = null
        where memory_id = any(${memoryIds}::uuid[]) and brand_id = ${brandId}`.execute(db);
    },

    async restoreSources(patternId: string, now: Date, by: ActorIds): Promise<MemoryRow[]> {
      const { rows } = await sql<MemoryRow>`
        update memories set status = 'active', merged_into = null, updated_at = ${now}, changed_by = ${by.userId},
          changed_by_agent = ${by.agentId}
        where merged_into = ${patternId} and brand_id = ${brandId} and status = 'merged'
        returning ${recordColumns(now)}`.execute(db);
      return rows;
    },

    async archive(patternId: string, now: Date, by: ActorIds): Promise<MemoryRow> {
      const { rows } = await sql<MemoryRow>`
        update memories set status = 'archived', updated_at = ${now}, changed_by = ${by.userId},
          changed_by_agent = ${by.agentId}
        where memory_id = ${patternId} and brand_id = ${brandId}
        returning ${recordColumns(now)}`.execute(db);
      return rows[0]!;
    },

    /** All patterns made from a memory, even if it is no longer merged; locked until the transaction ends. */
    async listPatternsOf(memoryId: string): Promise<PatternText[]> {
      const { rows } = await sql<PatternText>`
        select memory_id as id, title, body, tags, merged_from from memories
        where merged_from <> '{}' and merged_from @> array[${memoryId}::uuid] and brand_id + 0 = ${brandId}
        order by memory_id for update`.execute(db);
      return rows;
    },

    /** In the order of the ids. */
    async listTexts(memoryIds: readonly string[]): Promise<SourceText[]> {
      const { rows } = await sql<SourceText>`
        select memory_id as id, title, body, tags from memories
        where memory_id = any(${memoryIds}::uuid[]) and brand_id = ${brandId}
        order by array_position(${memoryIds}::uuid[], memory_id)`.execute(db);
      return rows;
    },

    async rewritePattern({ id, title, body, tags, merged_from }: PatternText, now: Date): Promise<void> {
      await sql`
        update memories set title = ${title}, body = ${body}, tags = ${tags}::text[], merged_from = ${merged_from}::uuid[],
          updated_at = ${now}, changed_by = null, changed_by_agent = null
        where memory_id = ${id} and brand_id = ${brandId}`.execute(db);
      // A deleted text must not remain in the history of patterns made from it.
      await sql`
        update memory_history set changes = changes - array['title', 'body', 'description', 'tags']
        where memory_id = ${id} and brand_id = ${brandId}`.execute(db);
    },
  };
}

/** For the background job, over all workspaces. */
export async function listAgentsWithGroups(
  db: Db,
  fewest: number,
): Promise<{ agent_id: string; brand_id: number }[]> {
  const { rows } = await sql<{ agent_id: string; brand_id: number }>`
    select distinct agent_id, brand_id from (
      select agent_id, brand_id, tag from memories, unnest(tags) as tag
      where ${LEARNINGS}
      group by agent_id, brand_id, tag having count(distinct memory_id) >= ${fewest}
    ) shared order by agent_id`.execute(db);
  return rows;
}
