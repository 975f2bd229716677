import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Webhook } from '../webhooks.schemas.js';

export interface PastSecret {
  sealed: string;
  until: string;
}

export interface KeptSecrets {
  webhook_id: string;
  secret: string;
  past_secrets: PastSecret[];
}

export interface WebhookRow {
  webhook_id: string;
  url: string;
  events: Webhook['events'];
  description: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  created_at: Date;
}

export interface NewWebhookRow {
  webhookId: string;
  url: string;
  events: string[];
  description: string | null;
  secret: string;
  now: Date;
}

/** Complete values: fields missing from the patch keep their current value. */
export type ChangedWebhook = Pick<WebhookRow, 'url' | 'events' | 'description' | 'enabled'>;

const COLUMNS = sql`webhook_id, url, events, description, enabled, disabled_reason, created_at`;

/** Stops deliveries for a workspace that is being erased; takes effect with the commit. */
export async function closeWebhooks(tx: Tx, brandId: number, reason: string): Promise<void> {
  await sql`
    update webhooks set enabled = false, disabled_reason = ${reason}, notice_due_at = null
    where brand_id = ${brandId}`.execute(tx);
}

export function webhookStore(db: Db | Tx, brandId: number) {
  return {
    /** Takes a lock per workspace until the transaction ends, so that the plan's limit holds. */
    async countLocked(): Promise<number> {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks:${brandId}`}, 0))`.execute(db);
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from webhooks where brand_id = ${brandId}`.execute(db);
      return rows[0]!.count;
    },

    async insert({ webhookId, url, events, description, secret, now }: NewWebhookRow): Promise<WebhookRow> {
      const { rows } = await sql<WebhookRow>`
        insert into webhooks (webhook_id, brand_id, url, events, description, enabled, secret, created_at)
        values (${webhookId}, ${brandId}, ${url}, ${events}::text[], ${description}, true, ${secret}, ${now})
        returning ${COLUMNS}`.execute(db);
      return rows[0]!;
    },

    async list(): Promise<WebhookRow[]> {
      const { rows } = await sql<WebhookRow>`
        select ${COLUMNS} from webhooks where brand_id = ${brandId} order by created_at, webhook_id`.execute(
        db,
      );
      return rows;
    },

    async find(webhookId: string): Promise<WebhookRow | undefined> {
      const { rows } = await sql<WebhookRow>`
        select ${COLUMNS} from webhooks where webhook_id = ${webhookId} and brand_id = ${brandId}`.execute(
        db,
      );
      return rows[0];
    },

    async lock(webhookId: string): Promise<(WebhookRow & KeptSecrets) | undefined> {
      const { rows } = await sql<WebhookRow & KeptSecrets>`
        select ${COLUMNS}, secret, past_secrets from webhooks
        where webhook_id = ${webhookId} and brand_id = ${brandId} for no key update`.execute(db);
      return rows[0];
    },

    /** Changing the address or enabling the webhook again resets its failure count. */
    async change(webhookId: string, { url, events, description, enabled }: ChangedWebhook) {
      const { rows } = await sql<WebhookRow>`
        update webhooks set url = ${url}, events = ${events}::text[], description = ${description}, enabled = ${enabled},
          failing_since = case when url = ${url} and enabled = ${enabled} then failing_since end,
          failing_days = case when url = ${url} and enabled = ${enabled} then failing_days else 0 end,
          disabled_reason = case when not ${enabled}::boolean then disabled_reason end,
          notice_due_at = case when not ${enabled}::boolean then notice_due_at end
        where webhook_id = ${webhookId} and brand_id = ${brandId}
        returning ${COLUMNS}`.execute(db);
      return rows[0]!;
    },

    async changeSecret(webhookId: string, secret: string, past: PastSecret[]): Promise<void> {
      await sql`
        update webhooks set secret = ${secret}, past_secrets = ${JSON.stringify(past)}::jsonb
        where webhook_id = ${webhookId} and brand_id = ${brandId}`.execute(db);
    },

    /** Its deliveries are deleted by the foreign key. */
    async remove(webhookId: string): Promise<boolean> {
      const { rows } = await sql`
        delete from webhooks where webhook_id = ${webhookId} and brand_id = ${brandId} returning 1`.execute(
        db,
      );
      return rows.length > 0;
    },
  };
}
