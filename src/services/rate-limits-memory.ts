import { LRUCache } from 'lru-cache';
import type { WindowRequest, Windows } from './rate-limits.js';

/** Enough for every account and address that fails within a window; the least recently seen go first. */
const MOST_KEYS = 50_000;

/** The times of the marks, oldest first. Every step is synchronous, so callers cannot come between read and write. */
export function memoryWindows(): Windows {
  const marksByKey = new LRUCache<string, number[]>({ max: MOST_KEYS });

  const current = (key: string, { now, durationMs }: WindowRequest): number[] => {
    const marks = (marksByKey.get(key) ?? []).filter((at) => at > now - durationMs);
    if (marks.length === 0) marksByKey.delete(key);
    return marks;
  };
  const waitFor = (marks: number[], { now, durationMs, points }: WindowRequest): number => {
    if (points <= 0) return durationMs;
    const blocking = marks[marks.length - points];
    return blocking === undefined ? 0 : blocking + durationMs - now;
  };

  return {
    async add(key, request) {
      const marks = current(key, request);
      const waitMs = waitFor(marks, request);
      if (waitMs > 0 && !request.force) return waitMs;
      for (let added = 0; added < request.n; added += 1) marks.push(request.now);
      marksByKey.set(key, marks.slice(-Math.max(1, request.points)));
      return 0;
    },
    async wait(key, request) {
      return waitFor(current(key, request), request);
    },
    async removeNewest(key) {
      const marks = marksByKey.get(key);
      marks?.pop();
    },
    async clear(key) {
      marksByKey.delete(key);
    },
  };
}
