import { Type } from 'typebox';
import { answer, noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { memoryOutages as outages } from '../memory.errors.js';
import {
  ChangeSourceSchema,
  ConversationSchema,
  ConversationsQuerySchema,
  ConversationsSchema,
  CreateSourceSchema,
  PushConversationSchema,
  QuotaExceededSchema,
  SourceSchema,
  SourcesSchema,
  StatsQuerySchema,
} from '../memory.schemas.js';
import type { SourceService } from './sources.service.js';

const BASE = '/api/v1/memory';
const tags: [string] = ['Memory'];
const reads = { tags, access: memberAccess({ scope: 'memory:read' }), errors: outages };
const laggingReads = { ...reads, mayLag: true as const };
const writes = { tags, access: memberAccess({ scope: 'memory:write' }), errors: outages };
const sourceParam = {
  source_id: uuidParam('Source not found', { description: 'ID of the source, from list_sources.' }),
};
const unknownSource = error(404, 'Not found');

export function sourceRoutes(sources: SourceService): Route[] {
  return [
    route({
      ...writes,
      name: 'create_source',
      method: 'POST',
      path: `${BASE}/sources`,
      creates: {},
      summary: 'Add a conversation source',
      description:
        '`agentboard` reads the finished cards of the agent. The other types read session files under config.path, a folder in SOURCES_DIR/<brand_id>.',
      body: CreateSourceSchema,
      responses: { 201: SourceSchema },
      errors: [
        error(
          403,
          'The agent does not belong to the workspace, or the plan allows no more sources',
          Type.Union([Type.String(), QuotaExceededSchema]),
        ),
        error(503, 'The owner of the agent could not be checked. Nothing was created.'),
        ...outages,
      ],
      handler: async ({ caller, body }) => sources.createSource(caller, body),
    }),
    route({
      ...reads,
      name: 'list_sources',
      method: 'GET',
      path: `${BASE}/sources`,
      summary: 'List conversation sources',
      description: 'Includes the last error of each source.',
      query: StatsQuerySchema,
      responses: { 200: SourcesSchema },
      handler: async ({ caller, query }) => sources.listSources(caller.brandId, query.agent_id),
    }),
    route({
      ...reads,
      name: 'get_source',
      method: 'GET',
      path: `${BASE}/sources/{source_id}`,
      summary: 'Read a conversation source',
      description: 'Returns its settings, when it was last read, and the last error.',
      params: sourceParam,
      responses: { 200: SourceSchema },
      errors: [unknownSource, ...outages],
      handler: async ({ caller, params }) => sources.getSource(caller.brandId, params.source_id),
    }),
    route({
      ...writes,
      name: 'update_source',
      method: 'PATCH',
      path: `${BASE}/sources/{source_id}`,
      summary: 'Change a conversation source',
      description: 'Changes only the fields you send. `enabled: false` pauses the source.',
      params: sourceParam,
      body: ChangeSourceSchema,
      responses: { 200: SourceSchema },
      errors: [unknownSource, ...outages],
      handler: async ({ caller, params, body }) => sources.changeSource(caller, params.source_id, body),
    }),
    route({
      ...writes,
      name: 'delete_source',
      method: 'DELETE',
      path: `${BASE}/sources/{source_id}`,
      summary: 'Remove a conversation source',
      description: 'Memories learned from it stay.',
      params: sourceParam,
      responses: { 204: null },
      errors: [unknownSource, ...outages],
      handler: async ({ caller, params }) => {
        await sources.deleteSource(caller, params.source_id);
        return noContent();
      },
    }),
    route({
      ...writes,
      name: 'push_conversation',
      method: 'POST',
      path: `${BASE}/conversations`,
      creates: {},
      summary: 'Push a conversation',
      description:
        'A known external_id of the same agent and source type continues that conversation: its new messages are added (200).',
      body: PushConversationSchema,
      responses: { 200: ConversationSchema, 201: ConversationSchema },
      errors: [error(403, 'The agent belongs to another workspace or to the platform'), ...outages],
      handler: async ({ caller, body }) => {
        const { conversation, created } = await sources.pushConversation(caller.brandId, body);
        return answer(created ? 201 : 200, conversation);
      },
    }),
    route({
      ...laggingReads,
      name: 'list_conversations',
      method: 'GET',
      path: `${BASE}/conversations`,
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'conversations' },
      summary: 'List conversations',
      description: 'Newest first, with the status and error of each.',
      query: ConversationsQuerySchema,
      responses: { 200: ConversationsSchema },
      handler: async ({ caller, query }) =>
        sources.listConversations(caller.brandId, {
          agentId: query.agent_id,
          status: query.status,
          limit: query.limit,
          cursor: query.cursor,
        }),
    }),
    route({
      ...writes,
      name: 'retry_conversation',
      method: 'POST',
      path: `${BASE}/conversations/{conversation_id}/retry`,
      summary: 'Retry a conversation now',
      description: 'Works for a conversation that failed or waits. Keeps its number of attempts.',
      params: {
        conversation_id: uuidParam('Conversation not found', {
          description: 'ID of the conversation, from list_conversations.',
        }),
      },
      responses: { 202: ConversationSchema },
      errors: [
        error(404, 'Not found'),
        error(409, 'The conversation is being processed or is done'),
        ...outages,
      ],
      handler: async ({ caller, params }) =>
        answer(202, await sources.retryConversation(caller.brandId, params.conversation_id)),
    }),
  ];
}
