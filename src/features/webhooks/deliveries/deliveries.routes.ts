import { answer } from '../../../platform/http/answer/answers.js';
import { error, type Route, route, uuidParam } from '../../../platform/http/declaration/route.js';
import {
  administer,
  unknownWebhook,
  WEBHOOKS,
  webhookParam,
  webhookTags,
} from '../subscriptions/subscriptions.routes.js';
import { AcceptedDelivery, DeliveryPage, DeliveryQuery } from './deliveries.schemas.js';
import type { DeliveryService } from './deliveries.service.js';

const tags = webhookTags;
const disabled = error(409, 'The webhook is disabled');

export function deliveryRoutes(deliveries: DeliveryService): Route[] {
  return [
    route({
      name: 'test_webhook',
      method: 'POST',
      path: `${WEBHOOKS}/{webhook_id}/test`,
      summary: 'Send a webhook a test message',
      description: 'A `webhook.test`; list_webhook_deliveries shows what came of it.',
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      responses: { 202: AcceptedDelivery },
      errors: [unknownWebhook, disabled],
      handler: async ({ caller, params }) =>
        answer(202, await deliveries.sendTest(caller, params.webhook_id)),
    }),
    route({
      name: 'list_webhook_deliveries',
      method: 'GET',
      path: `${WEBHOOKS}/{webhook_id}/deliveries`,
      summary: 'List what a webhook was sent',
      description: 'Newest first, with attempts, answers and when the next is due. Kept for 14 days.',
      mayLag: true,
      tags,
      access: administer,
      params: { webhook_id: webhookParam },
      query: DeliveryQuery,
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'deliveries' },
      responses: { 200: DeliveryPage },
      errors: [unknownWebhook],
      handler: ({ caller, params, query }) =>
        deliveries.listDeliveries(caller.brandId, params.webhook_id, query),
    }),
    route({
      name: 'replay_webhook_delivery',
      method: 'POST',
      path: `${WEBHOOKS}/{webhook_id}/deliveries/{delivery_id}/replay`,
      summary: 'Send a message once more',
      description: 'At once, with the same `webhook-id` and body; if it fails, retries begin anew.',
      tags,
      access: administer,
      params: {
        webhook_id: webhookParam,
        delivery_id: uuidParam('Delivery not found', {
          description: 'As list_webhook_deliveries shows it.',
        }),
      },
      responses: { 202: AcceptedDelivery },
      errors: [error(404, '`Webhook not found`, or `Delivery not found`'), disabled],
      handler: async ({ caller, params }) =>
        answer(202, await deliveries.replay(caller, params.webhook_id, params.delivery_id)),
    }),
  ];
}
