import type { Db } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import { inTransaction } from '../../database/transaction.js';
import type { MovableClock } from '../../kernel/clock.js';
import { operatorStore } from './operator.store.js';

const CHANNEL = 'guildhall_clock';

/** A clock the operator moves. Its state is kept, so that restarts and other nodes follow it. */
export function createTestClock({
  db,
  notifications,
  clock,
}: {
  db: Db;
  notifications: Notifications;
  clock: MovableClock;
}) {
  async function follow(): Promise<void> {
    const kept = await operatorStore(db).findClock();
    if (kept) clock.restore({ offsetMs: kept.offset_ms, frozenAt: kept.frozen_at });
  }
  notifications.subscribe(CHANNEL, () => void follow().catch(() => {}));
  notifications.onGap(() => void follow().catch(() => {}));

  return {
    follow,
    async move({
      advance_seconds = 0,
      freeze,
    }: {
      advance_seconds?: number;
      freeze?: boolean;
    }): Promise<Date> {
      if (freeze !== undefined) clock.freeze(freeze);
      clock.advance(advance_seconds);
      await inTransaction(db, async (tx) => {
        await operatorStore(tx).saveClock({
          offset_ms: clock.state.offsetMs,
          frozen_at: clock.state.frozenAt,
        });
        await notifications.publish(tx, CHANNEL, {});
      });
      await notifications.flush();
      return clock.now();
    },
  };
}

export type TestClock = ReturnType<typeof createTestClock>;
