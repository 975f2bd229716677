import { LRUCache } from 'lru-cache';
import type { Windows } from './rate-limit-windows.js';

/** Enough for every account and address that fails within a window; the least recently seen go first. */
const MOST_KEYS = 50_000;

interface Mark {
  at: number;
  name: string;
}

/** The marks of each key, oldest first. Every step is synchronous, so callers cannot come between read and write. */
export function memoryWindows(): Windows {
  const marksByKey = new LRUCache<string, Mark[]>({ max: MOST_KEYS });
  return {
    async add(key, { now, durationMs, points, mark }) {
      if (points <= 0) return durationMs;
      const marks = (marksByKey.get(key) ?? []).filter(({ at }) => at > now - durationMs);
      const known = marks.findIndex(({ name }) => name === mark);
      if (known >= 0) marks.splice(known, 1);
      else {
        const blocking = marks[marks.length - points];
        if (blocking !== undefined) return blocking.at + durationMs - now;
      }
      marks.push({ at: now, name: mark });
      marksByKey.set(key, marks);
      return known >= 0 ? -1 : 0;
    },
    async removeNewest(key) {
      marksByKey.get(key)?.pop();
    },
    async remove(key, mark) {
      const marks = marksByKey.get(key);
      if (marks)
        marksByKey.set(
          key,
          marks.filter(({ name }) => name !== mark),
        );
    },
  };
}
