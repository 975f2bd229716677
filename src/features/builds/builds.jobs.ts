import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { BuildService } from './builds.service.js';
import { GATE_JOB } from './lifecycle/advance.js';

export const buildJobs = (builds: BuildService): JobDefinition[] => [
  {
    name: 'build-pass',
    description: 'Ends builds that are late, silent or lost, and gives waiting ones to desks.',
    schedule: { everySeconds: 10 },
    run: builds.runPass,
  },
  {
    name: GATE_JOB,
    description: 'Analyzes what builds brought, and asks a second coder about it where that is wanted.',
    schedule: { everySeconds: 60 },
    run: builds.runGatePass,
  },
];
