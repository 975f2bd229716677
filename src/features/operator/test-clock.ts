import { MovableClock } from '../../kernel/clock.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import { operatorStore } from './operator.store.js';

const CHANNEL = 'guildhall_clock';

interface Move {
  advance_seconds?: number;
  freeze?: boolean;
}

/** A clock that the operator moves. Its state is stored, so that restarts and other nodes follow it. */
export function createTestClock({
  db,
  notifications,
  clock,
}: {
  db: Db;
  notifications: Notifications;
  clock: MovableClock;
}) {
  let following = Promise.resolve();

  /** Serialized, so that a state read before a move cannot overwrite a newer one. */
  function follow(): Promise<void> {
    const next = following.then(async () => {
      const kept = await operatorStore(db).findClock();
      if (kept) clock.restore({ offsetMs: kept.offset_ms, frozenAt: kept.frozen_at });
    });
    following = next.catch(() => {});
    return next;
  }
  notifications.subscribe(CHANNEL, () => void follow().catch(() => {}));
  notifications.onGap(() => void follow().catch(() => {}));

  return {
    follow,
    /** Moves the stored state and then follows it, so that no concurrent move is lost. */
    async move({ advance_seconds = 0, freeze }: Move): Promise<Date> {
      await inTransaction(db, async (tx) => {
        const store = operatorStore(tx);
        const kept = await store.lockClock();
        const moved = new MovableClock();
        moved.restore({ offsetMs: kept.offset_ms, frozenAt: kept.frozen_at });
        if (freeze !== undefined) moved.freeze(freeze);
        moved.advance(advance_seconds);
        await store.saveClock({ offset_ms: moved.state.offsetMs, frozen_at: moved.state.frozenAt });
        await notifications.publish(tx, CHANNEL, {});
      });
      await follow();
      return clock.now();
    },
  };
}

export type TestClock = ReturnType<typeof createTestClock>;
