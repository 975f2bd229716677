import type { JobDefinition } from '../../platform/jobs/jobs.js';
import { PASSWORD_MAIL_JOB } from '../identity/index.js';
import type { WorkspaceService } from './workspaces.service.js';

export const workspaceJobs = ({ passwords }: Pick<WorkspaceService, 'passwords'>): JobDefinition[] => [
  {
    name: PASSWORD_MAIL_JOB,
    description: 'Sends letters to those who forgot their password.',
    // Asked for by each wish; the schedule tries again what could not be sent.
    schedule: { everySeconds: 60 },
    run: () => passwords.sendForgotten(),
  },
];
