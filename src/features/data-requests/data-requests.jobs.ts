import type { JobDefinition } from '../../platform/jobs/jobs.js';
import { type DataRequestService, ERASE_JOB } from './data-requests.service.js';

/** Asked for with each request; by time for what could not be done, such as a picture in a storage that was away. */
export const dataRequestJobs = (requests: DataRequestService): JobDefinition[] => [
  {
    name: ERASE_JOB,
    description: 'Erases people and workspaces that asked for it.',
    schedule: { everySeconds: 300 },
    run: requests.runPass,
  },
];
