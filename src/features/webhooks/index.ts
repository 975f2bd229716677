export { webhookJobs } from './webhooks.jobs.js';
export { webhookRoutes } from './webhooks.routes.js';
export { createWebhookOutbox, createWebhookService, type WebhookService } from './webhooks.service.js';
