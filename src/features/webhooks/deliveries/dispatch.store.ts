import { sql } from 'kysely';
import { DAY } from '../../../kernel/clock.js';
import type { TimePlace } from '../../../kernel/cursor.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { KeptSecrets } from '../subscriptions/subscriptions.store.js';
import type { Delivery, DeliveryStatus } from '../webhooks.schemas.js';
import type { Capacity } from './receiver-limits.js';

export interface Claim extends KeptSecrets {
  delivery_id: string;
  event_id: string;
  url: string;
  body: string;
  failures: number;
  lease: Date;
}

export interface Attempt {
  at: string;
  status: number | null;
  milliseconds: number;
  error: string | null;
}

export interface AttemptResult {
  delivery_id: string;
  lease: Date;
  attempt: Attempt;
  status: 'pending' | 'delivered' | 'failed';
  failures: number;
  next_attempt_at: Date | null;
}

/** Every receiver is in at most one of the lists. */
export interface ReceiverResults {
  answered: string[];
  failed: string[];
  /** Includes the address that returned 410, since the webhook may have a new one by now. */
  gone: { webhookId: string; url: string }[];
  goneReason: string;
}

const MOST_ATTEMPTS_KEPT = 50;

/** A result is applied only while its claim is current, so that a replay requested meanwhile is kept. */
const writeAttempts = (results: readonly AttemptResult[]) => sql`
  update webhook_deliveries d set
    attempts = case when jsonb_array_length(d.attempts) >= ${MOST_ATTEMPTS_KEPT}::int
      then d.attempts - 0 else d.attempts end || jsonb_build_array(r.attempt),
    status = case when d.due_at = r.lease then r.status else d.status end,
    failures = case when d.due_at = r.lease then r.failures else d.failures end,
    next_attempt_at = case when d.due_at = r.lease then r.next_attempt_at else d.next_attempt_at end,
    due_at = case when d.due_at = r.lease then r.next_attempt_at else d.due_at end
  from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r (
    delivery_id uuid, lease timestamptz, attempt jsonb, status text, failures smallint, next_attempt_at timestamptz)
  where d.delivery_id = r.delivery_id`;

/** For background jobs, so across all workspaces. */
export function dispatchStore(db: Db | Tx) {
  return {
    async readBacklog(now: Date): Promise<{ waiting: number; oldest_seconds: number }> {
      const { rows } = await sql<{ waiting: number; oldest_seconds: number }>`
        select count(*) as waiting,
          greatest(0, coalesce(floor(date_part('epoch', ${now}::timestamptz - min(due_at))), 0))::integer as oldest_seconds
        from webhook_deliveries where due_at is not null and due_at <= ${now}`.execute(db);
      return rows[0]!;
    },

    /** Other nodes can claim the deliveries again after `lease`. */
    async claim(now: Date, lease: Date, capacity: Capacity, inFlight: string[]): Promise<Claim[]> {
      const { rows } = await sql<Claim>`
        with recursive receivers as (
          (select webhook_id from webhook_deliveries where due_at is not null order by webhook_id limit 1)
          union all
          select (select d.webhook_id from webhook_deliveries d
            where d.due_at is not null and d.webhook_id > r.webhook_id order by d.webhook_id limit 1)
          from receivers r where r.webhook_id is not null
        ), due as (
          select d.delivery_id from receivers r
          join webhooks w on w.webhook_id = r.webhook_id and w.enabled
          left join unnest(${capacity.receivers}::uuid[], ${capacity.free}::int[]) as l (webhook_id, free)
            on l.webhook_id = r.webhook_id
          cross join lateral (
            select q.delivery_id, q.due_at from webhook_deliveries q
            where q.webhook_id = r.webhook_id and q.due_at <= ${now} and q.delivery_id <> all(${inFlight}::uuid[])
            order by q.due_at limit coalesce(l.free, ${capacity.perReceiver}::int) for update skip locked
          ) d
          order by d.due_at limit ${capacity.total}
        )
        update webhook_deliveries d set due_at = ${lease}
        from due, webhooks w, webhook_messages m
        where d.delivery_id = due.delivery_id and w.webhook_id = d.webhook_id and m.event_id = d.event_id
        returning d.delivery_id, d.event_id, d.failures, d.due_at as lease, m.body, w.webhook_id, w.url, w.secret, w.past_secrets`.execute(
        db,
      );
      return rows;
    },

    async noteAttempts(results: readonly AttemptResult[]): Promise<void> {
      await writeAttempts(results).execute(db);
    },

    /** The cheap path for successful attempts: receivers rarely have failures to reset. */
    async noteAnswers(results: readonly AttemptResult[], answered: string[]): Promise<void> {
      await sql`
        with noted as (${writeAttempts(results)})
        update webhooks set failing_since = null, failing_days = 0
        where webhook_id = any(${answered}::uuid[]) and failing_since is not null`.execute(db);
    },

    async noteReceivers({ answered, failed, gone, goneReason }: ReceiverResults, now: Date): Promise<void> {
      if (answered.length > 0)
        await sql`
          update webhooks set failing_since = null, failing_days = 0
          where webhook_id = any(${answered}::uuid[]) and failing_since is not null`.execute(db);
      // Days count from the first failure; a day without a failed attempt restarts the count.
      const day = sql`floor(extract(epoch from ${now}::timestamptz - failing_since) / ${DAY})::int`;
      const isBroken = sql`(failing_since is null or ${day} > failing_days)`;
      if (failed.length > 0)
        await sql`
          update webhooks set
            failing_since = case when ${isBroken} then ${now} else failing_since end,
            failing_days = case when ${isBroken} then 1 else ${day} + 1 end
          where webhook_id = any(${failed}::uuid[]) and (failing_since is null or ${day} >= failing_days)`.execute(
          db,
        );
      if (gone.length > 0)
        await sql`
          update webhooks w set enabled = false, disabled_reason = ${goneReason}
          from unnest(${gone.map(({ webhookId }) => webhookId)}::uuid[], ${gone.map(({ url }) => url)}::text[])
            as g (webhook_id, url)
          where w.webhook_id = g.webhook_id and w.url = g.url and w.enabled`.execute(db);
    },

    async release(claims: readonly Pick<Claim, 'delivery_id' | 'lease'>[]): Promise<void> {
      await sql`
        update webhook_deliveries d set due_at = d.next_attempt_at
        from unnest(${claims.map((claim) => claim.delivery_id)}::uuid[], ${claims.map((claim) => claim.lease)}::timestamptz[])
          as c (delivery_id, lease)
        where d.delivery_id = c.delivery_id and d.due_at = c.lease`.execute(db);
    },
  };
}

export interface DeliveryRow extends Omit<Delivery, 'next_attempt_at'> {
  next_attempt_at: Date | null;
  created_at: Date;
}

export function deliveryStore(db: Db | Tx, brandId: number, webhookId: string) {
  const own = sql`d.webhook_id = (select webhook_id from webhooks where webhook_id = ${webhookId} and brand_id = ${brandId})`;

  return {
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

    /** The delivery is retried from the start. */
    async redeliver(deliveryId: string, now: Date): Promise<{ event_id: string } | undefined> {
      const { rows } = await sql<{ event_id: string }>`
        update webhook_deliveries d set status = 'pending', failures = 0, next_attempt_at = ${now}, due_at = ${now}
        where d.delivery_id = ${deliveryId} and ${own}
        returning d.event_id`.execute(db);
      return rows[0];
    },
  };
}

interface DueNotice {
  webhook_id: string;
  brand_id: number;
  url: string;
}

export function failingStore(db: Db) {
  return {
    async disable(failingSince: Date, days: number, reason: string, now: Date): Promise<number> {
      const { rows } = await sql`
        update webhooks set enabled = false, disabled_reason = ${reason}, notice_due_at = ${now}
        where enabled and failing_since is not null and failing_since <= ${failingSince} and failing_days >= ${days}
        returning 1`.execute(db);
      return rows.length;
    },

    async claimNotices(now: Date, lease: Date, limit: number): Promise<DueNotice[]> {
      const { rows } = await sql<DueNotice>`
        update webhooks set notice_due_at = ${lease}
        where webhook_id in (
          select webhook_id from webhooks where notice_due_at is not null and notice_due_at <= ${now}
          order by notice_due_at limit ${limit} for update skip locked)
        returning webhook_id, brand_id, url`.execute(db);
      return rows;
    },

    async noteNotice(webhookId: string): Promise<void> {
      await sql`update webhooks set notice_due_at = null where webhook_id = ${webhookId}`.execute(db);
    },
  };
}
