import type { JobDefinition } from '../../services/jobs.js';
import type { MemoryService } from './memory.service.js';

export function memoryJobs(memory: MemoryService): JobDefinition[] {
  return [
    { name: 'memory-export', schedule: { cron: '0 * * * *' }, run: ({ signal }) => memory.exportAll(signal) },
    { name: 'memory-pickup', schedule: { cron: '*/10 * * * *' }, run: ({ signal }) => memory.pickUp(signal) },
    // Runs with every pick-up; here on its own for those who do not want to wait for one.
    { name: 'memory-consolidate', run: ({ signal }) => memory.consolidateAll(signal) },
  ];
}
