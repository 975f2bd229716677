import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { ImportService } from './imports.service.js';
import { CARD_IMPORT } from './making/making.service.js';
import { HOST_IMPORT } from './reading/reading.service.js';

export const importJobs = (imports: Pick<ImportService, 'makeCards' | 'readHosts'>): JobDefinition[] => [
  {
    name: CARD_IMPORT,
    description: 'Creates the cards of imports.',
    // Asked for by each start; the schedule goes on with what a node left when it died.
    schedule: { everySeconds: 30 },
    run: ({ signal }) => imports.makeCards(signal),
  },
  {
    name: HOST_IMPORT,
    description: 'Reads the issues of imports from repository hosts.',
    schedule: { everySeconds: 30 },
    run: ({ signal }) => imports.readHosts(signal),
  },
];
