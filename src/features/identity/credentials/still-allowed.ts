import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import {
  adminRequired,
  missingScope,
  notAuthenticated,
} from '../../../platform/http/request/authentication.js';
import { membershipStore } from '../members/members.store.js';
import { holdCredential } from './credentials.store.js';

export type StillAllowed = ReturnType<typeof createStillAllowed>;

/**
 * A request is authorized before its transaction begins, and its caller may lose a role or a credential in between. Transactions that
 * give rights ask again: what they ask about cannot change until they end.
 */
export function createStillAllowed({ clock }: { clock: Clock }) {
  /** The session or token has not ended, and a token has not lost a scope. */
  async function requireStillSignedIn(tx: Tx, caller: MemberCaller): Promise<void> {
    const isExpired = caller.expiresAt !== null && caller.expiresAt <= clock.now();
    const held = isExpired ? undefined : await holdCredential(tx, caller);
    if (!held) throw notAuthenticated(caller.kind === 'session' ? {} : { 'www-authenticate': 'Bearer' });
    const missing = caller.kind === 'pat' && caller.scopes.find((scope) => !held.scopes.includes(scope));
    if (missing) throw missingScope(missing, held.scopeCeiling.includes(missing));
  }

  return {
    requireStillSignedIn,

    /** The caller is an admin of the workspace, too. Comes after the locks on the workspace and on other people, before all writes. */
    async requireStillAdmin(tx: Tx, caller: MemberCaller): Promise<void> {
      const role = await membershipStore(tx, caller.brandId).holdRole(caller.userId);
      await requireStillSignedIn(tx, caller);
      if (role !== 'admin') throw adminRequired();
    },
  };
}
