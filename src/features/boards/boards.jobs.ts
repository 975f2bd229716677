import type { JobDefinition } from '../../platform/jobs/jobs.js';
import { ATTACHMENT_SWEEP } from './attachments/leftovers.service.js';
import type { BoardService } from './boards.service.js';

export const boardJobs = (boards: Pick<BoardService, 'sweepFiles'>): JobDefinition[] => [
  {
    name: ATTACHMENT_SWEEP,
    description: 'Removes the bytes of attachments that were deleted or never finished.',
    // Asked for by each deletion of one; the schedule finds what went with cards, boards and workspaces.
    schedule: { everySeconds: 60 },
    run: (pass) => boards.sweepFiles(pass),
  },
];
