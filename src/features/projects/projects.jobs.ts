import type { JobDefinition } from '../../platform/jobs/jobs.js';
import { type ProjectService, WANTED_JOB } from './projects.service.js';

export function projectJobs({ indexer }: ProjectService): JobDefinition[] {
  return [
    {
      name: 'project-index',
      description: 'Looks for new commits in all repositories and indexes them.',
      schedule: { cron: '*/10 * * * *' },
      run: ({ signal }) => indexer.runAll(signal),
    },
    {
      name: WANTED_JOB,
      description: 'Indexes the projects that somebody asked for, and those whose pass was interrupted.',
      atStart: true,
      run: ({ signal }) => indexer.runWanted(signal),
    },
  ];
}
