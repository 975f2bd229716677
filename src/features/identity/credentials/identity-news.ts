import { afterCommit, inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';

const NEWS_CHANNEL = 'guildhall_identity';

/**
 * A write after which somebody may do more or less than before: every node has forgotten what it knew, or trusts it no more, when the
 * transaction is over for whoever began it.
 */
export type ChangeIdentities = <T>(work: (tx: Tx) => Promise<T>, inside?: Db | Tx) => Promise<T>;

/** Tells all nodes of changed identities; `forget` empties what this one remembers. */
export function createIdentityNews(
  db: Db,
  notifications: Notifications,
  forget: () => void,
): ChangeIdentities {
  notifications.subscribe(NEWS_CHANNEL, forget);
  notifications.onGap(forget);

  const settle = async (): Promise<void> => {
    forget();
    await notifications.flush();
  };

  return (work, inside = db) =>
    inTransaction(inside, async (tx) => {
      const value = await work(tx);
      await notifications.publish(tx, NEWS_CHANNEL, {});
      afterCommit(tx, settle);
      return value;
    });
}
