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
import type { createBrowseService, createHealthService } from './browse.service.js';

type BrowseServices = ReturnType<typeof createBrowseService> & ReturnType<typeof createHealthService>;

const BASE = '/api/v1/memory/memories';
const tags: [string] = ['Memory'];
const reads = { tags, access: memberAccess({ scope: 'memory:read' }), errors: memoryOutages };
const laggingReads = { ...reads, mayLag: true as const };

export const browseRoutes = (memory: BrowseServices): Route[] => [
  route({
    ...laggingReads,
    name: 'list_memories',
    method: 'GET',
    path: BASE,
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'memories' },
    summary: "List an agent's memories",
    description: 'Includes archived and merged memories, last changed first.',
    query: MemoriesQuerySchema,
    responses: { 200: MemoriesSchema },
    handler: async ({ caller, query }) => memory.listMemories(caller.brandId, query),
  }),
  route({
    ...reads,
    name: 'get_memory_health',
    method: 'GET',
    path: `${BASE}/health`,
    summary: 'Get growth and confidence of memories',
    description: 'Covers one agent or all agents, with the conversations that wait to be processed.',
    query: HealthQuerySchema,
    responses: { 200: HealthSchema },
    handler: async ({ caller, query }) => memory.readHealth(caller.brandId, query.agent_id, query.weeks),
  }),
  route({
    ...reads,
    name: 'list_memory_history',
    method: 'GET',
    path: `${BASE}/{memory_id}/history`,
    summary: 'List the changes of a memory',
    description:
      'Returns the last 200 changes, newest first. `total` counts all. Deleting the memory deletes them.',
    params: {
      memory_id: uuidParam('Memory not found', {
        description: 'ID of the memory, from search_memories.',
      }),
    },
    responses: { 200: HistorySchema },
    errors: [error(404, 'Not found'), ...memoryOutages],
    handler: async ({ caller, params }) => memory.listHistory(caller.brandId, params.memory_id),
  }),
];
