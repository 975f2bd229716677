import { LRUCache } from 'lru-cache';
import type { Window, Windows } from './rate-limit-windows.js';

/** Enough for every account and address that fails within a window; the least recently seen go first. */
const MOST_KEYS = 50_000;

/** The times of the marks, oldest first. Every step is synchronous, so callers cannot come between read and write. */
export function memoryWindows(): Windows {
  const marksByKey = new LRUCache<string, number[]>({ max: MOST_KEYS });
  const look = (key: string, { now, durationMs, points }: Window) => {
    const marks = (marksByKey.get(key) ?? []).filter((at) => at > now - durationMs);
    if (points <= 0) return { marks, waitMs: durationMs };
    const blocking = marks[marks.length - points];
    return { marks, waitMs: blocking === undefined ? 0 : blocking + durationMs - now };
  };
  return {
    async add(key, request) {
      const { marks, waitMs } = look(key, request);
      if (waitMs > 0) return waitMs;
      marks.push(request.now);
      marksByKey.set(key, marks);
      return 0;
    },
    wait: async (key, window) => look(key, window).waitMs,
    async removeNewest(key) {
      marksByKey.get(key)?.pop();
    },
  };
}
