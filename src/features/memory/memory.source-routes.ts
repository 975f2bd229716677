import { Type } from 'typebox';
import { answer, noContent } from '../../platform/http/answer/answers.js';
import {
  type ErrorDeclaration,
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../platform/http/declaration/route.js';
import type { SourceService } from './learning/sources.service.js';
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
} from './memory.schemas.js';

const BASE = '/api/v1/memory';
const tags: [string] = ['Memory'];
const reads = memberAccess({ scope: 'memory:read' });
const writes = memberAccess({ scope: 'memory:write' });
const sourceParam = {
  source_id: uuidParam('Source not found', { description: 'As list_sources shows it.' }),
};
const unknownSource = error(404, 'Not found');

/** Where conversations come from, and the conversations themselves. */
export function sourceRoutes(sources: SourceService, outages: ErrorDeclaration[]): Route[] {
  return [
    route({
      name: 'create_source',
      method: 'POST',
      path: `${BASE}/sources`,
      creates: {},
      summary: 'Add a conversation source',
      description:
        'agentboard reads finished cards of the agent, the others session files under config.path, a folder in SOURCES_DIR/<brand_id>.',
      tags,
      access: writes,
      body: CreateSourceSchema,
      responses: { 201: SourceSchema },
      errors: [
        error(
          403,
          'Not an agent of the workspace, or the plan allows no more',
          Type.Union([Type.String(), QuotaExceededSchema]),
        ),
        error(503, "The agent's owner could not be checked; nothing was created"),
        ...outages,
      ],
      handler: async ({ caller, body }) => sources.createSource(caller, body),
    }),
    route({
      name: 'list_sources',
      method: 'GET',
      path: `${BASE}/sources`,
      summary: 'List conversation sources',
      description: 'Where conversations come from, with the last error of each.',
      tags,
      access: reads,
      query: StatsQuerySchema,
      responses: { 200: SourcesSchema },
      errors: outages,
      handler: async ({ caller, query }) => sources.listSources(caller.brandId, query.agent_id),
    }),
    route({
      name: 'get_source',
      method: 'GET',
      path: `${BASE}/sources/{source_id}`,
      summary: 'Read a conversation source',
      description: 'Its settings, last reading and last error.',
      tags,
      access: reads,
      params: sourceParam,
      responses: { 200: SourceSchema },
      errors: [unknownSource, ...outages],
      handler: async ({ caller, params }) => sources.getSource(caller.brandId, params.source_id),
    }),
    route({
      name: 'update_source',
      method: 'PATCH',
      path: `${BASE}/sources/{source_id}`,
      summary: 'Change a conversation source',
      description: 'Only sent fields change. `enabled: false` pauses it.',
      tags,
      access: writes,
      params: sourceParam,
      body: ChangeSourceSchema,
      responses: { 200: SourceSchema },
      errors: [unknownSource, ...outages],
      handler: async ({ caller, params, body }) => sources.changeSource(caller, params.source_id, body),
    }),
    route({
      name: 'delete_source',
      method: 'DELETE',
      path: `${BASE}/sources/{source_id}`,
      summary: 'Remove a conversation source',
      description: 'What was learned from it stays.',
      tags,
      access: writes,
      params: sourceParam,
      responses: { 204: null },
      errors: [unknownSource, ...outages],
      handler: async ({ caller, params }) => {
        await sources.deleteSource(caller, params.source_id);
        return noContent();
      },
    }),
    route({
      name: 'push_conversation',
      method: 'POST',
      path: `${BASE}/conversations`,
      creates: {},
      summary: 'Push a conversation',
      description:
        'The same external_id, agent and source type is the same conversation: new messages are added (200).',
      tags,
      access: writes,
      body: PushConversationSchema,
      responses: { 200: ConversationSchema, 201: ConversationSchema },
      errors: [error(403, "Another workspace's agent, or the platform's"), ...outages],
      handler: async ({ caller, body }) => {
        const { conversation, created } = await sources.pushConversation(caller.brandId, body);
        return answer(created ? 201 : 200, conversation);
      },
    }),
    route({
      name: 'list_conversations',
      method: 'GET',
      path: `${BASE}/conversations`,
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'conversations' },
      summary: 'List conversations',
      description: 'Newest first, with what was learned from each, or why not.',
      mayLag: true,
      tags,
      access: reads,
      query: ConversationsQuerySchema,
      responses: { 200: ConversationsSchema },
      errors: outages,
      handler: async ({ caller, query }) =>
        sources.listConversations(caller.brandId, {
          agentId: query.agent_id,
          status: query.status,
          limit: query.limit,
          cursor: query.cursor,
        }),
    }),
    route({
      name: 'retry_conversation',
      method: 'POST',
      path: `${BASE}/conversations/{conversation_id}/retry`,
      summary: 'Try a conversation again now',
      description: 'For one that failed or waits. It is due at once; its attempts are kept.',
      tags,
      access: writes,
      params: {
        conversation_id: uuidParam('Conversation not found', {
          description: 'As list_conversations shows it.',
        }),
      },
      responses: { 202: ConversationSchema },
      errors: [error(404, 'Not found'), error(409, 'It is being learned from, or has been'), ...outages],
      handler: async ({ caller, params }) =>
        answer(202, await sources.retryConversation(caller.brandId, params.conversation_id)),
    }),
  ];
}
