import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { InboxService } from './inbox.service.js';

export const inboxJobs = (inbox: Pick<InboxService, 'sweep'>): JobDefinition[] => [
  {
    name: 'inbox-sweep',
    description: 'Removes inbox items that are older than 90 days.',
    schedule: { cron: '41 * * * *' },
    run: async ({ signal }) => ({ processed: await inbox.sweep(signal), failed: 0 }),
  },
];
