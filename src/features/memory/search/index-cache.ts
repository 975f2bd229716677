import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/database/database.js';
import { type AgentIndex, createAgentIndex } from './agent-index.js';
import { isReliable, readSnapshot, searchStore } from './search.store.js';

/** Enough for about 250,000 memories of a few sentences, with their vectors. */
const MOST_BYTES = 320 * 1024 * 1024;
/** After this many changes, the index is rebuilt to drop unused words. */
const CHANGES_BEFORE_RELOAD = 10_000;

interface Entry {
  index: AgentIndex;
  snapshot: string;
  changes: number;
}

export interface IndexCache {
  read(brandId: number, agentId: string): Promise<AgentIndex>;
}

export function createIndexCache({
  db,
  model,
  maxBytes = MOST_BYTES,
}: {
  db: Db;
  model: string;
  maxBytes?: number;
}): IndexCache {
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: () => 1 });
  /**
   * Reads that have not started yet. Later callers share them, because they will see everything committed by
   * now.
   */
  const waiting = new Map<string, Promise<AgentIndex>>();
  const running = new Map<string, Promise<unknown>>();

  async function bringUpToDate(brandId: number, agentId: string, key: string): Promise<AgentIndex> {
    const known = entries.get(key);
    const entry = (known && (await refresh(brandId, agentId, known))) ?? (await load(brandId, agentId));
    if (entry.index.documents.ids.list.length === 0) entries.delete(key);
    else entries.set(key, entry, { size: entry.index.bytes });
    return entry.index;
  }

  async function load(brandId: number, agentId: string): Promise<Entry> {
    const store = searchStore(db, brandId, model);
    // Taken first, so that changes during the load are read again with the next question.
    const snapshot = await readSnapshot(db);
    const index = createAgentIndex();
    await applyBatches(index, await store.loadAgent(agentId));
    return { index, snapshot, changes: 0 };
  }

  /** Undefined when there are too many changes. */
  async function refresh(brandId: number, agentId: string, entry: Entry): Promise<Entry | undefined> {
    const store = searchStore(db, brandId, model);
    const { snapshot, transactions, changed, removed } = await store.readChanges(agentId, entry.snapshot);
    const changes = entry.changes + changed.length + removed.length;
    const tooMany = changes > CHANGES_BEFORE_RELOAD + entry.index.documents.ids.list.length;
    if (tooMany || !isReliable(transactions)) return undefined;
    if (changed.length > 0) await applyBatches(entry.index, await store.loadMemories(changed));
    for (const memoryId of removed) entry.index.remove(memoryId);
    return { index: entry.index, snapshot, changes };
  }

  return {
    read(brandId, agentId) {
      const key = `${brandId}:${agentId}`;
      const shared = waiting.get(key);
      if (shared) return shared;
      const read = (async () => {
        await running.get(key);
        waiting.delete(key);
        const work = bringUpToDate(brandId, agentId, key);
        const settled = work.then(
          () => {},
          () => {},
        );
        running.set(key, settled);
        try {
          return await work;
        } finally {
          if (running.get(key) === settled) running.delete(key);
        }
      })();
      waiting.set(key, read);
      return read;
    },
  };
}

/** Yields to the event loop between batches. */
async function applyBatches(index: AgentIndex, batches: readonly Buffer[]): Promise<void> {
  for (const batch of batches) {
    index.apply(batch);
    await setImmediate();
  }
}
