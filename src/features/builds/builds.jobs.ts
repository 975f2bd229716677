import type { JobDefinition } from '../../services/jobs/jobs.js';
import type { BuildService } from './builds.service.js';

export const buildJobs = (builds: BuildService): JobDefinition[] => [
  {
    name: 'build-pass',
    description: 'Ends builds that are late, silent or lost, and gives waiting ones to desks.',
    schedule: { everySeconds: 10 },
    run: builds.runPass,
  },
];
