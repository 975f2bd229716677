import { createHash } from 'node:crypto';
import type { ImportRecord, Source } from './record.js';

const LONGEST_ORIGIN = 1000;

const digest = (...parts: (string | number | null)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && text.length <= LONGEST_ORIGIN;

export const originOfKey = (source: Source, key: string): string =>
  isAddress(key) ? key : digest(source, key);

/** Gives each row a stable origin, so that a repeated import of the same file recognizes it. */
export function createOrigins(source: Source) {
  const seen = new Map<string, number>();
  const alike = new Map<string, number>();
  return {
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
    // Rows with the same text are counted, so that each one gets its own origin.
    const said = digest(source, title, body, createdAt);
    const count = (alike.get(said) ?? 0) + 1;
    alike.set(said, count);
    return count === 1 ? said : digest(said, count);
  }
}

/** Parents and blockers must become cards before this row. */
export interface RowLinks {
  row: number;
  parent: number | null;
  blockers: number[];
  depth: number;
  missing: string[];
}

type Linked = Pick<ImportRecord, 'keys' | 'parent' | 'blockedBy'>;

export function createRowLinks() {
  const rowsByKey = new Map<string, number>();
  const wanted = new Map<number, { parent: string | null; blockedBy: readonly string[] }>();

  return {
    add(row: number, { keys, parent, blockedBy }: Linked): void {
      for (const key of keys) if (!rowsByKey.has(key)) rowsByKey.set(key, row);
      if (parent !== null || blockedBy.length > 0) wanted.set(row, { parent, blockedBy });
    },

    list(): RowLinks[] {
      const byRow = new Map<number, Link[]>();
      const missing = new Map<number, string[]>();
      for (const [row, { parent, blockedBy }] of wanted) {
        const keys = [...(parent === null ? [] : [parent]), ...blockedBy];
        const known = keys.filter((key) => rowsByKey.has(key));
        missing.set(
          row,
          keys.filter((key) => !rowsByKey.has(key)),
        );
        byRow.set(
          row,
          known.map((key) => ({ key, to: rowsByKey.get(key)!, isParent: key === parent, isKept: true })),
        );
      }
      const depths = measureDepths(byRow);
      return [...byRow].map(([row, all]) => {
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
  isKept: boolean;
}

/** Returns the depth of each row; follows every link once and drops links that close a cycle. */
function measureDepths(links: ReadonlyMap<number, Link[]>): Map<number, number> {
  const depths = new Map<number, number>();
  const open = new Set<number>();
  for (const first of links.keys()) {
    if (depths.has(first)) continue;
    const path = [{ row: first, next: 0, depth: 0 }];
    open.add(first);
    while (path.length > 0) {
      const here = path.at(-1)!;
      const link = links.get(here.row)?.[here.next];
      if (!link) {
        depths.set(here.row, here.depth);
        open.delete(here.row);
        path.pop();
        continue;
      }
      const depth = depths.get(link.to);
      if (open.has(link.to)) link.isKept = false;
      else if (depth === undefined) {
        path.push({ row: link.to, next: 0, depth: 0 });
        open.add(link.to);
        continue;
      } else here.depth = Math.max(here.depth, depth + 1);
      here.next += 1;
    }
  }
  return depths;
}
