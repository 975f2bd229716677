import { LRUCache } from 'lru-cache';
import type { Windows } from './rate-limit-windows.js';

/** Enough for every account and address that fails within a window; the least recently seen go first. */
const MOST_KEYS = 50_000;

/** The times of the marks, oldest first. Every step is synchronous, so callers cannot come between read and write. */
export function memoryWindows(): Windows {
  const marksByKey = new LRUCache<string, number[]>({ max: MOST_KEYS });
  return {
    async add(key, { now, durationMs, points }) {
      if (points <= 0) return durationMs;
      const marks = (marksByKey.get(key) ?? []).filter((at) => at > now - durationMs);
      const blocking = marks[marks.length - points];
      if (blocking !== undefined) return blocking + durationMs - now;
      marks.push(now);
      marksByKey.set(key, marks);
      return 0;
    },
    async removeNewest(key) {
      marksByKey.get(key)?.pop();
    },
  };
}
