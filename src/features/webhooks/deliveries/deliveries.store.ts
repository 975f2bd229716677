import { sql } from 'kysely';
import type { TimePlace } from '../../../kernel/time-pages.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Delivery, DeliveryStatus } from './deliveries.schemas.js';

export interface DeliveryRow extends Omit<Delivery, 'next_attempt_at'> {
  next_attempt_at: Date | null;
  created_at: Date;
}

/** The deliveries of one webhook of the workspace. */
export function deliveryStore(db: Db | Tx, brandId: number, webhookId: string) {
  const own = sql`d.webhook_id = (select webhook_id from webhooks where webhook_id = ${webhookId} and brand_id = ${brandId})`;

  return {
    /** Newest first. */
    async list(
      status: DeliveryStatus | undefined,
      after: TimePlace | undefined,
      limit: number,
    ): Promise<DeliveryRow[]> {
      const { rows } = await sql<DeliveryRow>`
        select d.delivery_id, d.event_id, m.type as event, d.status, d.attempts, d.next_attempt_at, d.created_at
        from webhook_deliveries d join webhook_messages m on m.event_id = d.event_id
        where ${own} and (${status ?? null}::text is null or d.status = ${status ?? null}::text)
          and (${after?.id ?? null}::uuid is null
            or (d.created_at, d.delivery_id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
        order by d.created_at desc, d.delivery_id desc limit ${limit}`.execute(db);
      return rows;
    },

    /** As if it had just been written; undefined when there is no such delivery. */
    async redeliver(deliveryId: string, now: Date): Promise<{ event_id: string } | undefined> {
      const { rows } = await sql<{ event_id: string }>`
        update webhook_deliveries d set status = 'pending', failures = 0, next_attempt_at = ${now}, due_at = ${now}
        where d.delivery_id = ${deliveryId} and ${own}
        returning d.event_id`.execute(db);
      return rows[0];
    },
  };
}
