import type { BoardServiceOptions } from '../boards.options.js';
import { ACTIVITY_CHANNEL } from './happenings.js';

/** Published by the identity feature whenever somebody may do more or less than before. */
const IDENTITY_CHANNEL = 'guildhall_identity';

/**
 * Wakes up those on this node who follow a board. The node hears every message once, however many follow;
 * a message says only that there is something to read, so a lost or doubled one does no harm.
 */
export function createLiveFeed(notifications: BoardServiceOptions['notifications']) {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (boardId: string) => {
    for (const ring of waiting.get(boardId) ?? []) ring();
  };
  const wakeAll = () => {
    for (const boardId of waiting.keys()) wake(boardId);
  };
  notifications.subscribe<string>(ACTIVITY_CHANNEL, wake);
  notifications.subscribe(IDENTITY_CHANNEL, wakeAll);
  notifications.onGap(wakeAll);

  return {
    /** Listens from now on; `next` resolves when something happened since it last did, and with false at the end. */
    follow(boardId: string, signal: AbortSignal): { next(): Promise<boolean>; close(): void } {
      let rung = false;
      let resume = () => {};
      const ring = () => {
        rung = true;
        resume();
      };
      const followers = waiting.get(boardId) ?? new Set();
      waiting.set(boardId, followers.add(ring));
      signal.addEventListener('abort', ring);

      return {
        next: async () => {
          if (!rung && !signal.aborted) await new Promise<void>((resolve) => (resume = resolve));
          rung = false;
          return !signal.aborted;
        },
        close: () => {
          signal.removeEventListener('abort', ring);
          followers.delete(ring);
          if (followers.size === 0) waiting.delete(boardId);
        },
      };
    },
  };
}
