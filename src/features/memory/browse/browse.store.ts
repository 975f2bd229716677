import { sql } from 'kysely';
import type { ActorNames } from '../../../kernel/actors.js';
import { anywhere } from '../../../kernel/like-pattern.js';
import type { TimePlace } from '../../../kernel/time-pages.js';
import type { Db } from '../../../platform/database/database.js';
import { actorNames } from '../../../platform/database/schema/actor-names.js';
import { firstWithWords } from '../../../platform/database/schema/words.js';
import type { Kind, MemoryRow, Status } from '../records/memory.record.js';
import { recordColumns } from '../records/memory-columns.store.js';

export interface MemoryFilter {
  agentId: string;
  status?: Status;
  kind?: Kind;
  q?: string;
  /** Verified before that moment, or since. */
  verified?: { before: Date } | { since: Date };
}

interface MemoryPage {
  after: TimePlace | undefined;
  limit: number;
  areWordsCommon: boolean;
}

/** A memory of whichever agent, as a search for words finds it. */
export interface WordedMemory {
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

/** How many entries there are up to the newest. */
export interface CountedHistory {
  total: number;
  newest: number;
}

/** Words that many have are no way to find them: those are come upon one after the other. */
const hasWords = (q: string, areCommon: boolean) => {
  // Word for word as the index has it.
  const words = sql`memory_text(title, body, description, tags) ilike ${anywhere(q)}`;
  return areCommon ? sql`(${words}) is true` : words;
};

const matching = (
  brandId: number,
  { agentId, status, kind, q, verified }: MemoryFilter,
  areWordsCommon = false,
) => {
  const parts = [sql`brand_id = ${brandId} and agent_id = ${agentId}`];
  if (status) parts.push(sql`status = ${status}`);
  if (kind) parts.push(sql`kind = ${kind}`);
  if (verified && 'before' in verified) parts.push(sql`last_verified_at < ${verified.before}`);
  if (verified && 'since' in verified) parts.push(sql`last_verified_at >= ${verified.since}`);
  if (q) parts.push(hasWords(q, areWordsCommon));
  return sql.join(parts, sql` and `);
};

export function browseStore(db: Db, brandId: number) {
  return {
    /** Those in use of all agents that have the words; in the title first, then last changed first. */
    async findByWords(text: string, limit: number): Promise<WordedMemory[]> {
      const found = firstWithWords(
        { brandId, text },
        {
          from: sql`memories`,
          id: sql`memory_id`,
          // Word for word as the index has it.
          words: sql`search_words(brand_id, title, memory_text('', body, description, tags))`,
          index: 'memories_by_word',
          changedAt: sql`updated_at`,
          where: sql`brand_id = ${brandId} and status = 'active'`,
        },
        limit,
      );
      const { rows } = await sql<WordedMemory>`
        select m.memory_id, m.agent_id, m.title, m.body, m.description, m.tags
        from (${found}) first
        join memories m on m.memory_id = first.id and m.brand_id = ${brandId}
        order by first.in_title desc, first.changed_at desc, first.id`.execute(db);
      return rows;
    },

    /** Last changed first. One plan is kept for all words: it is told whether many of the memories have them. */
    async listPage(
      filter: MemoryFilter,
      { after, limit, areWordsCommon }: MemoryPage,
      now: Date,
    ): Promise<MemoryRow[]> {
      const further = after ? sql`and (updated_at, memory_id) < (${after.at}, ${after.id}::uuid)` : sql``;
      const { rows } = await sql<MemoryRow>`
        select ${recordColumns(now)} from memories where ${matching(brandId, filter, areWordsCommon)} ${further}
        order by updated_at desc, memory_id desc limit ${limit}`.execute(db);
      return rows;
    },

    async count(filter: MemoryFilter): Promise<number> {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from memories where ${matching(brandId, filter)}`.execute(db);
      return rows[0]!.total;
    },

    /**
     * Newest first, with how many there are; of a memory that is known to be the workspace's. Entries only ever come: those up to
     * the newest that was `counted` before are not counted again.
     */
    async listHistory(
      memoryId: string,
      limit: number,
      counted?: CountedHistory,
    ): Promise<{ rows: HistoryRow[]; total: number }> {
      const { rows } = await sql<HistoryRow>`
        select h.entry_id, h.at, h.action, ${actorNames(sql`h.actor_user_id`, sql`h.actor_agent_id`)} as actor, h.changes
        from memory_history h
        where h.memory_id = ${memoryId} and h.brand_id = ${brandId}
        order by h.entry_id desc limit ${limit}`.execute(db);
      if (rows.length < limit) return { rows, total: rows.length };
      const newest = rows[0]!.entry_id;
      // A database that was put back to an earlier day may not have what was counted.
      const known = counted && counted.newest <= newest ? counted : { total: 0, newest: 0 };
      // Nothing but the memory is asked for: the index answers that, without the entries.
      const added = await sql<{ total: number }>`
        select count(*) as total from memory_history
        where memory_id = ${memoryId} and entry_id > ${known.newest} and entry_id <= ${newest}`.execute(db);
      return { rows, total: known.total + added.rows[0]!.total };
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

/** What one person did to memories of the workspaces they are in; the texts are the workspace's. */
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
