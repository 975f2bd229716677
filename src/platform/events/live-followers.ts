import type { Notifications } from './notifications.js';

/** Published by the identity feature whenever somebody may do more or less than before. */
const IDENTITY_CHANNEL = 'guildhall_identity';
/** A node that died may have kept news to itself. */
const LOOK_AGAIN_MS = 60_000;

export interface Follower {
  /** Resolves when something happened since it last did, when that time or a minute has passed, and at the end. */
  next(withinMs?: number): Promise<'news' | 'time' | 'end'>;
  close(): void;
}

/**
 * Wakes up those on this node who follow something. The node hears every message once, however many follow; a message says
 * only that there is something to read, so a lost or doubled one does no harm.
 */
export function createFollowers<T>(
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>,
  channel: string,
  /** Whoever follows one of these has something to read. */
  keysOf: (message: T) => readonly string[],
) {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (key: string) => {
    for (const ring of waiting.get(key) ?? []) ring();
  };
  const wakeAll = () => {
    for (const key of waiting.keys()) wake(key);
  };
  notifications.subscribe<T>(channel, (message) => keysOf(message).forEach(wake));
  notifications.subscribe(IDENTITY_CHANNEL, wakeAll);
  notifications.onGap(wakeAll);

  return {
    /** Listens from now on. */
    follow(key: string, signal: AbortSignal): Follower {
      let rung = false;
      let resume = () => {};
      const ring = () => {
        rung = true;
        resume();
      };
      const followers = waiting.get(key) ?? new Set();
      waiting.set(key, followers.add(ring));
      signal.addEventListener('abort', ring);

      return {
        next: async (withinMs = LOOK_AGAIN_MS) => {
          if (!rung && !signal.aborted) {
            const timer = setTimeout(() => resume(), Math.min(withinMs, LOOK_AGAIN_MS));
            await new Promise<void>((resolve) => (resume = resolve));
            clearTimeout(timer);
          }
          const reason = signal.aborted ? 'end' : rung ? 'news' : 'time';
          rung = false;
          return reason;
        },
        close: () => {
          signal.removeEventListener('abort', ring);
          followers.delete(ring);
          if (followers.size === 0) waiting.delete(key);
        },
      };
    },
  };
}
