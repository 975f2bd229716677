import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { WorkstationService } from './workstations.service.js';

/** The schedule of checks is the poller's own: asked for by hand, it checks every desk, due or not. */
export const workstationJobs = (workstations: WorkstationService): JobDefinition[] => [
  {
    name: 'desk-poll',
    description: 'Checks every desk, due or not.',
    run: ({ signal }) => workstations.pollAll(signal),
  },
  {
    name: 'machine-updates',
    description: 'Brings desks up to date that were asked to.',
    schedule: { everySeconds: 30 },
    run: ({ signal }) => workstations.runUpdates(signal),
  },
];
