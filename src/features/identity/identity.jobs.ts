import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { IdentityService } from './identity.service.js';

export const identityJobs = (identity: IdentityService): JobDefinition[] => [
  {
    name: 'identity-sweep',
    description: 'Removes sessions, invitations and challenges that have expired.',
    schedule: { cron: '17 * * * *' },
    run: async ({ signal }) => ({ processed: await identity.sweep(signal), failed: 0 }),
  },
];
