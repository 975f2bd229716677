import { Type } from 'typebox';
import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { QuotaExceededSchema } from '../../memory/index.js';
import {
  NewWebhook,
  Webhook,
  WebhookInput,
  WebhookList,
  WebhookPatch,
  WebhookSecret,
} from './subscriptions.schemas.js';
import type { SubscriptionService } from './subscriptions.service.js';

export const WEBHOOKS = '/api/v1/brands/{brand_id}/webhooks';
export const webhookTags: [string] = ['Webhooks'];
export const administer = memberAccess({ scope: 'brand:admin', role: 'admin' });
export const webhookParam = uuidParam('Webhook not found', {
  description: 'As list_webhooks shows it.',
});
export const unknownWebhook = error(404, '`Webhook not found`');

const tags = webhookTags;

export function subscriptionRoutes(webhooks: SubscriptionService): Route[] {
  return [
    route({
      name: 'create_webhook',
      method: 'POST',
      path: WEBHOOKS,
      creates: { secret: true, id: 'webhook_id' },
      summary: 'Make a webhook',
      description:
        'The `secret` that verifies what is sent (Standard Webhooks) is shown this once. Try it with test_webhook.',
      tags,
      access: administer,
      body: WebhookInput,
      responses: { 201: NewWebhook },
      errors: [
        error(403, 'The plan allows no more webhooks', Type.Union([Type.String(), QuotaExceededSchema])),
      ],
      prepare: async ({ body }) => {
        await webhooks.judgeReceiver(body.url);
        return true;
      },
      handler: ({ caller, body, prepared }) => webhooks.createWebhook(caller, body, prepared),
    }),
    route({
      name: 'list_webhooks',
      method: 'GET',
      path: WEBHOOKS,
      summary: 'List the webhooks of the workspace',
      description: 'Oldest first, with why the service turned one off. Secrets are not shown.',
      tags,
      access: administer,
      responses: { 200: WebhookList },
      errors: [],
      handler: ({ caller }) => webhooks.listWebhooks(caller.brandId),
    }),
    route({
      name: 'get_webhook',
      method: 'GET',
      path: `${WEBHOOKS}/{webhook_id}`,
      summary: 'Read a webhook',
      description: 'The secret is not shown.',
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      responses: { 200: Webhook },
      errors: [unknownWebhook],
      handler: ({ caller, params }) => webhooks.getWebhook(caller.brandId, params.webhook_id),
    }),
    route({
      name: 'update_webhook',
      method: 'PATCH',
      path: `${WEBHOOKS}/{webhook_id}`,
      summary: 'Change a webhook, or turn it off and on',
      description: 'Only sent fields change. What waits while it is off is sent once it is on.',
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      body: WebhookPatch,
      responses: { 200: Webhook },
      errors: [unknownWebhook],
      handler: ({ caller, params, body }) => webhooks.changeWebhook(caller, params.webhook_id, body),
    }),
    route({
      name: 'delete_webhook',
      method: 'DELETE',
      path: `${WEBHOOKS}/{webhook_id}`,
      summary: 'Remove a webhook',
      description: 'With the record of its deliveries; what was waiting is not sent.',
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      responses: { 204: null },
      errors: [unknownWebhook],
      handler: async ({ caller, params }) => {
        await webhooks.deleteWebhook(caller, params.webhook_id);
        return noContent();
      },
    }),
    route({
      name: 'rotate_webhook_secret',
      method: 'POST',
      path: `${WEBHOOKS}/{webhook_id}/rotate-secret`,
      summary: 'Give a webhook a new secret',
      description:
        'Shown this once. For 24 hours the old one signs too: `webhook-signature` then holds both.',
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      responses: { 200: WebhookSecret },
      errors: [unknownWebhook],
      handler: ({ caller, params }) => webhooks.rotateSecret(caller, params.webhook_id),
    }),
  ];
}
