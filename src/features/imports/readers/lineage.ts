import { createHash } from 'node:crypto';
import type { ImportRecord, Source } from './record.js';

const LONGEST_ORIGIN = 1000;

const digest = (...parts: (string | number | null)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && text.length <= LONGEST_ORIGIN;

/** What something that is called so is known by. */
export const originOfKey = (source: Source, key: string): string =>
  isAddress(key) ? key : digest(source, key);

/** Tells rows of one file apart, and knows them again when the file comes another time. */
export function createOrigins(source: Source) {
  const seen = new Map<string, number>();
  const alike = new Map<string, number>();
  return {
    /** What the row is known by, and the row before that is the same. */
    of(row: number, record: ImportRecord): { origin: string; sameAs: number | undefined } {
      const origin = originOf(record);
      const sameAs = seen.get(origin);
      if (sameAs === undefined) seen.set(origin, row);
      return { origin, sameAs };
    },
  };

  function originOf({ url, keys, title, body, createdAt }: ImportRecord): string {
    if (url !== null) return url.length <= LONGEST_ORIGIN ? url : digest(source, url);
    if (keys[0] !== undefined) return originOfKey(source, keys[0]);
    // Two cards may well say the same: the second is known as the second.
    const said = digest(source, title, body, createdAt);
    const count = (alike.get(said) ?? 0) + 1;
    alike.set(said, count);
    return count === 1 ? said : digest(said, count);
  }
}

/** What a row needs of others: they become cards before it. */
export interface Descent {
  row: number;
  parent: number | null;
  blockers: number[];
  depth: number;
  /** Keys of its parent and its blockers that no row has, or that would lead in a circle. */
  missing: string[];
}

type Linked = Pick<ImportRecord, 'keys' | 'parent' | 'blockedBy'>;

/** Which row stands below which and which blocks which; a row that would have to come before itself does not. */
export function createLineage() {
  const rowsByKey = new Map<string, number>();
  const wished = new Map<number, { parent: string | null; blockedBy: readonly string[] }>();

  return {
    add(row: number, { keys, parent, blockedBy }: Linked): void {
      for (const key of keys) if (!rowsByKey.has(key)) rowsByKey.set(key, row);
      if (parent !== null || blockedBy.length > 0) wished.set(row, { parent, blockedBy });
    },

    descents(): Descent[] {
      const links = new Map<number, Link[]>();
      const missing = new Map<number, string[]>();
      for (const [row, { parent, blockedBy }] of wished) {
        const keys = [...(parent === null ? [] : [parent]), ...blockedBy];
        const known = keys.filter((key) => rowsByKey.has(key));
        missing.set(
          row,
          keys.filter((key) => !rowsByKey.has(key)),
        );
        links.set(
          row,
          known.map((key) => ({ key, to: rowsByKey.get(key)!, isParent: key === parent, isKept: true })),
        );
      }
      const depths = measure(links);
      return [...links].map(([row, all]) => {
        const kept = all.filter(({ isKept }) => isKept);
        return {
          row,
          parent: kept.find(({ isParent }) => isParent)?.to ?? null,
          blockers: [...new Set(kept.flatMap(({ to, isParent }) => (isParent ? [] : to)))],
          depth: depths.get(row)!,
          missing: [...missing.get(row)!, ...all.flatMap(({ isKept, key }) => (isKept ? [] : key))],
        };
      });
    },
  };
}

interface Link {
  key: string;
  to: number;
  isParent: boolean;
  /** Until it turns out to lead back to where it begins. */
  isKept: boolean;
}

/** How many rows come before a row at least. Walks every link once, and leaves out those that close a circle. */
function measure(links: ReadonlyMap<number, Link[]>): Map<number, number> {
  const depths = new Map<number, number>();
  const open = new Set<number>();
  for (const first of links.keys()) {
    if (depths.has(first)) continue;
    const line = [{ row: first, next: 0, depth: 0 }];
    open.add(first);
    while (line.length > 0) {
      const here = line.at(-1)!;
      const link = links.get(here.row)?.[here.next];
      if (!link) {
        depths.set(here.row, here.depth);
        open.delete(here.row);
        line.pop();
        continue;
      }
      const depth = depths.get(link.to);
      if (open.has(link.to)) link.isKept = false;
      else if (depth === undefined) {
        line.push({ row: link.to, next: 0, depth: 0 });
        open.add(link.to);
        continue;
      } else here.depth = Math.max(here.depth, depth + 1);
      here.next += 1;
    }
  }
  return depths;
}
