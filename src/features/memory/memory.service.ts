import type { MemberCaller } from '../../kernel/access.js';
import { actorIdsOf } from '../../kernel/actors.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db } from '../../platform/database/database.js';
import type { Embedder } from '../../platform/encoder/embedder.js';
import type { Jobs, PassResult } from '../../platform/jobs/jobs.js';
import type { ModelClient } from '../../platform/model/model.js';
import type { WebhookOutbox } from '../../platform/outbox/webhook-outbox.js';
import { createAgentResolver } from './agents/agents.service.js';
import { agentStore, lockAgent } from './agents/agents.store.js';
import { createBrowseService } from './browse/browse.service.js';
import { createHealthService } from './browse/health.service.js';
import { createConsolidation, retractFromPatterns } from './consolidation.service.js';
import { createExport } from './export/export.service.js';
import type { FinishedCards } from './learning/finished-cards.js';
import { learnFromConversations } from './learning/learn.js';
import { collectConversations } from './learning/pickup.js';
import { createSourceService } from './learning/sources.service.js';
import {
  agentNotOwned,
  memoryNotFound,
  memoryOfAnotherAgent,
  notByGuestWords,
  supersededUnknown,
  supersedesItself,
} from './memory.errors.js';
import { tellCreated } from './records/created-memories.js';
import type { Importance } from './records/memory.record.js';
import { type Kind, type MemoryRecord, toRecord } from './records/memory.record.js';
import { type MemoryChanges, memoryStore } from './records/memory.store.js';
import { createSearchService } from './search/search.service.js';
import type { SimilarMemory } from './search/similar.js';
import { createVectorService } from './search/vectors.service.js';

export interface MemoryOptions {
  db: Db;
  clock: Clock;
  log: Log;
  model: ModelClient | undefined;
  embedder: Embedder;
  jobs: Jobs;
  outbox: WebhookOutbox;
  agentsDir: string;
  sourcesDir: string;
  cards: FinishedCards;
  cursorSecret: string;
}

export interface NewMemoryBody {
  agent_id: string;
  kind: Kind;
  title: string;
  body: string;
  description?: string | null;
  tags?: string[];
  confidence?: number;
  importance?: Importance;
  supersedes?: string[];
}

const DEFAULT_CONFIDENCE = 0.8;
const MOST_AGENTS = 1000;

export function createMemoryService(options: MemoryOptions) {
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

    /** Brings what search reads up to date where a write did not. */
    tendVectors: vectors.tend,

    /** Picks up what was said, learns from it, and draws patterns from what was learned. A long file is taken in piece by piece. */
    async pickUp(signal: AbortSignal): Promise<PassResult> {
      const result: PassResult = { processed: 0, failed: 0 };
      const count = ({ processed, failed }: PassResult) => {
        result.processed += processed;
        result.failed += failed;
      };
      for (let goesOn = true; goesOn && !signal.aborted; ) {
        const collected = await collectConversations(options, signal);
        const learned = await learnFromConversations(learning, signal, 'all');
        count(collected);
        count(learned);
        goesOn = collected.heldBack && learned.processed > 0;
      }
      count(await consolidation.consolidateAll(signal));
      return result;
    },

    /** Conversations whose next attempt is due do not wait for the pick-up. */
    retryConversations: (signal: AbortSignal) => learnFromConversations(learning, signal, 'retries'),

    async createMemory(
      caller: MemberCaller,
      body: NewMemoryBody,
      wish: { similar?: boolean } = {},
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
      // Before it is written: the index must not hold what a transaction may still take back.
      const similar = wish.similar ? await search.findSimilar(brandId, body.agent_id, memory) : undefined;
      // A transaction only where something is written beside it, or an agent is to be made first.
      const row =
        (superseded.length === 0 &&
          (await memoryStore(db, brandId).insert(memory, now, { unheard: true }))) ||
        (await inTransaction(db, async (tx) => {
          const store = memoryStore(tx, brandId);
          if (superseded.length > 0) await lockAgent(tx, body.agent_id);
          const claim = () => agentStore(tx, brandId).claim({ agentId: body.agent_id, now });
          const inserted =
            (await store.insert(memory, now)) ??
            ((await claim()) ? await store.insert(memory, now) : undefined);
          if (!inserted) throw agentNotOwned();
          if (superseded.length > 0) await supersede(store, superseded, memory, now);
          await tellCreated(outbox, tx, brandId, [memory], now);
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

    /** For good, also in the patterns made of it, and in one that is being made at this moment. */
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
