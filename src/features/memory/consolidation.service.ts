import type { MemberCaller } from '../../kernel/access.js';
import { actorIdsOf } from '../../kernel/actors.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { PassResult } from '../../platform/jobs/jobs.js';
import type { WebhookOutbox } from '../../platform/outbox/webhook-outbox.js';
import { lockAgent } from './agents/agents.store.js';
import { FEWEST_LEARNINGS, groupLearnings, type PatternDraft, withoutSource } from './consolidation.js';
import { consolidationStore, listAgentsWithGroups } from './consolidation.store.js';
import { memoryNotFound, nothingToUnmerge } from './memory.errors.js';
import { type CreatedMemory, tellCreated } from './records/created-memories.js';
import { toRecord } from './records/memory.record.js';
import { memoryStore } from './records/memory.store.js';

export interface ConsolidationOptions {
  db: Db;
  clock: Clock;
  log: Log;
  outbox: Pick<WebhookOutbox, 'tell'>;
}

export function createConsolidation({ db, clock, log, outbox }: ConsolidationOptions) {
  async function consolidateAgent(tx: Tx, brandId: number, agentId: string): Promise<number> {
    await lockAgent(tx, agentId);
    const now = clock.now();
    const drafts = groupLearnings(await consolidationStore(tx, brandId).listLearnings(agentId, now));
    const patterns: CreatedMemory[] = [];
    for (const draft of drafts) patterns.push(await mergeInto(tx, brandId, agentId, draft, now));
    await tellCreated(outbox, tx, brandId, patterns, now);
    return drafts.length;
  }

  async function mergeInto(
    tx: Tx,
    brandId: number,
    agentId: string,
    { sources, ...draft }: PatternDraft,
    now: Date,
  ): Promise<CreatedMemory> {
    const pattern = { ...draft, memoryId: newId(), agentId, kind: 'pattern' as const, description: null };
    await memoryStore(tx, brandId).insert({ ...pattern, mergedFrom: sources }, now);
    await consolidationStore(tx, brandId).merge(sources, pattern.memoryId, now);
    return pattern;
  }

  return {
    async consolidateAll(signal: AbortSignal): Promise<PassResult> {
      const result: PassResult = { processed: 0, failed: 0 };
      for (const { agent_id: agentId, brand_id: brandId } of await listAgentsWithGroups(
        db,
        FEWEST_LEARNINGS,
      )) {
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
        const store = consolidationStore(tx, brandId);
        const restored = await store.restoreSources(memoryId, now, actorIdsOf(caller));
        if (restored.length === 0) throw nothingToUnmerge();
        const archived = await store.archive(memoryId, now, actorIdsOf(caller));
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.unmerged',
          subject: `memory:${memoryId}`,
          at: now,
        });
        const order = new Map(pattern.merged_from.map((id, i) => [id, i]));
        restored.sort((a, b) => (order.get(a.memory_id) ?? 0) - (order.get(b.memory_id) ?? 0));
        return { pattern: toRecord(archived, now), restored: restored.map((row) => toRecord(row, now)) };
      });
    },
  };
}

/**
 * What is about to be deleted leaves the patterns made of it too; with its last source a pattern goes itself. The caller
 * holds the agent's lock, so that no consolidation is taking it at this moment.
 */
export async function retractFromPatterns(
  tx: Tx,
  brandId: number,
  memoryId: string,
  now: Date,
): Promise<void> {
  const store = consolidationStore(tx, brandId);
  for (const pattern of await store.listPatternsOf(memoryId)) {
    const sources = await store.listTexts(pattern.merged_from);
    const removed = sources.find(({ id }) => id === memoryId);
    if (sources.length <= 1) await memoryStore(tx, brandId).remove(pattern.id);
    else if (removed) await store.rewritePattern(withoutSource(pattern, sources, removed), now);
  }
}
