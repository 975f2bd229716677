import { rememberRecent } from '../../kernel/recent.js';
import type { Window, Windows } from './rate-limit-windows.js';

/** Enough for every account and address that fails within a window; the least recently seen go first. */
const MOST_KEYS = 50_000;

interface Mark {
  at: number;
  name: string;
}

/** The marks of each key, oldest first. Every step is synchronous, so callers cannot come between read and write. */
export function memoryWindows(): Windows {
  const marksByKey = rememberRecent<Mark[]>(MOST_KEYS);
  const look = (key: string, { now, durationMs, points }: Window) => {
    // Further ahead than a window is long: made by a clock that was wrong, and has been set right since.
    const marks = (marksByKey.get(key) ?? []).filter(
      ({ at }) => at > now - durationMs && at <= now + durationMs,
    );
    if (points <= 0) return { marks, waitMs: durationMs };
    const blocking = marks[marks.length - points];
    return { marks, waitMs: blocking === undefined ? 0 : blocking.at + durationMs - now };
  };
  return {
    async add(key, request) {
      const { now, durationMs, points, mark } = request;
      if (points <= 0) return durationMs;
      const { marks, waitMs } = look(key, request);
      const known = marks.findIndex(({ name }) => name === mark);
      if (known >= 0) marks.splice(known, 1);
      else if (waitMs > 0) return waitMs;
      marks.push({ at: now, name: mark });
      marksByKey.set(key, marks);
      return known >= 0 ? -1 : 0;
    },
    wait: async (key, window) => look(key, window).waitMs,
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
