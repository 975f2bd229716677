import { createHmac, randomBytes } from 'node:crypto';
import type { MemberCaller } from '../../../kernel/access.js';
import { within } from '../../../kernel/async.js';
import { type Clock, DAY, secondsFrom } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import {
  OutgoingRefused,
  readNetworks,
  resolveOutgoing,
} from '../../../platform/outgoing/outgoing-address.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { CallerChecks } from '../../identity/index.js';
import { DELIVERIES_CHANNEL } from '../messages/outbox.js';
import {
  urlMalformed,
  urlNotEncrypted,
  urlNotPublic,
  urlWithCredentials,
  webhookNotFound,
  webhookQuotaExceeded,
} from '../webhooks.errors.js';
import type { Webhook, WebhookInput, WebhookPatch } from '../webhooks.schemas.js';
import { type KeptSecrets, type PastSecret, type WebhookRow, webhookStore } from './subscriptions.store.js';

export interface SubscriptionOptions {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  notifications: Pick<Notifications, 'publish'>;
  rules: ReceiverRules;
  requireStillAdmin: CallerChecks['requireStillAdmin'];
}

const toWebhook = (row: WebhookRow): Webhook => ({
  webhook_id: row.webhook_id,
  url: row.url,
  events: row.events,
  description: row.description,
  enabled: row.enabled,
  created_at: row.created_at.toISOString(),
  disabled_reason: row.disabled_reason,
});

export function createSubscriptionService(options: SubscriptionOptions) {
  const { db, clock, secrets, notifications, rules, requireStillAdmin } = options;

  /** The audit entry omits the address, because it often contains a secret. */
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
    /** Called outside of a transaction, because DNS lookups can be slow. */
    checkReceiver: (url: string): Promise<void> => requireReceiver(rules, url),

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
        // Deliveries that waited while the webhook was disabled are sent now.
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

    /** The previous secret also signs for a while, so that receivers can switch. */
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

/** How long saving waits for DNS; the check is repeated when sending anyway. */
const RESOLVE_MS = 2000;

export type ResolveName = (name: string) => Promise<string[]>;

export interface ReceiverRules {
  networks: ReturnType<typeof readNetworks>;
  /** True only if the operator has configured WEBHOOK_NETWORKS. */
  allowsHttp: boolean;
  resolve: ResolveName | undefined;
}

export const receiverRules = (named: readonly string[], resolve?: ResolveName): ReceiverRules => ({
  networks: readNetworks(named),
  allowsHttp: named.length > 0,
  resolve,
});

/** Rejects addresses that the sender would refuse. A name without an address may get one later. */
export async function requireReceiver(rules: ReceiverRules, url: string): Promise<void> {
  const { protocol, hostname, username, password } = readUrl(url);
  if (protocol !== 'https:' && !rules.allowsHttp) throw urlNotEncrypted();
  if (username !== '' || password !== '' || /^https?:\/\/[^/?#]*@/i.test(url)) throw urlWithCredentials();
  try {
    await within(RESOLVE_MS, resolveOutgoing(hostname, rules.networks, rules.resolve));
  } catch (error) {
    if (!(error instanceof OutgoingRefused)) return;
    if (error.because === 'no host') throw urlMalformed();
    if (error.because === 'not allowed') throw urlNotPublic();
  }
}

/** Rejects addresses that the URL parser would silently correct. */
function readUrl(url: string): URL {
  if (!/^https?:\/\/[^\s\\/][^\s\\]*$/i.test(url) || !URL.canParse(url)) throw urlMalformed();
  return new URL(url);
}

/** Secrets and signatures according to Standard Webhooks: https://www.standardwebhooks.com */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const BOTH_SIGN_SECONDS = DAY;
/** Each secret makes the signature header longer, so only the most recently rotated ones still sign. */
const MOST_PAST = 3;

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export const sealedFor = (webhookId: string): string => `webhook:${webhookId}`;

/** Past secrets after a rotation: the current secret and unexpired earlier ones. */
export const retireSecret = ({ secret, past_secrets }: KeptSecrets, now: Date): PastSecret[] =>
  [{ sealed: secret, until: secondsFrom(now, BOTH_SIGN_SECONDS).toISOString() }, ...past_secrets]
    .filter(({ until }) => new Date(until) > now)
    .slice(0, MOST_PAST);

export function signMessage(
  box: SecretBox,
  { webhook_id, secret, past_secrets }: KeptSecrets,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  now: Date,
): string {
  const past = past_secrets.filter(({ until }) => new Date(until) > now);
  return [secret, ...past.map(({ sealed }) => sealed)]
    .map((sealed) => box.open(sealed, sealedFor(webhook_id)).slice(PREFIX.length))
    .map((key) => createHmac('sha256', Buffer.from(key, 'base64')))
    .map((hmac) => `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
