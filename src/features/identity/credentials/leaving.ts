import type { Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import { guestAccessStore } from '../members/guests.store.js';
import { invitationStore } from '../members/invitations.store.js';
import { membershipStore } from '../members/members.store.js';
import { challengeStore } from './mfa.store.js';
import { sessionStore } from './sessions.store.js';
import { tokenStore } from './tokens.store.js';

export interface LeavingOptions {
  outbox: Pick<WebhookOutbox, 'tell'>;
  /** What other features keep for a person in a workspace, such as their inbox. */
  removeBelongings(tx: Tx, brandId: number, userId: number): Promise<void>;
}

/**
 * The one way out of a workspace, for members and guests, whoever shows them out: everything they held there ends with the
 * commit and stays ended when they come back. Streams end with their credential. Belongs inside `changeIdentities`.
 */
export async function leaveWorkspace(
  { outbox, removeBelongings }: LeavingOptions,
  tx: Tx,
  brandId: number,
  userId: number,
  now: Date,
): Promise<void> {
  const role = await membershipStore(tx, brandId).deactivate(userId);
  await guestAccessStore(tx, brandId).remove(userId);
  await sessionStore(tx).deleteSessionsIn(brandId, userId);
  await challengeStore(tx).removeChallengesIn(brandId, userId);
  await tokenStore(tx, brandId).revokeTokensOf(userId, now);
  await invitationStore(tx, brandId).revokeFor(userId);
  await invitationStore(tx, brandId).revokeBy(userId);
  await removeBelongings(tx, brandId, userId);
  // Guests come and go without being members.
  if (role !== undefined)
    await outbox.tell(tx, [{ brandId, type: 'member.left', at: now, data: { user_id: userId, role } }]);
}
