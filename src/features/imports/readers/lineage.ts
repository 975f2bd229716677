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

export interface Descent {
  row: number;
  parent: number;
  depth: number;
}

/** Which row stands below which; a row that would stand below itself stands below nothing. */
export function createLineage() {
  const rowsByKey = new Map<string, number>();
  const parentKeys = new Map<number, string>();

  return {
    add(row: number, { keys, parent }: ImportRecord): void {
      for (const key of keys) if (!rowsByKey.has(key)) rowsByKey.set(key, row);
      if (parent !== null) parentKeys.set(row, parent);
    },

    descents(): Descent[] {
      const parents = new Map<number, number>();
      for (const [row, key] of parentKeys) {
        const parent = rowsByKey.get(key);
        if (parent !== undefined && parent !== row) parents.set(row, parent);
      }
      const depths = new Map<number, number>();
      for (const row of [...parents.keys()]) measure(row, parents, depths);
      return [...parents].map(([row, parent]) => ({ row, parent, depth: depths.get(row)! }));
    },
  };
}

/** Walks up until a depth is known, then back down; every row is walked once. */
function measure(from: number, parents: Map<number, number>, depths: Map<number, number>): void {
  const line: number[] = [];
  const onLine = new Set<number>();
  let at = from;
  while (!depths.has(at) && parents.has(at)) {
    line.push(at);
    onLine.add(at);
    const parent = parents.get(at)!;
    if (onLine.has(parent)) parents.delete(at);
    else at = parent;
  }
  let depth = depths.get(at) ?? 0;
  depths.set(at, depth);
  for (const row of line.reverse()) {
    if (row === at) continue;
    depth += 1;
    depths.set(row, depth);
  }
}
