import { Type } from 'typebox';
import { answer, noContent } from '../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { QuotaExceededSchema } from '../memory/index.js';
import {
  AcceptedDelivery,
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  Webhook,
  WebhookInput,
  WebhookList,
  WebhookPatch,
  WebhookSecret,
} from './webhooks.schemas.js';
import type { WebhookService } from './webhooks.service.js';

const WEBHOOKS = '/api/v1/brands/{brand_id}/webhooks';
const tags: [string] = ['Webhooks'];
const administer = memberAccess({ scope: 'brand:admin', role: 'admin' });
const webhookParam = uuidParam('Webhook not found', {
  description: 'The id of the webhook, from list_webhooks.',
});
const unknownWebhook = error(404, '`Webhook not found`');

const disabled = error(409, 'The webhook is disabled');

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    route({
      name: 'create_webhook',
      method: 'POST',
      path: WEBHOOKS,
      creates: { secret: true, id: 'webhook_id' },
      summary: 'Create a webhook',
      description:
        'Returns the `secret` that signs messages (Standard Webhooks) only once. Try the webhook with test_webhook.',
      tags,
      access: administer,
      body: WebhookInput,
      responses: { 201: NewWebhook },
      errors: [
        error(403, 'The plan allows no more webhooks', Type.Union([Type.String(), QuotaExceededSchema])),
      ],
      prepare: async ({ body }) => {
        await webhooks.checkReceiver(body.url);
        return true;
      },
      handler: ({ caller, body, prepared }) => webhooks.createWebhook(caller, body, prepared),
    }),
    route({
      name: 'list_webhooks',
      method: 'GET',
      path: WEBHOOKS,
      summary: 'List the webhooks of a workspace',
      description: 'Oldest first, with the reason if Guildhall turned one off. Secrets are not returned.',
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
      summary: 'Get a webhook',
      description: 'The secret is not returned.',
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
      summary: 'Update a webhook',
      description:
        'Changes only the given fields. Messages that wait while it is disabled are sent once it is enabled.',
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
      summary: 'Delete a webhook',
      description: 'Also deletes its deliveries. Waiting messages are not sent.',
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
      summary: 'Rotate the secret of a webhook',
      description:
        'Returns the new secret only once. For 24 hours `webhook-signature` also has a signature with the old one.',
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      responses: { 200: WebhookSecret },
      errors: [unknownWebhook],
      handler: ({ caller, params }) => webhooks.rotateSecret(caller, params.webhook_id),
    }),
    route({
      name: 'test_webhook',
      method: 'POST',
      path: `${WEBHOOKS}/{webhook_id}/test`,
      summary: 'Send a webhook a test message',
      description: 'Sends a `webhook.test` event. list_webhook_deliveries shows the result.',
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      responses: { 202: AcceptedDelivery },
      errors: [unknownWebhook, disabled],
      handler: async ({ caller, params }) => answer(202, await webhooks.sendTest(caller, params.webhook_id)),
    }),
    route({
      name: 'list_webhook_deliveries',
      method: 'GET',
      path: `${WEBHOOKS}/{webhook_id}/deliveries`,
      summary: 'List the deliveries of a webhook',
      description:
        'Newest first, with attempts, responses and the time of the next attempt. Kept for 14 days.',
      mayLag: true,
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      query: DeliveryQuery,
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'deliveries' },
      responses: { 200: DeliveryPage },
      errors: [unknownWebhook],
      handler: ({ caller, params, query }) =>
        webhooks.listDeliveries(caller.brandId, params.webhook_id, query),
    }),
    route({
      name: 'replay_webhook_delivery',
      method: 'POST',
      path: `${WEBHOOKS}/{webhook_id}/deliveries/{delivery_id}/replay`,
      summary: 'Send a delivery again',
      description: 'Sends it now with the same `webhook-id` and body. If it fails, retries start over.',
      tags,
      access: administer,
      params: {
        webhook_id: webhookParam,
        delivery_id: uuidParam('Delivery not found', {
          description: 'The id of the delivery, from list_webhook_deliveries.',
        }),
      },
      responses: { 202: AcceptedDelivery },
      errors: [error(404, '`Webhook not found`, or `Delivery not found`'), disabled],
      handler: async ({ caller, params }) =>
        answer(202, await webhooks.replay(caller, params.webhook_id, params.delivery_id)),
    }),
  ];
}
