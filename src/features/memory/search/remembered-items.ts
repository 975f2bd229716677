import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/database/database.js';
import { itemAt, type MemoryItem, type WrittenItem, writeItem } from '../records/memory.record.js';
import { memoryStore } from '../records/memory.store.js';
import { type AgentIndex, numberOf } from './agent-index.js';
import { confidenceOf } from './standing.js';

/** Some 8 MB at most. */
const MOST_CHARACTERS = 4_000_000;
/** One long text must not push a hundred short ones out. */
const LONGEST_REMEMBERED = 40_000;
/** What an item takes beside its text. */
const ITEM_ITSELF = 500;

interface Remembered {
  changedIn: number;
  item: WrittenItem;
}

/**
 * The texts of memories that were answered before. An index is brought up to date before every answer, and knows which
 * transaction wrote each memory: what that one wrote need not be read again.
 */
export function createItemMemory(db: Db) {
  const remembered = new LRUCache<string, Remembered>({
    maxSize: MOST_CHARACTERS,
    maxEntrySize: LONGEST_REMEMBERED,
    sizeCalculation: ({ item }) => ITEM_ITSELF + charactersOf(item),
  });
  // A database that was put back to an earlier day counts its transactions anew: what an index knows ends with it.
  const keyOf = (index: AgentIndex, id: string) => `${index.serial}:${id}`;

  function recall(index: AgentIndex, id: string, now: Date): MemoryItem | undefined {
    const known = remembered.get(keyOf(index, id));
    if (!known) return undefined;
    const { documents } = index;
    const number = numberOf(documents, id);
    const same = documents.status[number] !== 0 && documents.changedIn[number] === known.changedIn;
    return same ? itemAt(now, known.item, confidenceOf(documents, number, now)) : undefined;
  }

  return {
    /** In the order of the ids; one that is gone by now is left out. */
    async list(brandId: number, index: AgentIndex, ids: readonly string[], now: Date): Promise<MemoryItem[]> {
      const items = new Map<string, MemoryItem>();
      const missing: string[] = [];
      for (const id of ids) {
        const item = recall(index, id, now);
        if (item) items.set(id, item);
        else missing.push(id);
      }
      if (missing.length > 0) {
        for (const row of await memoryStore(db, brandId).listByIds(missing, now)) {
          const item = writeItem(row);
          items.set(item.id, itemAt(now, item, row.confidence));
          remembered.set(keyOf(index, item.id), { changedIn: Number(row.changed_in), item });
        }
      }
      return ids.flatMap((id) => items.get(id) ?? []);
    },
  };
}

const charactersOf = ({ title, body, description, tags }: WrittenItem): number =>
  title.length + body.length + (description?.length ?? 0) + tags.reduce((sum, tag) => sum + tag.length, 0);
