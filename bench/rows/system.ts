import type { BenchRow } from '../row.js';

export const rows: BenchRow[] = [
  {
    name: 'system-info',
    kind: 'read',
    setup: async (world) => world.call('GET', '/api/v1/system/info'),
    request: () => ({ path: '/api/v1/system/info' }),
    floor: (_world, info) => ({ json: info }),
  },
];
