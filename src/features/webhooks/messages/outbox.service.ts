import type { Notifications } from '../../../database/notifications/notifications.js';
import { newId } from '../../../kernel/ids.js';
import type { WebhookOutbox } from '../../../services/outbox/webhook-outbox.js';
import { writeBody } from './message-body.js';
import { messageStore } from './messages.store.js';

/** Says that something waits to be sent; sent with the commit of what waits. */
export const DELIVERIES_CHANNEL = 'guildhall_webhooks';

/** What features tell, kept beside what they did; the sending begins with the commit. */
export function createWebhookOutbox({
  notifications,
}: {
  notifications: Pick<Notifications, 'call'>;
}): WebhookOutbox {
  return {
    async tell(tx, messages) {
      if (messages.length === 0) return;
      await messageStore(tx).write(
        messages.map(({ brandId, type, at, data }) => ({
          eventId: newId(),
          brandId,
          type,
          body: writeBody({ type, at, data }),
          at,
        })),
        notifications.call(DELIVERIES_CHANNEL, {}),
      );
    },

    isHeard: (db, brandId) => messageStore(db).isHeard(brandId),
  };
}
