import type { Memory } from '../api/memory.js';
import { putResource, refresh } from '../api/resource.js';

export const memoryKey = (id: string): string => `memory:${id}`;

export function announceChange(memory: Memory): void {
  putResource<Memory>(memoryKey(memory.id), () => memory);
  refreshAround(memory.id);
}

export function refreshAround(id: string): void {
  for (const key of [
    'memories:',
    'memory-stats:',
    'memory-health:',
    'memory-section:',
    `memory-history:${id}`,
  ])
    refresh(key);
}
