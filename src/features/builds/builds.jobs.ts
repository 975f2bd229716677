import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { BuildService } from './builds.service.js';
import { ANALYSIS_JOB } from './lifecycle/advance.js';
import { PUSH_JOB } from './review/review.service.js';

export const buildJobs = (builds: BuildService): JobDefinition[] => [
  {
    name: 'build-pass',
    description: 'Ends builds that are late, silent or lost, and gives waiting ones to desks.',
    schedule: { everySeconds: 10 },
    run: builds.runDueBuilds,
  },
  {
    name: ANALYSIS_JOB,
    description: 'Analyzes the changes of builds and starts reviewers where the policy requires one.',
    schedule: { everySeconds: 60 },
    run: builds.runAnalysis,
  },
  {
    name: PUSH_JOB,
    description: 'Pushes accepted branches to their repositories.',
    schedule: { everySeconds: 15 },
    run: builds.pushAccepted,
  },
];
