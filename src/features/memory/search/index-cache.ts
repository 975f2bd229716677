import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/database/database.js';
import { type AgentIndex, createAgentIndex } from './agent-index.js';
import { isReliable, readSnapshot, searchStore } from './search.store.js';

/** Some 250,000 memories of a few sentences, with their vectors. */
const MOST_BYTES = 320 * 1024 * 1024;
/** Words that nobody uses any more stay until so many changes came; then everything is read anew. */
const CHANGES_BEFORE_RELOAD = 10_000;

interface Entry {
  index: AgentIndex;
  /** Up to where it tells the truth. */
  snapshot: string;
  changes: number;
}

/** One agent's index, read when it is first asked for and brought up to date before every answer, on every node. */
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
  /** Reads that have not begun yet; whoever comes meanwhile shares them, since they will see everything committed by now. */
  const waiting = new Map<string, Promise<AgentIndex>>();
  const running = new Map<string, Promise<unknown>>();

  async function bringUpToDate(brandId: number, agentId: string, key: string): Promise<AgentIndex> {
    const known = entries.get(key);
    const entry = (known && (await refresh(brandId, agentId, known))) ?? (await load(brandId, agentId));
    if (entry.index.documents.ids.size === 0) entries.delete(key);
    else entries.set(key, entry, { size: entry.index.bytes });
    return entry.index;
  }

  async function load(brandId: number, agentId: string): Promise<Entry> {
    const store = searchStore(db, brandId, model);
    // Taken first: what changes while the rest is read is read again with the next question.
    const snapshot = await readSnapshot(db);
    const index = createAgentIndex();
    await takeIn(index, await store.loadAgent(agentId));
    return { index, snapshot, changes: 0 };
  }

  /** Undefined when too much has happened since. */
  async function refresh(brandId: number, agentId: string, entry: Entry): Promise<Entry | undefined> {
    const store = searchStore(db, brandId, model);
    const { snapshot, transactions, changed, removed } = await store.readChanges(agentId, entry.snapshot);
    const changes = entry.changes + changed.length + removed.length;
    const tooMany = changes > CHANGES_BEFORE_RELOAD + entry.index.documents.ids.size;
    if (tooMany || !isReliable(transactions)) return undefined;
    if (changed.length > 0) await takeIn(entry.index, await store.loadMemories(changed));
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

/** With a breath between the lots, so that nobody else waits for long. */
async function takeIn(index: AgentIndex, lots: readonly Buffer[]): Promise<void> {
  for (const lot of lots) {
    index.apply(lot);
    await setImmediate();
  }
}
