import { LRUCache } from 'lru-cache';
import { showActor } from '../../../kernel/actors.js';
import { type Clock, DAY, secondsFrom } from '../../../kernel/clock.js';
import { type PersonalPart, pagedPart } from '../../../kernel/personal-data.js';
import { timePages } from '../../../kernel/time-pages.js';
import type { Db } from '../../../platform/database/database.js';
import { memoryNotFound, notACursor } from '../memory.errors.js';
import { STALE_AFTER_DAYS, toRecord } from '../records/memory.record.js';
import { memoryStore } from '../records/memory.store.js';
import type { MemoriesQuery } from './browse.schemas.js';
import {
  browseStore,
  type CountedHistory,
  type HistoryRow,
  listChangesBy,
  type WordedMemory,
} from './browse.store.js';
import { areWordsCommon, createWordCounts } from './word-counts.js';

const MOST_ENTRIES = 200;
/** Whose long histories are remembered as counted. */
const MOST_HISTORIES = 1000;

/** What an agent knows, one thing after the other, and what became of each. */
export function createBrowseService({ db, clock, cursorSecret }: BrowseOptions) {
  const countByWords = createWordCounts(db);
  const histories = new LRUCache<string, CountedHistory>({ max: MOST_HISTORIES });

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
      const list = (areCommon: boolean) =>
        store.listPage(filter, { after, limit: limit + 1, areWordsCommon: areCommon }, now);
      const listByWords = async () => {
        const [all, total] = await Promise.all([
          store.count({ agentId, status, kind }),
          verified ? store.count(filter) : countByWords(brandId, { agentId, status, kind, q }),
        ]);
        return [await list(areWordsCommon({ wanted: limit + 1, total, all })), total] as const;
      };
      const [rows, total] = q ? await listByWords() : await Promise.all([list(false), store.count(filter)]);
      const { page, next_cursor } = pages.cut(rows, limit, (row) => ({
        at: row.updated_at,
        id: row.memory_id,
      }));
      return { memories: page.map((row) => toRecord(row, now)), total, next_cursor };
    },

    /** By words alone, over all agents of the workspace: for whoever is still typing. */
    findWordedMemories: (brandId: number, text: string, limit: number): Promise<WordedMemory[]> =>
      browseStore(db, brandId).findByWords(text, limit),

    async listHistory(brandId: number, memoryId: string) {
      if (!(await memoryStore(db, brandId).find(memoryId, clock.now()))) throw memoryNotFound();
      const store = browseStore(db, brandId);
      const { rows, total } = await store.listHistory(memoryId, MOST_ENTRIES, histories.get(memoryId));
      if (rows.length === MOST_ENTRIES) histories.set(memoryId, { total, newest: rows[0]!.entry_id });
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

export interface BrowseOptions {
  db: Db;
  clock: Clock;
  cursorSecret: string;
}

const presentEntry = ({ entry_id, at, action, actor, changes }: HistoryRow) => ({
  id: String(entry_id),
  at: at.toISOString(),
  action,
  actor: showActor(actor),
  changes,
});
