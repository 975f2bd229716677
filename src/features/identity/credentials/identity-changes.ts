import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { afterCommit, inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import {
  adminRequired,
  missingScope,
  notAuthenticated,
} from '../../../platform/http/request/authentication.js';
import { membershipStore } from '../people/members.store.js';
import { lockCredential } from './credentials.store.js';

const CHANNEL = 'guildhall_identity';

/** A write that changes permissions. After its commit no node uses what it had cached. */
export type ChangeIdentities = <T>(work: (tx: Tx) => Promise<T>, inside?: Db | Tx) => Promise<T>;

export interface IdentityContext extends CallerChecks {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
}

/** Notifies all nodes of changed identities; `clearCaches` clears the caches of this node. */
export function createIdentityChanges(
  db: Db,
  notifications: Notifications,
  clearCaches: () => void,
): ChangeIdentities {
  notifications.subscribe(CHANNEL, clearCaches);
  notifications.onGap(clearCaches);

  const invalidate = async (): Promise<void> => {
    clearCaches();
    await notifications.flush();
  };

  return (work, inside = db) =>
    inTransaction(inside, async (tx) => {
      const value = await work(tx);
      await notifications.publish(tx, CHANNEL, {});
      afterCommit(tx, invalidate);
      return value;
    });
}

export type CallerChecks = ReturnType<typeof createCallerChecks>;

/**
 * A request is authorized before its transaction starts, and its caller may lose a role or a credential in
 * between. Transactions that grant rights check again and lock what they check.
 */
export function createCallerChecks({ clock }: { clock: Clock }) {
  async function requireStillSignedIn(tx: Tx, caller: MemberCaller): Promise<void> {
    const isExpired = caller.expiresAt !== null && caller.expiresAt <= clock.now();
    const held = isExpired ? undefined : await lockCredential(tx, caller);
    if (!held) throw notAuthenticated(caller.kind === 'session' ? {} : { 'www-authenticate': 'Bearer' });
    const missing = caller.kind === 'pat' && caller.scopes.find((scope) => !held.scopes.includes(scope));
    if (missing) throw missingScope(missing, held.scopeCeiling.includes(missing));
  }

  return {
    requireStillSignedIn,

    /** Also requires the admin role. Call it after locking the workspace and other people, and before all writes. */
    async requireStillAdmin(tx: Tx, caller: MemberCaller): Promise<void> {
      const role = await membershipStore(tx, caller.brandId).lockMembership(caller.userId);
      await requireStillSignedIn(tx, caller);
      if (role !== 'admin') throw adminRequired();
    },
  };
}
