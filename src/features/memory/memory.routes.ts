import { Type } from 'typebox';
import { answer, noContent } from '../../http/answers.js';
import {
  error,
  memberAccess,
  type PathParam,
  type Route,
  route,
  strictUuidParam,
  uuidParam,
} from '../../http/route.js';
import { keepDeadline } from './memory.deadline.js';
import { agentIdInvalid, kindsUnknown, queryRequired } from './memory.errors.js';
import { searchMarkdown, statsMarkdown } from './memory.markdown.js';
import { KINDS, type Kind } from './memory.record.js';
import {
  AGENT_ID,
  AgentsSchema,
  ChangeMemorySchema,
  CreateMemorySchema,
  MemorySchema,
  RecallQuerySchema,
  SearchAnswerSchema,
  SearchQuerySchema,
  StatsQuerySchema,
  StatsSchema,
  UnmergeSchema,
} from './memory.schemas.js';
import type { MemoryService } from './memory.service.js';
import { sourceRoutes } from './memory.source-routes.js';

const BASE = '/api/v1/memory';
const tags: [string] = ['Memory'];
const reads = memberAccess({ scope: 'memory:read' });
const writes = memberAccess({ scope: 'memory:write' });
const outages = [
  error(502, 'The memory service is not reachable'),
  error(504, 'No answer within 30 seconds'),
];

const agentIdParam: PathParam<string> = {
  schema: Type.String({ pattern: AGENT_ID.source }),
  judged: 'validation',
  read(text) {
    if (!AGENT_ID.test(text)) throw agentIdInvalid();
    return text;
  },
};

const unknownMemory = error(404, 'No memory with that id in the workspace');

function readKinds(text: string | undefined): Kind[] {
  const kinds = (text ?? '')
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '');
  if (!kinds.every((kind): kind is Kind => KINDS.includes(kind as Kind))) throw kindsUnknown(KINDS);
  return kinds;
}

/** Everything about an agent's memories; each answer keeps the deadline. */
export const memoryRoutes = (memory: MemoryService): Route[] =>
  [...recordRoutes(memory), ...sourceRoutes(memory, outages)].map(keepDeadline);

function recordRoutes(memory: MemoryService): Route[] {
  return [
    route({
      method: 'POST',
      path: `${BASE}/agents/{agent_id}/context`,
      summary: "Search an agent's memories",
      description:
        'Active memories with a confidence of 0.3 or higher, ranked by match; equal matches by importance, confidence, newest. Without a query the top memories. An agent of another workspace has none.',
      tags,
      access: reads,
      params: { agent_id: agentIdParam },
      query: SearchQuerySchema,
      formats: { allowed: ['yaml', 'json', 'md'], default: 'yaml', markdown: searchMarkdown },
      responses: { 200: SearchAnswerSchema },
      errors: outages,
      handler: async ({ caller, params, query }) =>
        memory.search(caller.brandId, {
          agentId: params.agent_id,
          query: query.query,
          kinds: readKinds(query.kinds),
          limit: query.limit,
          explain: query.explain ?? false,
        }),
    }),
    route({
      method: 'POST',
      path: `${BASE}/agents/{agent_id}/context/relevant`,
      summary: 'Recall the memories that matter for a question',
      description:
        'Up to 100 text matches, put in order by the language model. When it gives no order the text order is answered; the header X-Recall-Order says which it was (model or text).',
      tags,
      access: reads,
      params: { agent_id: agentIdParam },
      query: RecallQuerySchema,
      formats: { allowed: ['yaml', 'json', 'md'], default: 'yaml', markdown: searchMarkdown },
      responses: { 200: SearchAnswerSchema },
      errors: outages,
      handler: async ({ caller, params, query, signal }) => {
        const kinds = readKinds(query.kinds);
        if (query.query.trim() === '') throw queryRequired();
        const request = {
          agentId: params.agent_id,
          query: query.query,
          kinds,
          limit: query.limit,
          explain: query.explain ?? false,
        };
        const { order, answer: found } = await memory.recall(caller.brandId, request, signal);
        return answer(200, found, { 'x-recall-order': order });
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/memories`,
      summary: 'Write a memory',
      description: 'Always a new one. An agent_id that nobody owns becomes the workspace’s.',
      tags,
      access: writes,
      body: CreateMemorySchema,
      responses: { 201: MemorySchema },
      errors: [error(403, 'The agent belongs to another workspace or to the platform'), ...outages],
      handler: async ({ caller, body }) => memory.createMemory(caller.brandId, body),
    }),
    route({
      method: 'GET',
      path: `${BASE}/memories/stats`,
      summary: 'Count memories',
      description: 'by_kind and avg_confidence are those of active memories.',
      tags,
      access: reads,
      query: StatsQuerySchema,
      formats: { allowed: ['yaml', 'json', 'md'], default: 'json', markdown: statsMarkdown },
      responses: { 200: StatsSchema },
      errors: outages,
      handler: async ({ caller, query }) => memory.readStats(caller.brandId, query.agent_id),
    }),
    route({
      method: 'GET',
      path: `${BASE}/memories/{memory_id}`,
      summary: 'Read a memory',
      tags,
      access: reads,
      params: { memory_id: uuidParam('Memory not found') },
      responses: { 200: MemorySchema },
      errors: [unknownMemory, ...outages],
      handler: async ({ caller, params }) => memory.getMemory(caller.brandId, params.memory_id),
    }),
    route({
      method: 'PATCH',
      path: `${BASE}/memories/{memory_id}`,
      summary: 'Correct, archive or verify a memory',
      description:
        'Only sent fields change. Every call verifies the memory and restores its full confidence, an empty one too.',
      tags,
      access: writes,
      params: { memory_id: strictUuidParam('memory_id') },
      body: ChangeMemorySchema,
      responses: { 200: MemorySchema },
      errors: [unknownMemory, ...outages],
      handler: async ({ caller, params, body }) =>
        memory.changeMemory(caller.brandId, params.memory_id, body),
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/memories/{memory_id}`,
      summary: 'Delete a memory',
      description:
        'It leaves search at once and MEMORY.md at the next export; a pattern made of it loses its part.',
      tags,
      access: writes,
      params: { memory_id: strictUuidParam('memory_id') },
      responses: { 204: null },
      errors: [unknownMemory, ...outages],
      handler: async ({ caller, params }) => {
        await memory.deleteMemory(caller, params.memory_id);
        return noContent();
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/memories/{memory_id}/unmerge`,
      summary: 'Undo a consolidation',
      description:
        'The learnings come back as they were and are never merged again; the pattern is archived.',
      tags,
      access: writes,
      params: { memory_id: uuidParam('Memory not found') },
      responses: { 200: UnmergeSchema },
      errors: [
        unknownMemory,
        error(409, 'Not made by consolidation, or its sources are back already'),
        ...outages,
      ],
      handler: async ({ caller, params }) => memory.unmerge(caller, params.memory_id),
    }),
    route({
      method: 'GET',
      path: `${BASE}/agents`,
      summary: "List the workspace's agents",
      tags,
      access: reads,
      responses: { 200: AgentsSchema },
      errors: outages,
      handler: async ({ caller }) => memory.listAgents(caller.brandId),
    }),
  ];
}
