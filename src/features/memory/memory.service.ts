import type { Db } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { recordAudit } from '../../services/audit.js';
import type { ModelClient } from '../../services/model.js';
import { createConsolidation, listPatternSources, retractFromPattern } from './consolidation.service.js';
import { createExport } from './export/export.service.js';
import type { FinishedCards } from './learning/finished-cards.js';
import { learnFromConversations } from './learning/learn.js';
import { collectConversations } from './learning/pickup.js';
import { createSourceService } from './learning/sources.service.js';
import { agentNotOwned, memoryNotFound } from './memory.errors.js';
import { type Kind, type MemoryRecord, toRecord } from './memory.record.js';
import { type MemoryChanges, memoryStore } from './memory.store.js';
import type { Importance } from './search/ranking.js';
import { createSearchService } from './search/search.service.js';

export interface MemoryOptions {
  db: Db;
  clock: Clock;
  log: Log;
  model: ModelClient | undefined;
  agentsDir: string;
  sourcesDir: string;
  cards: FinishedCards;
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
}

const DEFAULT_CONFIDENCE = 0.8;
const MOST_AGENTS = 1000;

export function createMemoryService(options: MemoryOptions) {
  const { db, clock } = options;
  const consolidation = createConsolidation(options);

  return {
    ...createSearchService(options),
    ...createSourceService(options),
    ...createExport(options),
    ...consolidation,

    /** Picks up what was said, learns from it, and draws patterns from what was learned. */
    async pickUp(signal: AbortSignal) {
      const passes = [
        await collectConversations(options, signal),
        await learnFromConversations(options, signal),
        await consolidation.consolidateAll(signal),
      ];
      return {
        processed: passes.reduce((sum, { processed }) => sum + processed, 0),
        failed: passes.reduce((sum, { failed }) => sum + failed, 0),
      };
    },

    async createMemory(brandId: number, body: NewMemoryBody): Promise<MemoryRecord> {
      const now = clock.now();
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
      };
      const store = memoryStore(db, brandId);
      const row =
        (await store.insert(memory, now)) ??
        ((await store.claimAgent(body.agent_id, now)) ? await store.insert(memory, now) : undefined);
      if (!row) throw agentNotOwned();
      return toRecord(row, now);
    },

    async getMemory(brandId: number, memoryId: string): Promise<MemoryRecord> {
      const now = clock.now();
      const row = await memoryStore(db, brandId).find(memoryId, now);
      if (!row) throw memoryNotFound();
      return toRecord(row, now);
    },

    async changeMemory(brandId: number, memoryId: string, changes: MemoryChanges): Promise<MemoryRecord> {
      const now = clock.now();
      const row = await memoryStore(db, brandId).change(memoryId, changes, now);
      if (!row) throw memoryNotFound();
      return toRecord(row, now);
    },

    /** For good, also in the pattern it was merged into. */
    async deleteMemory(caller: MemberCaller, memoryId: string): Promise<void> {
      const { brandId } = caller;
      await inTransaction(db, async (tx) => {
        const now = clock.now();
        const store = memoryStore(tx, brandId);
        const patternId = (await store.find(memoryId, now))?.merged_into;
        const sources = patternId ? await listPatternSources(tx, brandId, patternId) : [];
        const removed = await store.remove(memoryId);
        if (!removed) throw memoryNotFound();
        if (patternId) await retractFromPattern(tx, brandId, patternId, memoryId, sources, now);
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.deleted',
          subject: `memory:${memoryId}`,
          details: { agent_id: removed.agent_id },
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

    listAgents: (brandId: number) => memoryStore(db, brandId).listAgents(MOST_AGENTS),
  };
}

export type MemoryService = ReturnType<typeof createMemoryService>;
