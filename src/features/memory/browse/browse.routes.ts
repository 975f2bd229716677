import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { memoryOutages } from '../memory.errors.js';
import {
  HealthQuerySchema,
  HealthSchema,
  HistorySchema,
  MemoriesQuerySchema,
  MemoriesSchema,
} from './browse.schemas.js';
import type { createBrowseService } from './browse.service.js';
import type { createHealthService } from './health.service.js';

type BrowseServices = ReturnType<typeof createBrowseService> & ReturnType<typeof createHealthService>;

const BASE = '/api/v1/memory/memories';
const tags: [string] = ['Memory'];
const access = memberAccess({ scope: 'memory:read' });

/** For people who look through what an agent knows. */
export const browseRoutes = (memory: BrowseServices): Route[] => [
  route({
    name: 'list_memories',
    method: 'GET',
    path: BASE,
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'memories' },
    summary: "List an agent's memories",
    description: 'Also archived and merged ones, last changed first. An agent of another workspace has none.',
    mayLag: true,
    tags,
    access,
    query: MemoriesQuerySchema,
    responses: { 200: MemoriesSchema },
    errors: memoryOutages,
    handler: async ({ caller, query }) => memory.listMemories(caller.brandId, query),
  }),
  route({
    name: 'get_memory_health',
    method: 'GET',
    path: `${BASE}/health`,
    summary: 'How memories grow, and how sure they are',
    description: 'Of one agent or all, with what waits to be learned from.',
    tags,
    access,
    query: HealthQuerySchema,
    responses: { 200: HealthSchema },
    errors: memoryOutages,
    handler: async ({ caller, query }) => memory.readHealth(caller.brandId, query.agent_id, query.weeks),
  }),
  route({
    name: 'list_memory_history',
    method: 'GET',
    path: `${BASE}/{memory_id}/history`,
    summary: 'What became of a memory, and who did it',
    description: 'The last 200, newest first; `total` counts all. They go with the memory.',
    tags,
    access,
    params: {
      memory_id: uuidParam('Memory not found', {
        description: 'As search_memories shows it.',
      }),
    },
    responses: { 200: HistorySchema },
    errors: [error(404, 'Not found'), ...memoryOutages],
    handler: async ({ caller, params }) => memory.listHistory(caller.brandId, params.memory_id),
  }),
];
