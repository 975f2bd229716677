import type { Route } from '../../platform/http/declaration/route.js';
import { deliveryRoutes } from './deliveries/deliveries.routes.js';
import { subscriptionRoutes } from './subscriptions/subscriptions.routes.js';
import type { WebhookService } from './webhooks.service.js';

export const webhookRoutes = (webhooks: WebhookService): Route[] => [
  ...subscriptionRoutes(webhooks),
  ...deliveryRoutes(webhooks),
];
