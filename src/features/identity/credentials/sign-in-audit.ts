import type { Clock } from '../../../kernel/clock.js';
import { type AuditActor, type AuditEntry, recordAuditIn } from '../../../platform/audit/audit.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { personStore } from '../people/people.store.js';
import { sessionStore } from './sessions.store.js';

const NOBODY = 0;

/**
 * Records an account event in every workspace of its person; for a person without one, or an unknown one, the
 * operator gets the entry. Known and unknown people take the same steps, so that the response time reveals
 * nothing.
 */
export async function recordPersonAudit(
  db: Db | Tx,
  userId: number | undefined,
  entry: Omit<AuditEntry, 'brandId' | 'subject'>,
): Promise<void> {
  const brandIds = await sessionStore(db).listWorkspaceIds(userId ?? NOBODY);
  const subject = userId === undefined ? 'user:unknown' : `user:${userId}`;
  await recordAuditIn(db, brandIds.length > 0 ? brandIds : [null], { ...entry, subject });
}

export type SignInAudit = ReturnType<typeof createSignInAudit>;

const ANONYMOUS: AuditActor = { kind: 'anonymous' };

/** Records failed sign-ins and lockouts without the name that was typed. */
export const createSignInAudit = (db: Db, clock: Clock) => ({
  recordFailure: (
    userId: number | undefined,
    what: 'password' | 'code',
    actor: AuditActor = ANONYMOUS,
  ): Promise<void> =>
    recordPersonAudit(db, userId, { actor, action: 'sign-in.failed', details: { what }, at: clock.now() }),

  async recordLockOut(account: string | undefined): Promise<void> {
    const person = account === undefined ? undefined : await personStore(db).findAccount(account);
    const entry = { actor: ANONYMOUS, action: 'sign-in.locked', at: clock.now() };
    await recordPersonAudit(db, person?.user_id, entry);
  },
});
