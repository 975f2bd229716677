import type { MemberRole } from '../../../kernel/access.js';
import type { Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';

/** Told of everybody who was no member before, whichever way they came in. */
export const tellJoined = (
  outbox: Pick<WebhookOutbox, 'tell'>,
  tx: Tx,
  brandId: number,
  userId: number,
  role: MemberRole,
  at: Date,
): Promise<void> =>
  outbox.tell(tx, [{ brandId, type: 'member.joined', at, data: { user_id: userId, role } }]);
