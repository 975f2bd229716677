import { newId } from '../../../kernel/ids.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import { writeBody } from './message-body.js';
import { messageStore } from './messages.store.js';

/** Says that something waits to be sent; whoever sends looks by themselves as well. */
export const DELIVERIES_CHANNEL = 'guildhall_webhooks';

/** What features tell, kept beside what they did; the sending begins after the commit. */
export function createWebhookOutbox({
  notifications,
}: {
  notifications: Pick<Notifications, 'announce'>;
}): WebhookOutbox {
  return {
    async tell(tx, messages) {
      if (messages.length === 0) return;
      const isDelivered = await messageStore(tx).write(
        messages.map(({ brandId, type, at, data }) => ({
          eventId: newId(),
          brandId,
          type,
          body: writeBody({ type, at, data }),
          at,
        })),
      );
      if (isDelivered) notifications.announce(tx, DELIVERIES_CHANNEL, {});
    },

    isHeard: (db, brandId) => messageStore(db).isHeard(brandId),
  };
}
