import type { Notifications } from './notifications.js';

/** Published by the identity feature whenever permissions change. */
const IDENTITY_CHANNEL = 'guildhall_identity';
/** A node may die before it sends its notification, so followers also check again after this time. */
const LOOK_AGAIN_MS = 60_000;

interface Follower {
  /** Resolves on news, after the given time or a minute, and when the signal aborts. */
  next(withinMs?: number): Promise<'news' | 'time' | 'end'>;
  close(): void;
}

/**
 * Wakes followers on this node. A message only means that there is something to read, so lost or repeated
 * messages are harmless.
 */
export function createFollowers<T>(
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>,
  channel: string,
  /** Returns the keys whose followers have something to read. */
  keysOf: (message: T) => readonly string[],
) {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (key: string) => {
    for (const notify of waiting.get(key) ?? []) notify();
  };
  const wakeAll = () => {
    for (const key of waiting.keys()) wake(key);
  };
  notifications.subscribe<T>(channel, (message) => keysOf(message).forEach(wake));
  notifications.subscribe(IDENTITY_CHANNEL, wakeAll);
  notifications.onGap(wakeAll);

  return {
    follow(key: string, signal: AbortSignal): Follower {
      let hasNews = false;
      let resume = () => {};
      const notify = () => {
        hasNews = true;
        resume();
      };
      const followers = waiting.get(key) ?? new Set();
      waiting.set(key, followers.add(notify));
      signal.addEventListener('abort', notify);

      return {
        next: async (withinMs = LOOK_AGAIN_MS) => {
          if (!hasNews && !signal.aborted) {
            const timer = setTimeout(() => resume(), Math.min(withinMs, LOOK_AGAIN_MS));
            await new Promise<void>((resolve) => (resume = resolve));
            clearTimeout(timer);
          }
          const reason = signal.aborted ? 'end' : hasNews ? 'news' : 'time';
          hasNews = false;
          return reason;
        },
        close: () => {
          signal.removeEventListener('abort', notify);
          followers.delete(notify);
          if (followers.size === 0) waiting.delete(key);
        },
      };
    },
  };
}
