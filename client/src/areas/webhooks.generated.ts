// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions } from '../core/options.js';

export interface AcceptedDelivery {
  delivery_id: string;
  event_id: string;
}

export interface NewWebhook {
  webhook_id: string;
  url: string;
  events: WebhookEvent[];
  description: string | null;
  enabled: boolean;
  created_at: string;
  /** Why the service turned it off; null when an admin did, or nobody. */
  disabled_reason: string | null;
  /** Verifies what is sent; shown this once. */
  secret: string;
}

export interface Webhook {
  webhook_id: string;
  url: string;
  events: WebhookEvent[];
  description: string | null;
  enabled: boolean;
  created_at: string;
  /** Why the service turned it off; null when an admin did, or nobody. */
  disabled_reason: string | null;
}

export interface WebhookDelivery {
  delivery_id: string;
  event_id: string;
  event: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: {
    at: string;
    /** What the receiver answered; null when it did not. */
    status: number | null;
    milliseconds: number;
    error: string | null;
  }[];
  next_attempt_at: string | null;
}

export interface WebhookDeliveryPage {
  deliveries: WebhookDelivery[];
  next_cursor: string | null;
}

export type WebhookEvent =
  | 'task.created'
  | 'task.updated'
  | 'task.moved'
  | 'task.commented'
  | 'task.deleted'
  | 'board.created'
  | 'board.updated'
  | 'build.queued'
  | 'build.started'
  | 'build.finished'
  | 'build.accepted'
  | 'build.reworked'
  | 'build.pushed'
  | 'desk.ready'
  | 'desk.unreachable'
  | 'hire.active'
  | 'hire.canceled'
  | 'memory.created'
  | 'lesson.stale'
  | 'member.joined'
  | 'member.left'
  | '*';

export interface WebhookList {
  webhooks: Webhook[];
  total: number;
}

export interface WebhookSecret {
  secret: string;
}

export interface CreateWebhookArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** Where to send it: a public https address without user name or password. */
  url: string;
  /** What to be told of; `*` is everything, also what is added later. */
  events: WebhookEvent[];
  /** What it is for, in words of your own; null for none. */
  description?: string | null;
}

export interface ListWebhooksArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
}

export interface GetWebhookArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The webhook, as list_webhooks shows its webhook_id. */
  webhook_id: string;
}

export interface UpdateWebhookArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The webhook, as list_webhooks shows its webhook_id. */
  webhook_id: string;
  /** Where to send it: a public https address without user name or password. */
  url?: string;
  /** What to be told of; `*` is everything, also what is added later. */
  events?: WebhookEvent[];
  /** What it is for, in words of your own; null for none. */
  description?: string | null;
  /** false: nothing is recorded or sent; true: it begins again, and `disabled_reason` goes. */
  enabled?: boolean;
}

export interface DeleteWebhookArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The webhook, as list_webhooks shows its webhook_id. */
  webhook_id: string;
}

export interface ListWebhookDeliveriesArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The webhook, as list_webhooks shows its webhook_id. */
  webhook_id: string;
  /** Only deliveries that have come this far. */
  status?: 'pending' | 'delivered' | 'failed';
  /** `next_cursor` of the answer before. */
  cursor?: string;
}

export interface ReplayWebhookDeliveryArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The webhook, as list_webhooks shows its webhook_id. */
  webhook_id: string;
  /** The delivery, as list_webhook_deliveries shows its delivery_id. */
  delivery_id: string;
}

export interface RotateWebhookSecretArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The webhook, as list_webhooks shows its webhook_id. */
  webhook_id: string;
}

export interface TestWebhookArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The webhook, as list_webhooks shows its webhook_id. */
  webhook_id: string;
}

export interface WebhooksMethods {
  /**
   * Have an address told what happens in the workspace.
   * The answer shows the `secret` that verifies what is sent (Standard Webhooks), this once. Try it with
   * test_webhook, and see what came of it with list_webhook_deliveries. Scopes: `brand:admin`. Admins only.
   */
  createWebhook(fields: CreateWebhookArguments, options?: CallOptions): Promise<NewWebhook>;

  /**
   * List the webhooks of the workspace.
   * All of them, oldest first, with why the service turned one off. Secrets are not shown. Scopes:
   * `brand:admin`. Admins only.
   */
  listWebhooks(fields: ListWebhooksArguments, options?: CallOptions): Promise<WebhookList>;

  /**
   * Read a webhook.
   * Where it goes, what it is told of, and whether it is on. The secret is not shown. Scopes: `brand:admin`.
   * Admins only.
   */
  getWebhook(fields: GetWebhookArguments, options?: CallOptions): Promise<Webhook>;

  /**
   * Change a webhook, or turn it off and on.
   * Only the fields that are sent change. What waits while it is off is sent once it is on again; what
   * happens meanwhile is not recorded. Scopes: `brand:admin`. Admins only.
   */
  updateWebhook(fields: UpdateWebhookArguments, options?: CallOptions): Promise<Webhook>;

  /**
   * Remove a webhook.
   * With the record of its deliveries; what was waiting is not sent. Scopes: `brand:admin`. Admins only.
   */
  deleteWebhook(fields: DeleteWebhookArguments, options?: CallOptions): Promise<void>;

  /**
   * List what a webhook was sent, newest first.
   * Each message with its attempts, what the receiver answered and when the next attempt is due. They are
   * kept for 14 days. Scopes: `brand:admin`. Admins only.
   */
  listWebhookDeliveries(
    fields: ListWebhookDeliveriesArguments,
    options?: CallOptions,
  ): Promise<WebhookDeliveryPage>;

  /**
   * Send a message once more.
   * At once, with the same `webhook-id` and body, and with retries from the beginning if it fails. Scopes:
   * `brand:admin`. Admins only.
   */
  replayWebhookDelivery(
    fields: ReplayWebhookDeliveryArguments,
    options?: CallOptions,
  ): Promise<AcceptedDelivery>;

  /**
   * Give a webhook a new secret.
   * Answers the new secret, this once. For 24 hours the secret before signs as well: `webhook-signature` then
   * holds a signature of each. Scopes: `brand:admin`. Admins only.
   */
  rotateWebhookSecret(fields: RotateWebhookSecretArguments, options?: CallOptions): Promise<WebhookSecret>;

  /**
   * Send a webhook a test message.
   * A message of the type `webhook.test`, whatever the webhook is told of otherwise. list_webhook_deliveries
   * shows what came of it. Scopes: `brand:admin`. Admins only.
   */
  testWebhook(fields: TestWebhookArguments, options?: CallOptions): Promise<AcceptedDelivery>;
}

export interface WebhooksLists {
  listWebhookDeliveries: { fields: ListWebhookDeliveriesArguments; item: WebhookDelivery };
}

export const webhooks = {
  createWebhook: {
    method: 'POST',
    path: '/api/v1/brands/{brand_id}/webhooks',
    body: ['url', 'events', 'description'],
    needsBody: true,
    creates: true,
  },
  listWebhooks: { method: 'GET', path: '/api/v1/brands/{brand_id}/webhooks' },
  getWebhook: { method: 'GET', path: '/api/v1/brands/{brand_id}/webhooks/{webhook_id}' },
  updateWebhook: {
    method: 'PATCH',
    path: '/api/v1/brands/{brand_id}/webhooks/{webhook_id}',
    body: ['url', 'events', 'description', 'enabled'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/v1/brands/{brand_id}/webhooks/{webhook_id}',
    answer: 'nothing',
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/webhooks/{webhook_id}/deliveries',
    query: ['status', 'cursor'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'deliveries', key: 'delivery_id' },
  },
  replayWebhookDelivery: {
    method: 'POST',
    path: '/api/v1/brands/{brand_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/api/v1/brands/{brand_id}/webhooks/{webhook_id}/rotate-secret',
  },
  testWebhook: { method: 'POST', path: '/api/v1/brands/{brand_id}/webhooks/{webhook_id}/test' },
} as const satisfies Record<string, Operation>;
