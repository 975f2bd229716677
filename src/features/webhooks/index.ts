export { webhookRoutes } from './webhooks.routes.js';
export {
  createWebhookOutbox,
  createWebhookService,
  type WebhookService,
  webhookJobs,
} from './webhooks.service.js';
