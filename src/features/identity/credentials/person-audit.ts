import { type AuditEntry, recordAuditIn } from '../../../platform/audit/audit.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { sessionStore } from './sessions.store.js';

/**
 * What happened to a person's account (a failed sign-in, a changed password) concerns every workspace they can sign in to: each
 * has an entry of its own, which stays there when the person leaves. Somebody who belongs nowhere has one for the operator.
 */
export async function recordPersonAudit(
  db: Db | Tx,
  userId: number,
  entry: Omit<AuditEntry, 'brandId' | 'subject'>,
): Promise<void> {
  const brandIds = await sessionStore(db).listWorkplaceIds(userId);
  await recordAuditIn(db, brandIds.length > 0 ? brandIds : [null], { ...entry, subject: `user:${userId}` });
}
