import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/database/database.js';
import { haveChanged, readSnapshot } from '../search/search.store.js';
import { browseStore, type MemoryFilter } from './browse.store.js';

const MOST_COUNTS = 1000;

/**
 * How many memories of an agent have the words: whoever turns pages asks again with each of them, and to count means to read all
 * those that match. Counted anew once a memory of the agent came, changed or went, on whichever node.
 */
export function createWordCounts(db: Db) {
  const known = new LRUCache<string, { total: number; snapshot: string }>({ max: MOST_COUNTS });

  return async (brandId: number, filter: Omit<MemoryFilter, 'verified'>): Promise<number> => {
    const { agentId, status, kind, q } = filter;
    const key = JSON.stringify([brandId, agentId, status, kind, q]);
    const counted = known.get(key);
    if (counted && !(await haveChanged(db, brandId, agentId, counted.snapshot))) return counted.total;
    // Taken first: what changes while it is counted is counted with the next question.
    const snapshot = await readSnapshot(db);
    const total = await browseStore(db, brandId).count(filter);
    known.set(key, { total, snapshot });
    return total;
  };
}

/**
 * Whether a page is full sooner by looking at one memory after the other than by taking all that have the words: `wanted` of those
 * `total` among `all` are come upon after so many.
 */
export const areWordsCommon = ({ wanted, total, all }: { wanted: number; total: number; all: number }) =>
  wanted * all < total * total;
