import type { BenchRow } from '../row.js';
import { checkToken } from './identity.js';

const AGENT = 'bench-gateway-agent';

export const rows: BenchRow[] = [
  {
    name: 'grants',
    kind: 'read',
    setup: (world) => world.operator('POST', '/agents', { agent_id: AGENT, brand_id: world.brandId }),
    request: (world) => ({ path: `/api/v1/gateway/agents/${AGENT}/grants`, headers: world.bearer }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        { text: 'select brand_id from agents where agent_id = $1', values: [AGENT] },
      ],
    }),
  },
];
