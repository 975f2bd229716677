import { type Clock, DAY, secondsFrom } from '../../../kernel/clock.js';
import { dayOf, lastWeeks } from '../../../kernel/weeks.js';
import type { Db } from '../../../platform/database/database.js';
import { STALE_AFTER_DAYS } from '../records/memory.record.js';
import type { MemoryHealth } from './browse.schemas.js';
import { healthStore, type Movement, type Standing } from './health.store.js';

const BANDS = 10;

/** Figures about memories: a few sums, whatever their number. */
export function createHealthService({ db, clock }: { db: Db; clock: Clock }) {
  async function listWeeks(brandId: number, agentId: string | undefined, count: number) {
    const weeks = lastWeeks(clock.now(), count);
    return addUp(weeks.map(dayOf), await healthStore(db, brandId, agentId).listMovements(weeks[0]!));
  }

  return {
    async readHealth(brandId: number, agentId: string | undefined, count: number): Promise<MemoryHealth> {
      const now = clock.now();
      const store = healthStore(db, brandId, agentId);
      const [weeks, standings, conversations, sources] = await Promise.all([
        listWeeks(brandId, agentId, count),
        store.listStandings(now, secondsFrom(now, -STALE_AFTER_DAYS * DAY)),
        store.countConversations(),
        store.countSources(),
      ]);
      const waiting = { waiting: 0, processing: 0, done: 0, failed: 0 };
      for (const { status, count: number } of conversations) waiting[status] = number;
      return {
        agent_id: agentId ?? null,
        weeks,
        ...describeStandings(standings),
        conversations: waiting,
        sources,
      };
    },

    /** How many memories were in use at the end of each week. */
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

function describeStandings(standings: Standing[]) {
  const confidence = Array.from({ length: BANDS }, (_, i) => ({
    from: i / BANDS,
    to: (i + 1) / BANDS,
    count: 0,
  }));
  const byKind: Record<string, number> = {};
  let stale = 0;
  for (const standing of standings) {
    confidence[standing.band - 1]!.count += standing.count;
    byKind[standing.kind] = (byKind[standing.kind] ?? 0) + standing.count;
    if (standing.stale) stale += standing.count;
  }
  return { confidence, by_kind: byKind, stale };
}
