import type { JobDefinition } from '../../services/jobs/jobs.js';
import type { IdentityService } from './identity.service.js';

export const identityJobs = (identity: IdentityService): JobDefinition[] => [
  {
    name: 'identity-sweep',
    description: 'Removes sessions, invitations and challenges that have expired.',
    schedule: { cron: '17 * * * *' },
    run: async () => ({ processed: await identity.sweep(), failed: 0 }),
  },
];
