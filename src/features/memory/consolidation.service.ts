import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { recordAudit } from '../../services/audit.js';
import type { PassResult } from '../../services/jobs.js';
import { lockAgent } from './agent-lock.js';
import { groupLearnings, type Learning, type PatternDraft, patternBody } from './consolidation.js';
import { memoryNotFound, nothingToUnmerge } from './memory.errors.js';
import { confidenceAt, type MemoryRow, recordColumns, toRecord } from './memory.record.js';
import { memoryStore } from './memory.store.js';

const LEARNINGS = sql`kind = 'learning' and status = 'active' and not consolidated`;

export function createConsolidation({ db, clock, log }: { db: Db; clock: Clock; log: Log }) {
  async function listAgentsWithGroups(): Promise<{ agent_id: string; brand_id: number }[]> {
    const { rows } = await sql<{ agent_id: string; brand_id: number }>`
      select distinct agent_id, brand_id from (
        select agent_id, brand_id, tag from memories, unnest(tags) as tag
        where ${LEARNINGS}
        group by agent_id, brand_id, tag having count(distinct memory_id) >= 3
      ) shared order by agent_id`.execute(db);
    return rows;
  }

  async function consolidateAgent(tx: Tx, brandId: number, agentId: string): Promise<number> {
    await lockAgent(tx, agentId);
    const now = clock.now();
    const { rows } = await sql<Learning>`
      select memory_id as id, title, body, tags, importance, ${confidenceAt(now)} as confidence from memories
      where agent_id = ${agentId} and brand_id = ${brandId} and ${LEARNINGS}
      order by created_at, memory_id for update`.execute(tx);
    const drafts = groupLearnings(rows);
    for (const draft of drafts) await mergeInto(tx, brandId, agentId, draft, now);
    return drafts.length;
  }

  async function mergeInto(
    tx: Tx,
    brandId: number,
    agentId: string,
    draft: PatternDraft,
    now: Date,
  ): Promise<void> {
    const { title, body, tags, confidence, importance, sources } = draft;
    const patternId = newId();
    await memoryStore(tx, brandId).insert(
      {
        memoryId: patternId,
        agentId,
        kind: 'pattern',
        title,
        body,
        description: null,
        tags,
        confidence,
        importance,
        mergedFrom: sources,
      },
      now,
    );
    await sql`
      update memories set status = 'merged', merged_into = ${patternId}, consolidated = true, updated_at = ${now}
      where memory_id = any(${sources}::uuid[])`.execute(tx);
  }

  return {
    async consolidateAll(signal: AbortSignal): Promise<PassResult> {
      const result: PassResult = { processed: 0, failed: 0 };
      for (const { agent_id: agentId, brand_id: brandId } of await listAgentsWithGroups()) {
        if (signal.aborted) break;
        try {
          result.processed += await inTransaction(db, (tx) => consolidateAgent(tx, brandId, agentId));
        } catch (error) {
          result.failed += 1;
          log.error({ err: error, agent: agentId }, 'Memories could not be consolidated');
        }
      }
      return result;
    },

    /** The sources come back as they were, and are never merged again; the pattern is archived. */
    async unmerge(caller: MemberCaller, memoryId: string) {
      const { brandId } = caller;
      return inTransaction(db, async (tx) => {
        const now = clock.now();
        const pattern = await memoryStore(tx, brandId).find(memoryId, now);
        if (!pattern) throw memoryNotFound();
        await lockAgent(tx, pattern.agent_id);
        const { rows } = await sql<MemoryRow>`
          update memories set status = 'active', merged_into = null, updated_at = ${now}
          where merged_into = ${memoryId} and brand_id = ${brandId} and status = 'merged'
          returning ${recordColumns(now)}`.execute(tx);
        if (rows.length === 0) throw nothingToUnmerge();
        const archived = await sql<MemoryRow>`
          update memories set status = 'archived', updated_at = ${now} where memory_id = ${memoryId}
          returning ${recordColumns(now)}`.execute(tx);
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.unmerged',
          subject: `memory:${memoryId}`,
          at: now,
        });
        const order = new Map(pattern.merged_from.map((id, i) => [id, i]));
        const restored = rows.sort((a, b) => (order.get(a.memory_id) ?? 0) - (order.get(b.memory_id) ?? 0));
        return {
          pattern: toRecord(archived.rows[0]!, now),
          restored: restored.map((row) => toRecord(row, now)),
        };
      });
    },
  };
}

/** What was deleted leaves the pattern made of it too, unless a person rewrote the pattern; with its last source it goes itself. */
export async function retractFromPattern(
  tx: Tx,
  brandId: number,
  patternId: string,
  removedId: string,
  before: SourceText[],
  now: Date,
): Promise<void> {
  const left = before.filter(({ memory_id }) => memory_id !== removedId);
  if (left.length === 0) {
    await sql`delete from memories where memory_id = ${patternId} and brand_id = ${brandId}`.execute(tx);
    return;
  }
  await sql`
    update memories set
      body = case when body = ${patternBody(before)} then ${patternBody(left)} else body end,
      merged_from = array_remove(merged_from, ${removedId}::uuid), updated_at = ${now}
    where memory_id = ${patternId} and brand_id = ${brandId}`.execute(tx);
}

export interface SourceText {
  memory_id: string;
  title: string;
  body: string;
}

/** The texts a pattern was made of, in the order in which it names them. */
export async function listPatternSources(tx: Tx, brandId: number, patternId: string): Promise<SourceText[]> {
  const { rows } = await sql<SourceText>`
    select source.memory_id, source.title, source.body
    from memories pattern, memories source
    where pattern.memory_id = ${patternId} and pattern.brand_id = ${brandId} and source.merged_into = pattern.memory_id
    order by array_position(pattern.merged_from, source.memory_id)
    for update of pattern`.execute(tx);
  return rows;
}
