import type { JobDefinition } from '../../services/jobs/jobs.js';
import type { ImportService } from './imports.service.js';
import { CARD_IMPORT } from './making/making.service.js';

export const importJobs = (imports: Pick<ImportService, 'run'>): JobDefinition[] => [
  {
    name: CARD_IMPORT,
    description: 'Makes the cards of imports, and reads those that come from a host.',
    // Asked for by each start; the schedule goes on with what a node left when it died.
    schedule: { everySeconds: 30 },
    run: ({ signal }) => imports.run(signal),
  },
];
