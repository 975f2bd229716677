import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { timePages } from '../../../kernel/cursor.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import { messageStore } from '../messages/messages.store.js';
import { DELIVERIES_CHANNEL, writeBody } from '../messages/outbox.js';
import { webhookStore } from '../subscriptions/subscriptions.store.js';
import { cursorInvalid, deliveryNotFound, webhookDisabled, webhookNotFound } from '../webhooks.errors.js';
import type { Delivery, DeliveryStatus } from '../webhooks.schemas.js';
import { type DeliveryRow, deliveryStore } from './dispatch.store.js';

const PAGE = 50;
const TEST_EVENT = 'webhook.test';

export interface DeliveryOptions {
  db: Db;
  clock: Clock;
  notifications: Pick<Notifications, 'publish'>;
  cursorSecret: string;
}

const toDelivery = (row: DeliveryRow): Delivery => ({
  delivery_id: row.delivery_id,
  event_id: row.event_id,
  event: row.event,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
});

export function createDeliveryService({ db, clock, notifications, cursorSecret }: DeliveryOptions) {
  /** Locks the webhook, so that it can be neither disabled nor removed before the transaction ends. */
  async function requireEnabled(tx: Tx, caller: MemberCaller, webhookId: string): Promise<void> {
    const webhook = await webhookStore(tx, caller.brandId).lock(webhookId);
    if (!webhook) throw webhookNotFound();
    if (!webhook.enabled) throw webhookDisabled();
  }

  const accept = async (tx: Tx, caller: MemberCaller, action: string, deliveryId: string, at: Date) => {
    await recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action: `webhook.${action}`,
      subject: `webhook-delivery:${deliveryId}`,
      at,
    });
    await notifications.publish(tx, DELIVERIES_CHANNEL, {});
  };

  return {
    async listDeliveries(
      brandId: number,
      webhookId: string,
      { status, cursor }: { status?: DeliveryStatus; cursor?: string },
    ) {
      const pages = timePages(cursorSecret, `webhook-deliveries:${webhookId}`, cursorInvalid);
      const after = pages.read(cursor);
      if (!(await webhookStore(db, brandId).find(webhookId))) throw webhookNotFound();
      const rows = await deliveryStore(db, brandId, webhookId).list(status, after, PAGE + 1);
      const { page, next_cursor } = pages.cut(rows, PAGE, (row) => ({
        at: row.created_at,
        id: row.delivery_id,
      }));
      return { deliveries: page.map(toDelivery), next_cursor };
    },

    async sendTest(caller: MemberCaller, webhookId: string) {
      return inTransaction(db, async (tx) => {
        await requireEnabled(tx, caller, webhookId);
        const at = clock.now();
        const [eventId, deliveryId] = [newId(), newId()];
        const body = writeBody({ type: TEST_EVENT, at, data: { webhook_id: webhookId } });
        const message = { eventId, brandId: caller.brandId, type: TEST_EVENT, body, at };
        await messageStore(tx).writeFor(webhookId, message, deliveryId);
        await accept(tx, caller, 'tested', deliveryId, at);
        return { delivery_id: deliveryId, event_id: eventId };
      });
    },

    /** Sends the same message again under the same `webhook-id` and keeps the earlier attempts. */
    async replay(caller: MemberCaller, webhookId: string, deliveryId: string) {
      return inTransaction(db, async (tx) => {
        await requireEnabled(tx, caller, webhookId);
        const at = clock.now();
        const again = await deliveryStore(tx, caller.brandId, webhookId).redeliver(deliveryId, at);
        if (!again) throw deliveryNotFound();
        await accept(tx, caller, 'replayed', deliveryId, at);
        return { delivery_id: deliveryId, event_id: again.event_id };
      });
    },
  };
}
