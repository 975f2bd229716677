import { Type } from 'typebox';
import { answer, noContent } from '../../http/answer/answers.js';
import {
  type ErrorDeclaration,
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../http/declaration/route.js';
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
  source_id: uuidParam('Source not found', { description: 'The source, as list_sources shows its id.' }),
};
const unknownSource = error(404, 'No source with that id in the workspace');

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
        'claude_code, codex and openclaw read session files under config.path, a folder inside SOURCES_DIR/<brand_id>; agentboard reads finished cards assigned to the agent.',
      tags,
      access: writes,
      body: CreateSourceSchema,
      responses: { 201: SourceSchema },
      errors: [
        error(
          403,
          'The agent is not one the workspace owns, or the plan allows no more sources',
          Type.Union([Type.String(), QuotaExceededSchema]),
        ),
        error(503, 'The owner of the agent could not be checked; nothing was created'),
        ...outages,
      ],
      handler: async ({ caller, body }) => sources.createSource(caller, body),
    }),
    route({
      name: 'list_sources',
      method: 'GET',
      path: `${BASE}/sources`,
      summary: 'List conversation sources',
      description:
        'Where the conversations come from that memories are learned from, with the last error of each.',
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
      description: 'Its settings, when it was last read, and the last error.',
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
      description: 'Only the fields that are sent change. `enabled: false` pauses it.',
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
        'The same external_id of that agent and source type is the same conversation: a longer one adds its new messages (200).',
      tags,
      access: writes,
      body: PushConversationSchema,
      responses: { 200: ConversationSchema, 201: ConversationSchema },
      errors: [error(403, 'The agent belongs to another workspace or to the platform'), ...outages],
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
      description:
        'Newest first, with what became of each: whether memories were learned from it, or why not.',
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
      description:
        'For one that failed or waits for its next attempt. It becomes due at once; its attempts are kept.',
      tags,
      access: writes,
      params: {
        conversation_id: uuidParam('Conversation not found', {
          description: 'The conversation, as list_conversations shows its id.',
        }),
      },
      responses: { 202: ConversationSchema },
      errors: [
        error(404, 'No conversation with that id in the workspace'),
        error(409, 'It is being learned from, or has been'),
        ...outages,
      ],
      handler: async ({ caller, params }) =>
        answer(202, await sources.retryConversation(caller.brandId, params.conversation_id)),
    }),
  ];
}
