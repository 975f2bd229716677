import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { StillAllowed } from '../../identity/index.js';
import { DELIVERIES_CHANNEL } from '../messages/outbox.service.js';
import { webhookNotFound, webhookQuotaExceeded } from '../webhooks.errors.js';
import { type ReceiverRules, requireReceiver } from './receiver-address.js';
import type { Webhook, WebhookInput, WebhookPatch } from './subscriptions.schemas.js';
import { type WebhookRow, webhookStore } from './subscriptions.store.js';
import { newWebhookSecret, retireSecret, sealedFor } from './webhook-secret.js';

export interface SubscriptionOptions {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  notifications: Pick<Notifications, 'publish'>;
  rules: ReceiverRules;
  requireStillAdmin: StillAllowed['requireStillAdmin'];
}

export type SubscriptionService = ReturnType<typeof createSubscriptionService>;

const toWebhook = (row: WebhookRow): Webhook => ({
  webhook_id: row.webhook_id,
  url: row.url,
  events: row.events,
  description: row.description,
  enabled: row.enabled,
  created_at: row.created_at.toISOString(),
  disabled_reason: row.disabled_reason,
});

/** Who is told what: the webhooks of a workspace, and the secrets that prove who tells. */
export function createSubscriptionService(options: SubscriptionOptions) {
  const { db, clock, secrets, notifications, rules, requireStillAdmin } = options;

  /** Without the address: it is a secret of many a receiver. */
  const record = (tx: Tx, caller: MemberCaller, action: string, webhookId: string, details: object = {}) =>
    recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action: `webhook.${action}`,
      subject: `webhook:${webhookId}`,
      details: { ...details },
      at: clock.now(),
    });

  return {
    /** Asks name servers, which may take their time: nothing is held meanwhile. */
    judgeReceiver: (url: string): Promise<void> => requireReceiver(rules, url),

    async createWebhook(
      caller: MemberCaller,
      { url, events, description = null }: WebhookInput,
      isJudged = false,
    ) {
      if (!isJudged) await requireReceiver(rules, url);
      const secret = newWebhookSecret();
      return inTransaction(db, async (tx) => {
        await requireStillAdmin(tx, caller);
        const store = webhookStore(tx, caller.brandId);
        const current = await store.countLocked();
        const limit = PLAN_TERMS[caller.plan].webhooks;
        if (current >= limit) throw webhookQuotaExceeded(limit, current);
        const webhookId = newId();
        const row = await store.insert({
          webhookId,
          url,
          events: [...new Set(events)],
          description,
          secret: secrets.seal(secret, sealedFor(webhookId)),
          now: clock.now(),
        });
        await record(tx, caller, 'created', webhookId, { events: row.events });
        return { ...toWebhook(row), secret };
      });
    },

    async listWebhooks(brandId: number) {
      const webhooks = (await webhookStore(db, brandId).list()).map(toWebhook);
      return { webhooks, total: webhooks.length };
    },

    async getWebhook(brandId: number, webhookId: string): Promise<Webhook> {
      const row = await webhookStore(db, brandId).find(webhookId);
      if (!row) throw webhookNotFound();
      return toWebhook(row);
    },

    async changeWebhook(caller: MemberCaller, webhookId: string, patch: WebhookPatch): Promise<Webhook> {
      if (!(await webhookStore(db, caller.brandId).find(webhookId))) throw webhookNotFound();
      if (patch.url !== undefined) await requireReceiver(rules, patch.url);
      return inTransaction(db, async (tx) => {
        await requireStillAdmin(tx, caller);
        const store = webhookStore(tx, caller.brandId);
        const before = await store.lock(webhookId);
        if (!before) throw webhookNotFound();
        const { url, events, description, enabled } = { ...before, ...patch };
        const row = await store.change(webhookId, {
          url,
          events: [...new Set(events)],
          description,
          enabled,
        });
        await record(tx, caller, 'changed', webhookId, { fields: Object.keys(patch) });
        // What waited for it is sent.
        if (row.enabled && !before.enabled) await notifications.publish(tx, DELIVERIES_CHANNEL, {});
        return toWebhook(row);
      });
    },

    async deleteWebhook(caller: MemberCaller, webhookId: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        if (!(await webhookStore(tx, caller.brandId).remove(webhookId))) throw webhookNotFound();
        await record(tx, caller, 'deleted', webhookId);
      });
    },

    /** The secret before signs too for a while, so that receivers can change over. */
    async rotateSecret(caller: MemberCaller, webhookId: string): Promise<{ secret: string }> {
      const secret = newWebhookSecret();
      await inTransaction(db, async (tx) => {
        await requireStillAdmin(tx, caller);
        const store = webhookStore(tx, caller.brandId);
        const before = await store.lock(webhookId);
        if (!before) throw webhookNotFound();
        const sealed = secrets.seal(secret, sealedFor(webhookId));
        await store.changeSecret(webhookId, sealed, retireSecret(before, clock.now()));
        await record(tx, caller, 'secret_rotated', webhookId);
      });
      return { secret };
    },
  };
}
