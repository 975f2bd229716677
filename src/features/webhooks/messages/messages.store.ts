import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { hasEnabledWebhook } from '../../../platform/database/schema/sql-fragments.js';

export interface NewMessage {
  eventId: string;
  brandId: number;
  type: string;
  body: string;
  at: Date;
}

export interface StoredEvent {
  event_id: string;
  body: string;
}

/** Not bound to a workspace, because one change to a fleet of desks creates messages for several workspaces. */
export function messageStore(db: Db | Tx) {
  return {
    /**
     * Stores messages that have a subscriber, with a delivery for each one; returns true if there is any
     * delivery. Locks the webhooks, so that a webhook that is being removed is waited for and left out
     * instead of failing the write.
     */
    async write(messages: readonly NewMessage[]): Promise<boolean> {
      const { rows } = await sql<{ delivered: boolean }>`
        with saved as (
          select * from unnest(
            ${messages.map(({ eventId }) => eventId)}::uuid[], ${messages.map(({ brandId }) => brandId)}::int[],
            ${messages.map(({ type }) => type)}::text[], ${messages.map(({ body }) => body)}::text[],
            ${messages.map(({ at }) => at)}::timestamptz[]) as t (event_id, brand_id, type, body, at)
        ), heard as (
          select t.event_id, t.at, w.webhook_id from saved t
          join webhooks w on w.brand_id = t.brand_id and w.enabled and w.events && array[t.type, '*']
          for key share of w
        ), kept as (
          insert into webhook_messages (event_id, brand_id, type, body, created_at)
          select event_id, brand_id, type, body, at from saved
          where event_id in (select event_id from heard)
        ), deliveries as (
          insert into webhook_deliveries (delivery_id, webhook_id, event_id, status, next_attempt_at, due_at, created_at)
          select gen_random_uuid(), webhook_id, event_id, 'pending', at, at, at from heard
          returning 1
        )
        select exists (select from deliveries) as delivered`.execute(db);
      return rows[0]!.delivered;
    },

    /** Ignores the webhook's subscribed events. */
    async writeFor(webhookId: string, { eventId, brandId, type, body, at }: NewMessage, deliveryId: string) {
      await sql`
        with kept as (
          insert into webhook_messages (event_id, brand_id, type, body, created_at)
          values (${eventId}, ${brandId}, ${type}, ${body}, ${at})
        )
        insert into webhook_deliveries (delivery_id, webhook_id, event_id, status, next_attempt_at, due_at, created_at)
        values (${deliveryId}, ${webhookId}, ${eventId}, 'pending', ${at}, ${at}, ${at})`.execute(db);
    },

    async hasSubscribers(brandId: number): Promise<boolean> {
      const { rows } = await sql<{ heard: boolean }>`select ${hasEnabledWebhook(brandId)} as heard`.execute(
        db,
      );
      return rows[0]!.heard;
    },

    async listNaming(
      brandIds: number[],
      { userId, addresses }: { userId: number; addresses: string[] },
      after: string,
      limit: number,
    ): Promise<StoredEvent[]> {
      const { rows } = await sql<StoredEvent>`
        select event_id, body from webhook_messages
        where brand_id = any(${brandIds}::integer[]) and event_id > ${after}
          and (body like ${`%"user_id":${userId},%`} or body like ${`%"user_id":${userId}}%`}
            or exists (
              select from unnest(${addresses}::text[]) as a (address) where strpos(lower(body), lower(a.address)) > 0))
        order by event_id limit ${limit}`.execute(db);
      return rows;
    },

    async rewrite(events: readonly StoredEvent[]): Promise<void> {
      await sql`
        update webhook_messages m set body = t.body
        from unnest(${events.map(({ event_id }) => event_id)}::uuid[], ${events.map(({ body }) => body)}::text[])
          as t (event_id, body)
        where m.event_id = t.event_id`.execute(db);
    },

    /** Their deliveries are deleted by the foreign key. */
    async deleteBefore(before: Date, limit: number): Promise<number> {
      const { rows } = await sql`
        delete from webhook_messages where ctid = any(array(
          select ctid from webhook_messages where created_at <= ${before} order by created_at limit ${limit}))
        returning 1`.execute(db);
      return rows.length;
    },
  };
}
