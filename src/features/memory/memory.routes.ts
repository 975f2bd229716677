import { Type } from 'typebox';
import { escapeMarkdown, markdownFacts } from '../../kernel/markdown.js';
import { answer, type Format, noContent, text } from '../../platform/http/answer/answers.js';
import { answerWithin } from '../../platform/http/answer/error-answer.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
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
import { sourceRoutes } from './learning/sources.routes.js';
import {
  agentIdInvalid,
  kindsUnknown,
  memoryDeadline,
  memoryOutages as outages,
  queryRequired,
} from './memory.errors.js';
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
  type SearchAnswer,
  SearchAnswerSchema,
  SearchBodySchema,
  SearchQuerySchema,
  StatsQuerySchema,
  StatsSchema,
  UnmergeSchema,
} from './memory.schemas.js';
import type { MemoryService } from './memory.service.js';
import { KINDS, type Kind } from './records/memory.record.js';

const BASE = '/api/v1/memory';
const tags: [string] = ['Memory'];
const reads = { tags, access: memberAccess({ scope: 'memory:read' }), errors: outages };
const laggingReads = { ...reads, mayLag: true as const };
const writes = { tags, access: memberAccess({ scope: 'memory:write' }), errors: outages };

const agentIdParam: PathParam<string> = {
  schema: Type.String({ pattern: AGENT_ID.source }),
  description: 'Your own agent_id, or one from list_agents.',
  judged: 'validation',
  read(text) {
    if (!AGENT_ID.test(text)) throw agentIdInvalid();
    return text;
  },
};

const memoryId = { description: 'ID of the memory, from search_memories.' };
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

/** The query string takes precedence over the body. */
const readSearch = (agentId: string, query: SearchParameters, body: SearchParameters, limit: number) => ({
  agentId,
  query: query.query ?? body.query,
  kinds: readKinds(query.kinds ?? body.kinds),
  limit: query.limit ?? body.limit ?? limit,
  explain: query.explain ?? body.explain ?? false,
});

export const memoryRoutes = (memory: MemoryService): Route[] =>
  [...browseRoutes(memory), ...recordRoutes(memory), ...sourceRoutes(memory)].map((declaration) =>
    answerWithin(memoryDeadline, declaration),
  );

function recordRoutes(memory: MemoryService): Route[] {
  return [
    route({
      ...laggingReads,
      name: 'search_memories',
      openToBuilds: { own: { agent_id: 'agent_id' } },
      method: 'POST',
      path: `${BASE}/agents/{agent_id}/context`,
      effect: 'read',
      agents: 'direct',
      summary: "Search an agent's memories",
      description:
        'Returns active memories with confidence 0.3 or higher, best match first. Without a query, the most important ones.',
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
      handler: async ({ caller, params, query, body }) =>
        memory.search(caller.brandId, readSearch(params.agent_id, query, body, SEARCH_LIMIT)),
    }),
    route({
      ...laggingReads,
      name: 'recall_memories',
      openToBuilds: { own: { agent_id: 'agent_id' } },
      method: 'POST',
      path: `${BASE}/agents/{agent_id}/context/relevant`,
      effect: 'read',
      agents: 'direct',
      summary: 'Recall the memories that answer a question',
      description:
        'Like search_memories, but a language model orders up to 100 matches. Call it before you start a task.',
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
      handler: async ({ caller, params, query, body, signal }) => {
        const request = readSearch(params.agent_id, query, body, RECALL_LIMIT);
        if (request.query === undefined || request.query.trim() === '') throw queryRequired();
        const asked = { ...request, query: request.query };
        const { order, answer: found } = await memory.recall(caller.brandId, asked, signal);
        return answer(200, found, { 'x-recall-order': order });
      },
    }),
    route({
      ...writes,
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
        "Write one thing per memory, for later sessions. `similar` in the answer lists near duplicates: correct or archive one with update_memory, or replace it with `supersedes`. An unused agent_id becomes the workspace's.",
      query: CreateMemoryQuerySchema,
      body: CreateMemorySchema,
      responses: { 201: CreatedMemorySchema },
      errors: [
        error(
          403,
          "The agent belongs to another workspace or to the platform, or a build with a guest's words sent `supersedes`",
        ),
        error(422, '`supersedes` names a memory of another agent'),
        ...outages,
      ],
      handler: async ({ caller, query, body }) => memory.createMemory(caller, body, query),
    }),
    route({
      ...laggingReads,
      name: 'get_memory_stats',
      method: 'GET',
      path: `${BASE}/memories/stats`,
      summary: 'Count memories',
      description: 'by_kind and avg_confidence cover active memories.',
      query: StatsQuerySchema,
      formats: { allowed: ['yaml', 'json', 'md'], default: 'json', markdown: statsMarkdown },
      responses: { 200: StatsSchema },
      handler: async ({ caller, query }) => memory.readStats(caller.brandId, query.agent_id),
    }),
    route({
      ...reads,
      name: 'get_memory',
      method: 'GET',
      path: `${BASE}/memories/{memory_id}`,
      summary: 'Read a memory',
      description: 'Includes its source and the memories it was merged from or into.',
      params: { memory_id: uuidParam('Memory not found', memoryId) },
      responses: { 200: MemorySchema },
      errors: [unknownMemory, ...outages],
      handler: async ({ caller, params }) => memory.getMemory(caller.brandId, params.memory_id),
    }),
    route({
      ...writes,
      name: 'update_memory',
      method: 'PATCH',
      path: `${BASE}/memories/{memory_id}`,
      agents: 'direct',
      summary: 'Correct, archive or verify a memory',
      description:
        'Changes only the fields you send. Every call, even an empty one, verifies the memory and restores its full confidence.',
      params: { memory_id: strictUuidParam('memory_id', memoryId) },
      body: ChangeMemorySchema,
      responses: { 200: MemorySchema },
      errors: [
        unknownMemory,
        error(422, '`supersedes` names the memory itself or a memory of another agent'),
        ...outages,
      ],
      handler: async ({ caller, params, body }) => memory.changeMemory(caller, params.memory_id, body),
    }),
    route({
      ...writes,
      name: 'delete_memory',
      method: 'DELETE',
      path: `${BASE}/memories/{memory_id}`,
      summary: 'Delete a memory',
      description:
        'Removes it from search at once, from MEMORY.md at the next export, and from patterns made of it.',
      params: { memory_id: strictUuidParam('memory_id', memoryId) },
      responses: { 204: null },
      errors: [
        unknownMemory,
        error(403, "An agent's token cannot delete another agent's memory. Archive it instead."),
        ...outages,
      ],
      handler: async ({ caller, params }) => {
        await memory.deleteMemory(caller, params.memory_id);
        return noContent();
      },
    }),
    route({
      ...writes,
      name: 'unmerge_memory',
      method: 'POST',
      path: `${BASE}/memories/{memory_id}/unmerge`,
      summary: 'Undo a consolidation',
      description: 'Restores the learnings, which are never merged again, and archives the pattern.',
      params: { memory_id: uuidParam('Memory not found', memoryId) },
      responses: { 200: UnmergeSchema },
      errors: [unknownMemory, error(409, 'Not made by consolidation, or already undone'), ...outages],
      handler: async ({ caller, params }) => memory.unmerge(caller, params.memory_id),
    }),
    route({
      ...reads,
      name: 'list_agents',
      method: 'GET',
      path: `${BASE}/agents`,
      agents: 'direct',
      summary: "List the workspace's agents",
      description: 'Use an `agent_id` to read the memories of another agent.',
      responses: { 200: AgentsSchema },
      handler: async ({ caller }) => memory.listAgents(caller.brandId),
    }),
    route({
      ...writes,
      name: 'resolve_agent',
      method: 'POST',
      path: `${BASE}/agents/resolve`,
      summary: 'Find the agent of a program in a repository',
      description: 'Creates the agent on first use. All clones and worktrees of a repository share it.',
      body: ResolveAgentSchema,
      responses: { 200: ResolvedAgentSchema },
      handler: async ({ caller, body }) => ({ agent_id: await memory.resolveAgent(caller.brandId, body) }),
    }),
    route({
      ...reads,
      name: 'get_memory_section',
      openToBuilds: { own: { agent_id: 'agent_id' } },
      method: 'GET',
      path: `${BASE}/agents/{agent_id}/section`,
      summary: "Get the section of an agent's MEMORY.md",
      description: 'Returns the 50 memories with the highest confidence, as the hourly export writes them.',
      params: { agent_id: agentIdParam },
      responses: { 200: { contentType: 'text/markdown', description: 'The section' } },
      handler: async ({ caller, params }) =>
        text(200, await memory.readSection(caller.brandId, params.agent_id), 'text/markdown; charset=utf-8'),
    }),
  ];
}

/** Longer answers are written memory by memory, so that they do not block the event loop. */
const AT_ONCE = 256 * 1024;

/** The chunks of a long answer; undefined for a short one. */
export function searchParts(found: SearchAnswer, format: Format): Iterable<string> | undefined {
  const characters = found.memories.reduce((sum, { body }) => sum + body.length, 0);
  return characters > AT_ONCE ? WRITERS[format](found) : undefined;
}

const WRITERS: Record<Format, (found: SearchAnswer) => Iterable<string>> = {
  *json({ memories, ...rest }) {
    for (const [i, memory] of memories.entries())
      yield `${i === 0 ? '{"memories":[' : ','}${JSON.stringify(memory)}`;
    yield `],${JSON.stringify(rest).slice(1)}`;
  },
  *yaml({ memories, ...rest }) {
    const head = 'memories:\n';
    yield head;
    for (const memory of memories) yield writeYaml({ memories: [memory] }).slice(head.length);
    yield writeYaml(rest);
  },
  md: searchMarkdownParts,
};

export const searchMarkdown = (answer: SearchAnswer): string => [...searchMarkdownParts(answer)].join('');

export function* searchMarkdownParts({ memories, ...rest }: SearchAnswer): Generator<string> {
  yield `# Memories\n\n${markdownFacts(rest)}`;
  for (const { title, ...facts } of memories)
    yield `\n## ${escapeMarkdown(title)}\n\n${markdownFacts(facts)}`;
}

const statsMarkdown = (stats: object): string => `# Memory\n\n${markdownFacts(stats)}`;
