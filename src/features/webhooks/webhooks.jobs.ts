import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { WebhookService } from './webhooks.service.js';

export const webhookJobs = (webhooks: Pick<WebhookService, 'deliver' | 'sweep'>): JobDefinition[] => [
  {
    // What is committed is sent at once, and retries when they are due; this pass is for what both have missed.
    name: 'webhook-deliver',
    description: 'Sends messages to webhooks that were missed or are due again.',
    schedule: { everySeconds: 30 },
    run: ({ signal }) => webhooks.deliver(signal),
  },
  {
    name: 'webhook-sweep',
    description: 'Removes old deliveries.',
    schedule: { cron: '23 * * * *' },
    run: async ({ signal }) => ({ processed: await webhooks.sweep(signal), failed: 0 }),
  },
];
