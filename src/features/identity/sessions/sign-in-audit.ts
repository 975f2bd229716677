import type { Clock } from '../../../kernel/clock.js';
import { type AuditActor, recordAuditIn } from '../../../platform/audit/audit.js';
import type { Db } from '../../../platform/database/database.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { personStore } from '../people/people.store.js';

export type SignInAudit = ReturnType<typeof createSignInAudit>;

const NOBODY = 0;
const ANYBODY: AuditActor = { kind: 'anonymous' };

interface Failure {
  what?: 'password' | 'code';
  /** Who did it, where that is known; nobody who only knocks is. */
  actor?: AuditActor;
}

/**
 * Attempts that came to nothing. A known person's are told in every workspace of theirs, others to the operator, without the name
 * that was typed. Known and unknown people take the same steps.
 */
export function createSignInAudit(db: Db, clock: Clock) {
  async function record(userId: number | undefined, action: string, { what, actor = ANYBODY }: Failure) {
    const brandIds = await sessionStore(db).listWorkplaceIds(userId ?? NOBODY);
    await recordAuditIn(db, brandIds.length > 0 ? brandIds : [null], {
      actor,
      action,
      subject: userId === undefined ? 'user:unknown' : `user:${userId}`,
      details: what ? { what } : {},
      at: clock.now(),
    });
  }

  return {
    recordFailure: (userId: number | undefined, failure: Failure): Promise<void> =>
      record(userId, 'sign-in.failed', failure),

    async recordLockOut(account: string | undefined): Promise<void> {
      const person = account === undefined ? undefined : await personStore(db).findAccount(account);
      await record(person?.user_id, 'sign-in.locked', {});
    },
  };
}
