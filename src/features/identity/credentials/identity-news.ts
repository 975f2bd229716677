import { inTransaction } from '../../../database/connection/transaction.js';
import type { Db, Tx } from '../../../database/database.js';
import type { Notifications } from '../../../database/notifications/notifications.js';

const NEWS_CHANNEL = 'guildhall_identity';

/** A write after which somebody may do more or less than before: every node forgets what it knew when it commits. */
export type ChangeIdentities = <T>(work: (tx: Tx) => Promise<T>, inside?: Db | Tx) => Promise<T>;

/** Tells all nodes of changed identities; `forget` empties what this one remembers. */
export function createIdentityNews(
  db: Db,
  notifications: Notifications,
  forget: () => void,
): ChangeIdentities {
  notifications.subscribe(NEWS_CHANNEL, forget);
  notifications.onGap(forget);

  return async (work, inside = db) => {
    const result = await inTransaction(inside, async (tx) => {
      const value = await work(tx);
      await notifications.publish(tx, NEWS_CHANNEL, {});
      return value;
    });
    forget();
    if (!inside.isTransaction) await notifications.flush();
    return result;
  };
}
