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
  /** Why Guildhall turned it off. Null if it did not. */
  disabled_reason: string | null;
  /** Signs messages. Returned only once. */
  secret: string;
}

export interface Webhook {
  webhook_id: string;
  url: string;
  events: WebhookEvent[];
  description: string | null;
  enabled: boolean;
  created_at: string;
  /** Why Guildhall turned it off. Null if it did not. */
  disabled_reason: string | null;
}

export interface WebhookDelivery {
  delivery_id: string;
  event_id: string;
  event: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: {
    at: string;
    /** HTTP status of the response. Null: no response. */
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
  | 'build.checking'
  | 'build.finished'
  | 'build.accepted'
  | 'build.reworked'
  | 'build.pushed'
  | 'budget.reached'
  | 'pr.merged'
  | 'pr.checks_failed'
  | 'pr.changes_requested'
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
  /** The credential's workspace. */
  brand_id: number;
  /** A public https address without a user name or password. */
  url: string;
  /** The events to send. `*` means all, including events added later. */
  events: WebhookEvent[];
  /** A note for people. Null: no note. */
  description?: string | null;
}

export interface ListWebhooksArguments {
  /** The credential's workspace. */
  brand_id: number;
}

export interface GetWebhookArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The id of the webhook, from list_webhooks. */
  webhook_id: string;
}

export interface UpdateWebhookArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The id of the webhook, from list_webhooks. */
  webhook_id: string;
  /** A public https address without a user name or password. */
  url?: string;
  /** The events to send. `*` means all, including events added later. */
  events?: WebhookEvent[];
  /** A note for people. Null: no note. */
  description?: string | null;
  /** false stops recording and sending. true turns it on and clears `disabled_reason`. */
  enabled?: boolean;
}

export interface DeleteWebhookArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The id of the webhook, from list_webhooks. */
  webhook_id: string;
}

export interface ListWebhookDeliveriesArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The id of the webhook, from list_webhooks. */
  webhook_id: string;
  /** Return only deliveries with this status. */
  status?: 'pending' | 'delivered' | 'failed';
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

export interface ReplayWebhookDeliveryArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The id of the webhook, from list_webhooks. */
  webhook_id: string;
  /** The id of the delivery, from list_webhook_deliveries. */
  delivery_id: string;
}

export interface RotateWebhookSecretArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The id of the webhook, from list_webhooks. */
  webhook_id: string;
}

export interface TestWebhookArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The id of the webhook, from list_webhooks. */
  webhook_id: string;
}

export interface WebhooksMethods {
  /**
   * Create a webhook.
   * Returns the `secret` that signs messages (Standard Webhooks) only once. Try the webhook with
   * test_webhook. (`brand:admin`) Admins only.
   */
  createWebhook(fields: CreateWebhookArguments, options?: CallOptions): Promise<NewWebhook>;

  /**
   * List the webhooks of a workspace.
   * Oldest first, with the reason if Guildhall turned one off. Secrets are not returned. (`brand:admin`)
   * Admins only.
   */
  listWebhooks(fields: ListWebhooksArguments, options?: CallOptions): Promise<WebhookList>;

  /**
   * Get a webhook.
   * The secret is not returned. (`brand:admin`) Admins only.
   */
  getWebhook(fields: GetWebhookArguments, options?: CallOptions): Promise<Webhook>;

  /**
   * Update a webhook.
   * Changes only the given fields. Messages that wait while it is disabled are sent once it is enabled.
   * (`brand:admin`) Admins only.
   */
  updateWebhook(fields: UpdateWebhookArguments, options?: CallOptions): Promise<Webhook>;

  /**
   * Delete a webhook.
   * Also deletes its deliveries. Waiting messages are not sent. (`brand:admin`) Admins only.
   */
  deleteWebhook(fields: DeleteWebhookArguments, options?: CallOptions): Promise<void>;

  /**
   * List the deliveries of a webhook.
   * Newest first, with attempts, responses and the time of the next attempt. Kept for 14 days.
   * (`brand:admin`) Admins only.
   */
  listWebhookDeliveries(
    fields: ListWebhookDeliveriesArguments,
    options?: CallOptions,
  ): Promise<WebhookDeliveryPage>;

  /**
   * Send a delivery again.
   * Sends it now with the same `webhook-id` and body. If it fails, retries start over. (`brand:admin`) Admins
   * only.
   */
  replayWebhookDelivery(
    fields: ReplayWebhookDeliveryArguments,
    options?: CallOptions,
  ): Promise<AcceptedDelivery>;

  /**
   * Rotate the secret of a webhook.
   * Returns the new secret only once. For 24 hours `webhook-signature` also has a signature with the old one.
   * (`brand:admin`) Admins only.
   */
  rotateWebhookSecret(fields: RotateWebhookSecretArguments, options?: CallOptions): Promise<WebhookSecret>;

  /**
   * Send a webhook a test message.
   * Sends a `webhook.test` event. list_webhook_deliveries shows the result. (`brand:admin`) Admins only.
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
