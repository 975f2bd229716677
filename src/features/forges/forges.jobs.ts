import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { ForgeService } from './forges.service.js';
import { LOOKING_JOB } from './pull-requests/forge-pass.js';
import { OPENING_JOB } from './pull-requests/opening.js';

export const forgeJobs = ({ runForgePass, runOpeningPass }: ForgeService): JobDefinition[] => [
  {
    // Each project is due every two minutes; hosts that failed are tried again sooner.
    name: LOOKING_JOB,
    description: 'Asks hosts what became of pull requests and issues.',
    schedule: { everySeconds: 10 },
    run: runForgePass,
  },
  {
    name: OPENING_JOB,
    description: 'Opens pull requests for accepted branches.',
    schedule: { everySeconds: 10 },
    run: runOpeningPass,
  },
];
