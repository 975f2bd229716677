import type { BoardServiceOptions } from './boards.context.js';
import { ACTIVITY_CHANNEL } from './boards.context.js';

/** Published by the identity feature whenever somebody may do more or less than before. */
const IDENTITY_CHANNEL = 'guildhall_identity';

/**
 * Wakes up those on this node who follow a board. The node hears every message once, however many follow;
 * a message says only that there is something to read, so a lost or doubled one does no harm.
 */
export class LiveFeed {
  #waiting = new Map<string, Set<() => void>>();

  constructor(notifications: BoardServiceOptions['notifications']) {
    notifications.subscribe<string>(ACTIVITY_CHANNEL, (boardId) => this.#wake(boardId));
    notifications.subscribe(IDENTITY_CHANNEL, () => this.#wakeAll());
    notifications.onGap(() => this.#wakeAll());
  }

  /** Listens from now on; `next` resolves when something happened since it last did, and with false at the end. */
  follow(boardId: string, signal: AbortSignal): { next(): Promise<boolean>; close(): void } {
    let rung = false;
    let ring = () => {};
    const wake = () => {
      rung = true;
      ring();
    };
    const followers = this.#waiting.get(boardId) ?? new Set();
    this.#waiting.set(boardId, followers.add(wake));
    signal.addEventListener('abort', wake);

    return {
      next: async () => {
        if (!rung && !signal.aborted) await new Promise<void>((resolve) => (ring = resolve));
        rung = false;
        return !signal.aborted;
      },
      close: () => {
        signal.removeEventListener('abort', wake);
        followers.delete(wake);
        if (followers.size === 0) this.#waiting.delete(boardId);
      },
    };
  }

  #wake(boardId: string): void {
    for (const wake of this.#waiting.get(boardId) ?? []) wake();
  }

  #wakeAll(): void {
    for (const boardId of this.#waiting.keys()) this.#wake(boardId);
  }
}
