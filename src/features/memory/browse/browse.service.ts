import { type PersonalPart, pagedPart, showActor } from '../../../kernel/actors.js';
import { DAY, dayOf, lastWeeks, secondsFrom } from '../../../kernel/clock.js';
import { timePages } from '../../../kernel/cursor.js';
import { memoryNotFound, notACursor } from '../memory.errors.js';
import { type MemoryDeps, STALE_AFTER_DAYS, toRecord } from '../records/memory.record.js';
import { memoryStore } from '../records/memory.store.js';
import type { MemoriesQuery, MemoryHealth } from './browse.schemas.js';
import {
  browseStore,
  type ConfidenceCount,
  type HistoryRow,
  healthStore,
  listChangesBy,
  type MemoryWithWords,
  type Movement,
} from './browse.store.js';

const MOST_ENTRIES = 200;

export function createBrowseService({ db, clock, cursorSecret }: MemoryDeps) {
  return {
    async listMemories(brandId: number, query: MemoriesQuery) {
      const now = clock.now();
      const { agent_id: agentId, status, kind, stale, query: q, limit } = query;
      const pages = timePages(cursorSecret, `memories:${brandId}:${agentId}`, notACursor);
      const after = pages.read(query.cursor);
      const limitDay = secondsFrom(now, -STALE_AFTER_DAYS * DAY);
      const verified = stale === undefined ? undefined : stale ? { before: limitDay } : { since: limitDay };
      const filter = { agentId, status, kind, q, verified };
      const store = browseStore(db, brandId);
      const [rows, total] = await Promise.all([
        store.listPage(filter, after, limit + 1, now),
        store.count(filter),
      ]);
      const { page, next_cursor } = pages.cut(rows, limit, (row) => ({
        at: row.updated_at,
        id: row.memory_id,
      }));
      return { memories: page.map((row) => toRecord(row, now)), total, next_cursor };
    },

    findMemoriesByWords: (brandId: number, text: string, limit: number): Promise<MemoryWithWords[]> =>
      browseStore(db, brandId).findByWords(text, limit),

    async listHistory(brandId: number, memoryId: string) {
      if (!(await memoryStore(db, brandId).find(memoryId, clock.now()))) throw memoryNotFound();
      const { rows, total } = await browseStore(db, brandId).listHistory(memoryId, MOST_ENTRIES);
      return { entries: rows.map(presentEntry), total };
    },

    listPersonalParts: (userId: number): PersonalPart[] => [
      pagedPart(
        'memory_changes',
        ({ id }: { id: string }) => id,
        (after, limit) => listChangesBy(db, userId, after, limit),
      ),
    ],
  };
}

const presentEntry = ({ entry_id, at, action, actor, changes }: HistoryRow) => ({
  id: String(entry_id),
  at: at.toISOString(),
  action,
  actor: showActor(actor),
  changes,
});

const BANDS = 10;

/** Returns totals from precomputed counters, so the cost does not grow with the number of memories. */
export function createHealthService({ db, clock }: MemoryDeps) {
  async function listWeeks(brandId: number, agentId: string | undefined, count: number) {
    const weeks = lastWeeks(clock.now(), count);
    return addUp(weeks.map(dayOf), await healthStore(db, brandId, agentId).listMovements(weeks[0]!));
  }

  return {
    async readHealth(brandId: number, agentId: string | undefined, count: number): Promise<MemoryHealth> {
      const now = clock.now();
      const store = healthStore(db, brandId, agentId);
      const [weeks, counts, conversations, sources] = await Promise.all([
        listWeeks(brandId, agentId, count),
        store.countByConfidence(now, secondsFrom(now, -STALE_AFTER_DAYS * DAY)),
        store.countConversations(),
        store.countSources(),
      ]);
      const waiting = { waiting: 0, processing: 0, done: 0, failed: 0 };
      for (const { status, count: number } of conversations) waiting[status] = number;
      return {
        agent_id: agentId ?? null,
        weeks,
        ...describeConfidence(counts),
        conversations: waiting,
        sources,
      };
    },

    listWeeklyTotals: async (brandId: number, count: number) =>
      (await listWeeks(brandId, undefined, count)).map(({ week, total }) => ({ week, total })),
  };
}

function addUp(weeks: string[], movements: Movement[]): MemoryHealth['weeks'] {
  const byWeek = new Map(movements.map((movement) => [movement.week, movement]));
  const before = byWeek.get(null);
  let total = (before?.created ?? 0) - (before?.left ?? 0);
  return weeks.map((week) => {
    const { created = 0, archived = 0, left = 0 } = byWeek.get(week) ?? {};
    total += created - left;
    return { week, created, archived, total };
  });
}

function describeConfidence(counts: ConfidenceCount[]) {
  const confidence = Array.from({ length: BANDS }, (_, i) => ({
    from: i / BANDS,
    to: (i + 1) / BANDS,
    count: 0,
  }));
  const byKind: Record<string, number> = {};
  let stale = 0;
  for (const row of counts) {
    confidence[row.band - 1]!.count += row.count;
    byKind[row.kind] = (byKind[row.kind] ?? 0) + row.count;
    if (row.stale) stale += row.count;
  }
  return { confidence, by_kind: byKind, stale };
}
