import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { ForgeService } from './forges.service.js';
import { SYNC_JOB } from './pull-requests/forge-sync.js';
import { OPENING_JOB } from './pull-requests/open-pull-request.js';

export const forgeJobs = ({ syncForges, openPullRequests }: ForgeService): JobDefinition[] => [
  {
    // Each project is due every two minutes; hosts that failed are tried again sooner.
    name: SYNC_JOB,
    description: 'Asks hosts what became of pull requests and issues.',
    schedule: { everySeconds: 10 },
    run: syncForges,
  },
  {
    name: OPENING_JOB,
    description: 'Opens pull requests for accepted branches.',
    schedule: { everySeconds: 10 },
    run: openPullRequests,
  },
];
