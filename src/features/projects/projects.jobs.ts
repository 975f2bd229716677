import type { JobDefinition } from '../../services/jobs.js';
import { type ProjectService, WANTED_JOB } from './projects.service.js';

export function projectJobs({ indexer }: ProjectService): JobDefinition[] {
  return [
    {
      name: 'project-index',
      schedule: { cron: '*/10 * * * *' },
      run: ({ signal }) => indexer.runAll(signal),
    },
    { name: WANTED_JOB, run: ({ signal }) => indexer.runWanted(signal) },
  ];
}
