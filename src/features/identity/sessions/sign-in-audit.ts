import type { Db } from '../../../database/database.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAuditIn } from '../../../services/audit.js';
import { personStore } from '../people/people.store.js';
import { sessionStore } from './sessions.store.js';

export type SignInAudit = ReturnType<typeof createSignInAudit>;

const NOBODY = 0;

/**
 * Attempts that came to nothing. A known person's are told in every workspace of theirs, others to the operator, without the name
 * that was typed. Nobody is known to have done it. Known and unknown people take the same steps.
 */
export function createSignInAudit(db: Db, clock: Clock) {
  async function record(userId: number | undefined, action: string, details: Record<string, unknown>) {
    const brandIds = await sessionStore(db).listWorkplaceIds(userId ?? NOBODY);
    await recordAuditIn(db, brandIds.length > 0 ? brandIds : [null], {
      actor: { kind: 'anonymous' },
      action,
      subject: userId === undefined ? 'user:unknown' : `user:${userId}`,
      details,
      at: clock.now(),
    });
  }

  return {
    recordFailure: (userId: number | undefined, what: 'password' | 'code'): Promise<void> =>
      record(userId, 'sign-in.failed', { what }),

    async recordLockOut(account: string | undefined): Promise<void> {
      const person = account === undefined ? undefined : await personStore(db).findAccount(account);
      await record(person?.user_id, 'sign-in.locked', {});
    },
  };
}
