import type { JobDefinition } from '../../services/jobs.js';
import type { BuildService } from './builds.service.js';

export const buildJobs = (builds: BuildService): JobDefinition[] => [
  { name: 'build-pass', schedule: { everySeconds: 10 }, run: builds.runPass },
];
