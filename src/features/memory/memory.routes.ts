import { Type } from 'typebox';
import { answerWithin } from '../../platform/http/answer/answer-deadline.js';
import { answer, noContent, text } from '../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type PathParam,
  type Route,
  route,
  strictUuidParam,
  uuidParam,
} from '../../platform/http/declaration/route.js';
import { browseRoutes } from './browse/browse.routes.js';
import { searchParts } from './memory.answers.js';
import {
  agentIdInvalid,
  kindsUnknown,
  memoryDeadline,
  memoryOutages as outages,
  queryRequired,
} from './memory.errors.js';
import { searchMarkdown, statsMarkdown } from './memory.markdown.js';
import {
  AGENT_ID,
  AgentsSchema,
  ChangeMemorySchema,
  CreatedMemorySchema,
  CreateMemoryQuerySchema,
  CreateMemorySchema,
  MemorySchema,
  RECALL_LIMIT,
  RecallBodySchema,
  RecallQuerySchema,
  ResolveAgentSchema,
  ResolvedAgentSchema,
  SEARCH_FORMATS,
  SEARCH_LIMIT,
  SearchAnswerSchema,
  SearchBodySchema,
  SearchQuerySchema,
  StatsQuerySchema,
  StatsSchema,
  UnmergeSchema,
} from './memory.schemas.js';
import type { MemoryService } from './memory.service.js';
import { sourceRoutes } from './memory.source-routes.js';
import { KINDS, type Kind } from './records/memory.record.js';

const BASE = '/api/v1/memory';
const tags: [string] = ['Memory'];
const reads = memberAccess({ scope: 'memory:read' });
const writes = memberAccess({ scope: 'memory:write' });

const agentIdParam: PathParam<string> = {
  schema: Type.String({ pattern: AGENT_ID.source }),
  description: 'Your own agent_id, or one that list_agents shows.',
  judged: 'validation',
  read(text) {
    if (!AGENT_ID.test(text)) throw agentIdInvalid();
    return text;
  },
};

const memoryId = { description: 'As search_memories shows it.' };
const unknownMemory = error(404, 'Not found');

function readKinds(listed: string | readonly string[] | undefined): Kind[] {
  const kinds = (typeof listed === 'string' ? listed.split(',') : (listed ?? []))
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '');
  if (!kinds.every((kind): kind is Kind => KINDS.includes(kind as Kind))) throw kindsUnknown(KINDS);
  return kinds;
}

interface SearchParameters {
  query?: string;
  kinds?: string | readonly string[];
  limit?: number;
  explain?: boolean;
}

/** From the address or from the body; the address counts where both say something. */
const readSearch = (agentId: string, query: SearchParameters, body: SearchParameters, limit: number) => ({
  agentId,
  query: query.query ?? body.query,
  kinds: readKinds(query.kinds ?? body.kinds),
  limit: query.limit ?? body.limit ?? limit,
  explain: query.explain ?? body.explain ?? false,
});

/** Everything about an agent's memories; each answer keeps the deadline. */
export const memoryRoutes = (memory: MemoryService): Route[] =>
  [...browseRoutes(memory), ...recordRoutes(memory), ...sourceRoutes(memory, outages)].map((declaration) =>
    answerWithin(memoryDeadline, declaration),
  );

function recordRoutes(memory: MemoryService): Route[] {
  return [
    route({
      name: 'search_memories',
      openToBuilds: { own: { agent_id: 'agent_id' } },
      method: 'POST',
      path: `${BASE}/agents/{agent_id}/context`,
      effect: 'read',
      agents: 'direct',
      summary: "Search an agent's memories",
      description:
        'Active ones of confidence 0.3 or higher, best match first; without a query the most important.',
      mayLag: true,
      tags,
      access: reads,
      params: { agent_id: agentIdParam },
      query: SearchQuerySchema,
      body: SearchBodySchema,
      formats: {
        allowed: SEARCH_FORMATS,
        default: 'yaml',
        markdown: searchMarkdown,
        parts: searchParts,
      },
      responses: { 200: SearchAnswerSchema },
      errors: outages,
      handler: async ({ caller, params, query, body }) =>
        memory.search(caller.brandId, readSearch(params.agent_id, query, body, SEARCH_LIMIT)),
    }),
    route({
      name: 'recall_memories',
      openToBuilds: { own: { agent_id: 'agent_id' } },
      method: 'POST',
      path: `${BASE}/agents/{agent_id}/context/relevant`,
      effect: 'read',
      agents: 'direct',
      summary: 'Recall what matters for a question',
      description:
        'Like search_memories, but a language model orders up to 100 matches by your question. Ask it before you begin a task.',
      mayLag: true,
      tags,
      access: reads,
      params: { agent_id: agentIdParam },
      query: RecallQuerySchema,
      body: RecallBodySchema,
      formats: {
        allowed: SEARCH_FORMATS,
        default: 'yaml',
        markdown: searchMarkdown,
        parts: searchParts,
      },
      responses: { 200: SearchAnswerSchema },
      errors: outages,
      handler: async ({ caller, params, query, body, signal }) => {
        const request = readSearch(params.agent_id, query, body, RECALL_LIMIT);
        if (request.query === undefined || request.query.trim() === '') throw queryRequired();
        const asked = { ...request, query: request.query };
        const { order, answer: found } = await memory.recall(caller.brandId, asked, signal);
        return answer(200, found, { 'x-recall-order': order });
      },
    }),
    route({
      name: 'create_memory',
      openToBuilds: { own: { agent_id: 'agent_id' } },
      method: 'POST',
      path: `${BASE}/memories`,
      creates: {},
      agents: {
        direct: {
          fields: ['description', 'tags', 'confidence', 'importance', 'supersedes'],
          defaults: { similar: true },
        },
      },
      summary: 'Write a memory',
      description:
        "For later sessions, one thing each. `similar` in the answer names near duplicates: archive or correct one with update_memory, or replace it with `supersedes`. An agent_id that nobody owns becomes the workspace's.",
      tags,
      access: writes,
      query: CreateMemoryQuerySchema,
      body: CreateMemorySchema,
      responses: { 201: CreatedMemorySchema },
      errors: [
        error(
          403,
          "Another workspace's agent, or the platform's; or `supersedes` of a build with a guest's words",
        ),
        error(422, '`supersedes` names a memory that is none of the agent'),
        ...outages,
      ],
      handler: async ({ caller, query, body }) => memory.createMemory(caller, body, query),
    }),
    route({
      name: 'get_memory_stats',
      method: 'GET',
      path: `${BASE}/memories/stats`,
      summary: 'Count memories',
      description: 'by_kind and avg_confidence are of active ones.',
      mayLag: true,
      tags,
      access: reads,
      query: StatsQuerySchema,
      formats: { allowed: ['yaml', 'json', 'md'], default: 'json', markdown: statsMarkdown },
      responses: { 200: StatsSchema },
      errors: outages,
      handler: async ({ caller, query }) => memory.readStats(caller.brandId, query.agent_id),
    }),
    route({
      name: 'get_memory',
      method: 'GET',
      path: `${BASE}/memories/{memory_id}`,
      summary: 'Read a memory',
      description: 'With its source, and what it was merged from or into.',
      tags,
      access: reads,
      params: { memory_id: uuidParam('Memory not found', memoryId) },
      responses: { 200: MemorySchema },
      errors: [unknownMemory, ...outages],
      handler: async ({ caller, params }) => memory.getMemory(caller.brandId, params.memory_id),
    }),
    route({
      name: 'update_memory',
      method: 'PATCH',
      path: `${BASE}/memories/{memory_id}`,
      agents: 'direct',
      summary: 'Correct, archive or verify a memory',
      description:
        'Only sent fields change. Every call, an empty one too, says it is still true and restores its full confidence.',
      tags,
      access: writes,
      params: { memory_id: strictUuidParam('memory_id', memoryId) },
      body: ChangeMemorySchema,
      responses: { 200: MemorySchema },
      errors: [
        unknownMemory,
        error(422, '`supersedes` names the memory itself, or one that is none of the agent'),
        ...outages,
      ],
      handler: async ({ caller, params, body }) => memory.changeMemory(caller, params.memory_id, body),
    }),
    route({
      name: 'delete_memory',
      method: 'DELETE',
      path: `${BASE}/memories/{memory_id}`,
      summary: 'Delete a memory',
      description: 'It leaves search now, MEMORY.md at the next export; a pattern made of it loses its part.',
      tags,
      access: writes,
      params: { memory_id: strictUuidParam('memory_id', memoryId) },
      responses: { 204: null },
      errors: [
        unknownMemory,
        error(403, "A token of an agent, and another agent's memory: archive it instead"),
        ...outages,
      ],
      handler: async ({ caller, params }) => {
        await memory.deleteMemory(caller, params.memory_id);
        return noContent();
      },
    }),
    route({
      name: 'unmerge_memory',
      method: 'POST',
      path: `${BASE}/memories/{memory_id}/unmerge`,
      summary: 'Undo a consolidation',
      description: 'The learnings come back and are never merged again; the pattern is archived.',
      tags,
      access: writes,
      params: { memory_id: uuidParam('Memory not found', memoryId) },
      responses: { 200: UnmergeSchema },
      errors: [unknownMemory, error(409, 'Not made by consolidation, or undone already'), ...outages],
      handler: async ({ caller, params }) => memory.unmerge(caller, params.memory_id),
    }),
    route({
      name: 'list_agents',
      method: 'GET',
      path: `${BASE}/agents`,
      agents: 'direct',
      summary: "List the workspace's agents",
      description: 'Those that have memories. By its `agent_id` you read what another agent knows.',
      tags,
      access: reads,
      responses: { 200: AgentsSchema },
      errors: outages,
      handler: async ({ caller }) => memory.listAgents(caller.brandId),
    }),
    route({
      name: 'resolve_agent',
      method: 'POST',
      path: `${BASE}/agents/resolve`,
      summary: 'Find the agent of a program in a repository',
      description: 'Made on first use. All clones and worktrees of a repository share it.',
      tags,
      access: writes,
      body: ResolveAgentSchema,
      responses: { 200: ResolvedAgentSchema },
      errors: outages,
      handler: async ({ caller, body }) => ({ agent_id: await memory.resolveAgent(caller.brandId, body) }),
    }),
    route({
      name: 'get_memory_section',
      openToBuilds: { own: { agent_id: 'agent_id' } },
      method: 'GET',
      path: `${BASE}/agents/{agent_id}/section`,
      summary: "Read what an agent's MEMORY.md says",
      description: 'The fifty memories of highest confidence, as the hourly export writes them.',
      tags,
      access: reads,
      params: { agent_id: agentIdParam },
      responses: { 200: { contentType: 'text/markdown', description: 'The section' } },
      errors: outages,
      handler: async ({ caller, params }) =>
        text(200, await memory.readSection(caller.brandId, params.agent_id), 'text/markdown; charset=utf-8'),
    }),
  ];
}
