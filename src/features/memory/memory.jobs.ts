import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { MemoryService } from './memory.service.js';

const RETRY_SECONDS = 20;

export function memoryJobs(memory: MemoryService): JobDefinition[] {
  return [
    {
      name: 'memory-export',
      description: 'Writes the best memories of each agent into its MEMORY.md.',
      schedule: { cron: '0 * * * *' },
      run: ({ signal }) => memory.exportAll(signal),
    },
    {
      name: 'memory-pickup',
      description: 'Reads conversation sources, learns from what is new and draws patterns.',
      schedule: { cron: '*/10 * * * *' },
      run: ({ signal }) => memory.pickUp(signal),
    },
    // A failed conversation becomes due 10 minutes after its failure, which is just after a pickup, so the
    // pickup alone would retry it one interval late.
    {
      name: 'memory-retry',
      description: 'Tries failed conversations again when they are due.',
      schedule: { everySeconds: RETRY_SECONDS },
      run: ({ signal }) => memory.retryConversations(signal),
    },
    // Also runs with every pickup; as a separate job an operator can start it alone.
    {
      name: 'memory-consolidate',
      description: 'Draws patterns from learnings that share a tag.',
      run: ({ signal }) => memory.consolidateAll(signal),
    },
    {
      name: 'memory-embed',
      description: 'Works out the meaning of memories that have none yet.',
      schedule: { everySeconds: 60 },
      run: ({ signal }) => memory.tendVectors(signal),
    },
  ];
}
