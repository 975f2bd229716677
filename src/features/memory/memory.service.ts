import type { Static } from 'typebox';
import type { MemberCaller } from '../../kernel/access.js';
import { actorIdsOf } from '../../kernel/actors.js';
import { newId } from '../../kernel/ids.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { JobResult } from '../../platform/jobs/jobs.js';
import { createAgentResolver } from './agents/agents.service.js';
import { agentStore, lockAgent } from './agents/agents.store.js';
import { createBrowseService, createHealthService } from './browse/browse.service.js';
import { createConsolidation, retractFromPatterns } from './consolidation.service.js';
import { createExport } from './export/export.service.js';
import { learnFromConversations } from './learning/learn.js';
import { collectConversations, type FinishedCards } from './learning/pickup.js';
import { createSourceService } from './learning/sources.service.js';
import {
  agentNotOwned,
  memoryNotFound,
  memoryOfAnotherAgent,
  notByGuestWords,
  supersededUnknown,
  supersedesItself,
} from './memory.errors.js';
import type { CreateMemorySchema } from './memory.schemas.js';
import { type MemoryDeps, type MemoryRecord, notifyCreated, toRecord } from './records/memory.record.js';
import { type MemoryChanges, memoryStore } from './records/memory.store.js';
import { createSearchService } from './search/search.service.js';
import type { SimilarMemory } from './search/similar.js';
import { createVectorService } from './search/vectors.service.js';

const DEFAULT_CONFIDENCE = 0.8;
const MOST_AGENTS = 1000;

export function createMemoryService(options: MemoryDeps & { cards: FinishedCards }) {
  const { db, clock, outbox } = options;
  const consolidation = createConsolidation(options);
  const search = createSearchService(options);
  const vectors = createVectorService({ ...options, wake: () => options.jobs.trigger(db, 'memory-embed') });
  const learning = { ...options, findLike: search.findLike };

  return {
    ...search,
    ...createSourceService(options),
    ...createExport(options),
    ...consolidation,
    ...createBrowseService(options),
    ...createHealthService(options),
    ...createAgentResolver(options),

    /** Updates search index entries that a write left out. */
    tendVectors: vectors.tend,

    /**
     * Reads the sources, learns from new conversations and consolidates learnings. Long files take several
     * rounds.
     */
    async pickUp(signal: AbortSignal): Promise<JobResult> {
      const result: JobResult = { processed: 0, failed: 0 };
      const count = ({ processed, failed }: JobResult) => {
        result.processed += processed;
        result.failed += failed;
      };
      for (let hasMore = true; hasMore && !signal.aborted; ) {
        const collected = await collectConversations(options, signal);
        const learned = await learnFromConversations(learning, signal, 'all');
        count(collected);
        count(learned);
        hasMore = collected.heldBack && learned.processed > 0;
      }
      count(await consolidation.consolidateAll(signal));
      return result;
    },

    retryConversations: (signal: AbortSignal) => learnFromConversations(learning, signal, 'retries'),

    async createMemory(
      caller: MemberCaller,
      body: Static<typeof CreateMemorySchema>,
      { similar: findsSimilar }: { similar?: boolean } = {},
    ): Promise<MemoryRecord & { similar?: SimilarMemory[] }> {
      const { brandId } = caller;
      const now = clock.now();
      const superseded = distinctIds(body.supersedes);
      const memory = {
        memoryId: newId(),
        agentId: body.agent_id,
        kind: body.kind,
        title: body.title,
        body: body.body,
        description: body.description ?? null,
        tags: body.tags ?? [],
        confidence: body.confidence ?? DEFAULT_CONFIDENCE,
        importance: body.importance ?? 'normal',
        by: actorIdsOf(caller),
        fromGuest: caller.kind === 'build' && caller.guestWords,
      };
      if (memory.fromGuest && superseded.length > 0) throw notByGuestWords();
      // Searched before the write, so that the index never contains a row that the transaction may roll back.
      const similar = findsSimilar ? await search.findSimilar(brandId, body.agent_id, memory) : undefined;
      // Skips the transaction when the memory is the only write.
      const row =
        (superseded.length === 0 &&
          (await memoryStore(db, brandId).insert(memory, now, { onlyWithoutWebhooks: true }))) ||
        (await inTransaction(db, async (tx) => {
          const store = memoryStore(tx, brandId);
          if (superseded.length > 0) await lockAgent(tx, body.agent_id);
          const claim = () => agentStore(tx, brandId).claim({ agentId: body.agent_id, now });
          const inserted =
            (await store.insert(memory, now)) ??
            ((await claim()) ? await store.insert(memory, now) : undefined);
          if (!inserted) throw agentNotOwned();
          if (superseded.length > 0) await supersede(store, superseded, memory, now);
          await notifyCreated(outbox, tx, brandId, [memory], now);
          return inserted;
        }));
      await vectors.embedWritten(brandId, row);
      return {
        ...toRecord(row, now),
        ...(similar && { similar: similar.filter(({ memory_id }) => !superseded.includes(memory_id)) }),
      };
    },

    async getMemory(brandId: number, memoryId: string): Promise<MemoryRecord> {
      const now = clock.now();
      const row = await memoryStore(db, brandId).find(memoryId, now);
      if (!row) throw memoryNotFound();
      return toRecord(row, now);
    },

    async changeMemory(
      caller: MemberCaller,
      memoryId: string,
      { supersedes, ...changes }: MemoryChanges & { supersedes?: string[] },
    ): Promise<MemoryRecord> {
      const { brandId } = caller;
      const now = clock.now();
      const superseded = distinctIds(supersedes);
      if (superseded.includes(memoryId)) throw supersedesItself();
      const change = (store: MemoryStore) => store.change(memoryId, changes, now, actorIdsOf(caller));
      const row =
        superseded.length === 0
          ? await change(memoryStore(db, brandId))
          : await inTransaction(db, async (tx) => {
              const store = memoryStore(tx, brandId);
              const known = await store.find(memoryId, now);
              if (!known) return undefined;
              await lockAgent(tx, known.agent_id);
              const replacement = { memoryId, agentId: known.agent_id, by: actorIdsOf(caller) };
              await supersede(store, superseded, replacement, now);
              return change(store);
            });
      if (!row) throw memoryNotFound();
      if (changes.title !== undefined || changes.body !== undefined) await vectors.embedWritten(brandId, row);
      return toRecord(row, now);
    },

    /**
     * Deletes the memory and its text in patterns. Taking the agent's lock waits for a running consolidation.
     */
    async deleteMemory(caller: MemberCaller, memoryId: string): Promise<void> {
      const { brandId } = caller;
      await inTransaction(db, async (tx) => {
        const now = clock.now();
        const store = memoryStore(tx, brandId);
        const memory = await store.find(memoryId, now);
        if (!memory) throw memoryNotFound();
        const { agentId } = actorIdsOf(caller);
        if (agentId !== null && agentId !== memory.agent_id) throw memoryOfAnotherAgent();
        await lockAgent(tx, memory.agent_id);
        await retractFromPatterns(tx, brandId, memoryId, now);
        if (!(await store.remove(memoryId))) throw memoryNotFound();
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.deleted',
          subject: `memory:${memoryId}`,
          details: { agent_id: memory.agent_id },
          at: now,
        });
      });
    },

    async readStats(brandId: number, agentId: string | undefined) {
      const rows = await memoryStore(db, brandId).listStats(agentId, clock.now());
      const count = (status: string) =>
        rows.filter((row) => row.status === status).reduce((sum, row) => sum + row.count, 0);
      const active = rows.filter((row) => row.status === 'active');
      const total = count('active');
      return {
        total_active: total,
        total_archived: count('archived'),
        total_merged: count('merged'),
        by_kind: Object.fromEntries(active.map((row) => [row.kind, row.count])),
        avg_confidence:
          total === 0
            ? null
            : Math.round((active.reduce((sum, row) => sum + row.confidence, 0) / total) * 10_000) / 10_000,
      };
    },

    listAgents: (brandId: number) => agentStore(db, brandId).list(MOST_AGENTS),

    listAgentNames: (brandId: number, words: readonly string[]) =>
      agentStore(db, brandId).listNames(words, MOST_AGENTS),
  };
}

type MemoryStore = ReturnType<typeof memoryStore>;

const distinctIds = (ids: readonly string[] = []): string[] => [
  ...new Set(ids.map((id) => id.toLowerCase())),
];

async function supersede(
  store: MemoryStore,
  superseded: readonly string[],
  replacement: Parameters<MemoryStore['supersede']>[1],
  now: Date,
): Promise<void> {
  if ((await store.supersede(superseded, replacement, now)) < superseded.length) throw supersededUnknown();
}

export type MemoryService = ReturnType<typeof createMemoryService>;
