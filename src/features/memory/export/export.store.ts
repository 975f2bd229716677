import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import { confidenceAt } from '../records/memory.store.js';
import type { MemoryText, Written } from './corrections.js';
import type { Entry, ListedMemory } from './memory-file.js';

/** The last recorded export, and the one it replaces. */
export interface RecordedExport {
  current: Written;
  replaced: Written | undefined;
}

interface ExportRow {
  entries: Entry[];
  digest: string;
  replaced_entries: Entry[] | null;
  replaced_digest: string | null;
}

/** Confidences this close are equal: a week or two of age must not outweigh importance. */
const EQUAL_CONFIDENCE = 0.05;

export function exportStore(db: Db, brandId: number) {
  return {
    async findLast(agentId: string): Promise<RecordedExport | undefined> {
      const { rows } = await sql<ExportRow>`
        select entries, digest, replaced_entries, replaced_digest from memory_exports
        where agent_id = ${agentId} and brand_id = ${brandId}`.execute(db);
      const row = rows[0];
      if (!row) return undefined;
      const { entries, digest, replaced_entries, replaced_digest } = row;
      return {
        current: { entries, digest },
        replaced:
          replaced_entries && replaced_digest
            ? { entries: replaced_entries, digest: replaced_digest }
            : undefined,
      };
    },

    async record(agentId: string, { current, replaced }: RecordedExport, now: Date): Promise<void> {
      await sql`
        insert into memory_exports (agent_id, brand_id, entries, digest, replaced_entries, replaced_digest, exported_at)
        values (${agentId}, ${brandId}, ${JSON.stringify(current.entries)}::jsonb, ${current.digest},
          ${replaced ? JSON.stringify(replaced.entries) : null}::jsonb, ${replaced?.digest ?? null}, ${now})
        on conflict (agent_id) do update set entries = excluded.entries, digest = excluded.digest,
          replaced_entries = excluded.replaced_entries, replaced_digest = excluded.replaced_digest,
          exported_at = excluded.exported_at`.execute(db);
    },

    /** Whether that export is still the last one, and the agent still has a directory. */
    async isCurrent(agentId: string, digest: string): Promise<boolean> {
      const { rows } = await sql`
        select from memory_exports join agents using (agent_id)
        where agent_id = ${agentId} and memory_exports.brand_id = ${brandId} and digest = ${digest}
          and directory_removed_at is null`.execute(db);
      return rows.length > 0;
    },

    /**
     * The best memories by confidence, with importance deciding between similar confidences, and the total. They are ordered by
     * mention of the agent's own repository, importance, last verification and age.
     */
    async listBest(
      agentId: string,
      limit: number,
      now: Date,
    ): Promise<{ best: ListedMemory[]; total: number }> {
      const { rows } = await sql<ListedMemory & { total: number }>`
        select id, kind, title, body, description, total from (
          select memory_id as id, kind, title, left(body, 2000) as body, description, created_at, importance,
            last_verified_at, array_to_string(tags, ' ') as tags, count(*) over () as total
          from memories
          where agent_id = ${agentId} and brand_id + 0 = ${brandId} and status = 'active' and not from_guest
          order by round(${confidenceAt(now)} / ${EQUAL_CONFIDENCE}::float8) desc, memory_importance_rank(importance) desc,
            ${confidenceAt(now)} desc, created_at desc, memory_id desc
          limit ${limit}
        ) best
        left join (
          select lower(regexp_replace(repository, '^.*/', '')) as name from agent_repositories
          where agent_id = ${agentId} and brand_id = ${brandId}
        ) own on own.name <> ''
        order by coalesce(position(own.name in lower(concat_ws(' ', title, body, tags))), 0) = 0,
          memory_importance_rank(importance) desc, last_verified_at desc, created_at desc, id desc`.execute(
        db,
      );
      const best = rows.map(({ total: _, ...memory }) => memory);
      return { best, total: rows[0]?.total ?? 0 };
    },

    /** Locked until the transaction ends. */
    async findActiveText(memoryId: string): Promise<MemoryText | undefined> {
      const { rows } = await sql<MemoryText>`
        select title, body, description from memories
        where memory_id = ${memoryId} and brand_id = ${brandId} and status = 'active' for update`.execute(db);
      return rows[0];
    },
  };
}

/** Every agent that has memories, or had some when its file was last written, and whose directory was not removed. */
export async function listAgentsToExport(
  db: Db,
  after: string,
  limit: number,
): Promise<{ agent_id: string; brand_id: number }[]> {
  const { rows } = await sql<{ agent_id: string; brand_id: number }>`
    select agent_id, brand_id from agents
    where agent_id > ${after} and brand_id is not null and directory_removed_at is null
      and (exists (select from memories where memories.agent_id = agents.agent_id and status = 'active')
        or exists (select from memory_exports where memory_exports.agent_id = agents.agent_id))
    order by agent_id limit ${limit}`.execute(db);
  return rows;
}
