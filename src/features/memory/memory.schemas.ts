import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';
import { CONVERSATION_STATUSES } from './learning/conversations.store.js';
import { CONVERSATION_TYPES, SOURCE_TYPES } from './learning/sources.store.js';
import {
  BODY_LENGTH,
  DESCRIPTION_LENGTH,
  IMPORTANCE,
  KINDS,
  TITLE_LENGTH,
  WRITABLE_KINDS,
} from './records/memory.record.js';
import { MATCHED } from './search/matches.js';
import { TRIES } from './search/tries.js';

export const SEARCH_FORMATS = ['yaml', 'json', 'md'] as const;
export const AGENT_ID = /^[A-Za-z0-9_-]{1,255}$/;

export const AgentId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,255}$',
  rule: 'must have 1 to 255 letters, digits, _ or -',
});
const Title = Type.String({ pattern: '\\S', maxLength: TITLE_LENGTH, rule: 'must not be blank' });
const Body = Type.String({ pattern: '\\S', maxLength: BODY_LENGTH, rule: 'must not be blank' });
const Description = Nullable(Type.String({ maxLength: DESCRIPTION_LENGTH, description: 'One-line summary' }));
const Confidence = Type.Number({ minimum: 0, maximum: 1 });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 });
const Importance = OneOf(IMPORTANCE);

const MemoryFields = {
  id: Uuid,
  agent_id: AgentId,
  kind: OneOf(KINDS),
  title: Type.String(),
  body: Type.String(),
  description: Nullable(Type.String()),
  confidence: Type.Number({ description: 'Current confidence after decay, four decimals' }),
  tags: Type.Array(Type.String()),
  importance: Importance,
  status: OneOf(['active', 'archived', 'merged']),
  stale: Type.Boolean({ description: 'Not verified for more than 30 days' }),
  stale_caveat: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_verified_at: Timestamp,
  source: Nullable(
    Closed({
      source_id: Nullable(Uuid),
      conversation_id: Nullable(Uuid),
      extractor: OneOf(['model', 'rule-based']),
    }),
  ),
  merged_into: Nullable(Uuid),
  merged_from: Type.Array(Uuid),
  superseded_by: Type.Optional(Described('ID of the memory that replaced it, if any.', Uuid)),
  from_guest: Type.Optional(
    Type.Literal(true, {
      description: 'Written by a build that was given words of a guest. It is never recalled.',
    }),
  ),
};

export const MemorySchema = Named('Memory', Closed(MemoryFields));

export const CreatedMemorySchema = Named(
  'CreatedMemory',
  Closed({
    ...MemoryFields,
    similar: Type.Optional(
      Type.Array(
        Named(
          'SimilarMemory',
          Closed({
            memory_id: Uuid,
            title: Type.String(),
            similarity: Type.Number({ description: '1 for the same text' }),
          }),
        ),
        { description: 'Up to three active memories of the agent that say nearly the same or the opposite.' },
      ),
    ),
  }),
);

export const CreateMemoryQuerySchema = Type.Object({
  similar: Type.Optional(Type.Boolean({ description: 'true lists near duplicates under `similar`.' })),
});

const Supersedes = Type.Array(Uuid, {
  maxItems: 50,
  description: 'IDs of memories of the agent that this one replaces. They are archived.',
});

export const CreateMemorySchema = Named(
  'MemoryInput',
  Closed({
    agent_id: Described('The agent that remembers it: your own agent_id.', AgentId),
    kind: OneOf(WRITABLE_KINDS, {
      description: 'Kind of memory.',
    }),
    title: Described('One line that can be understood alone.', Title),
    body: Described('Full text, with the reason.', Body),
    description: Type.Optional(Described('One-line summary.', Description)),
    tags: Type.Optional(Described('Words that group it with other memories.', Tags)),
    confidence: Type.Optional(
      Described('0 to 1, default 0.8. Decays until the memory is verified.', Confidence),
    ),
    importance: Type.Optional(Described('Importance in ranking, default normal.', Importance)),
    supersedes: Type.Optional(Supersedes),
  }),
);

export const ChangeMemorySchema = Named(
  'MemoryPatch',
  Closed({
    title: Type.Optional(Described('One line that can be understood alone.', Title)),
    body: Type.Optional(Described('Full text, with the reason.', Body)),
    description: Type.Optional(Described('One-line summary; null clears it.', Description)),
    kind: Type.Optional(OneOf(WRITABLE_KINDS, { description: 'Kind of memory.' })),
    tags: Type.Optional(Described('Replaces all tags.', Tags)),
    confidence: Type.Optional(Described('0 to 1.', Confidence)),
    importance: Type.Optional(Described('Importance in ranking.', Importance)),
    status: Type.Optional(
      OneOf(['archived', 'active'], {
        description: '`archived` removes it from search, `active` restores it.',
      }),
    ),
    supersedes: Type.Optional(Supersedes),
  }),
);

const Kinds = Type.String({ description: `Comma-separated: ${KINDS.join(', ')}; default all` });
const Explain = Type.Boolean({ description: 'Adds why each memory was returned and what was left out' });
const limitOf = (standard: number) =>
  Type.Integer({ minimum: 1, maximum: 50, description: `Maximum number of memories, default ${standard}` });

const searchQuery = (asked: string, standard: number) =>
  Type.Object({
    query: Type.Optional(Type.String({ description: asked })),
    kinds: Type.Optional(Kinds),
    limit: Type.Optional(limitOf(standard)),
    explain: Type.Optional(Explain),
  });

const searchBody = (asked: string, standard: number) =>
  Closed({
    query: Type.Optional(Type.String({ description: asked })),
    kinds: Type.Optional(
      Type.Union([Type.String(), Type.Array(OneOf(KINDS), { maxItems: 100 })], {
        description: 'As a list or comma-separated, default all',
      }),
    ),
    limit: Type.Optional(limitOf(standard)),
    explain: Type.Optional(Explain),
    format: Type.Optional(OneOf(SEARCH_FORMATS, { description: 'Format of the answer, default yaml.' })),
  });

export const SEARCH_LIMIT = 10;
export const RECALL_LIMIT = 20;
const SEARCHED = 'Text to match with title and body. Blank returns the top memories.';
const RECALLED = 'Your question in your own words. Must not be blank.';
export const SearchQuerySchema = searchQuery(SEARCHED, SEARCH_LIMIT);
export const SearchBodySchema = searchBody(SEARCHED, SEARCH_LIMIT);
export const RecallQuerySchema = searchQuery(RECALLED, RECALL_LIMIT);
export const RecallBodySchema = searchBody(RECALLED, RECALL_LIMIT);

const Weighed = (description: string) =>
  Closed({ value: Nullable(Type.Number({ description })), weight: Type.Number() });

const ItemExplanation = Closed({
  match: Nullable(Type.Number({ description: '1 for the best match' })),
  score: Nullable(Type.Number()),
  words: Weighed('Share of the highest possible word score'),
  meaning: Weighed('Cosine similarity of question and memory; null if not compared'),
  names: Weighed("Share of the question's names that are in the title"),
  terms: Type.Array(
    Closed({
      term: Type.String(),
      matched: OneOf(MATCHED),
      in_title: Type.Boolean(),
      score: Type.Number(),
    }),
  ),
});

const {
  id,
  kind,
  title,
  body,
  description,
  confidence,
  tags,
  importance,
  created_at,
  updated_at,
  last_verified_at,
} = MemoryFields;

export const SearchAnswerSchema = Named(
  'FoundMemories',
  Closed({
    memories: Type.Array(
      Closed({
        id,
        kind,
        title,
        body,
        description,
        confidence,
        tags,
        importance,
        created_at,
        updated_at,
        last_verified_at,
        stale: Type.Optional(Type.Boolean()),
        stale_caveat: Type.Optional(Type.String()),
        explain: Type.Optional(ItemExplanation),
      }),
    ),
    count: Type.Integer(),
    agent_id: Type.String(),
    explain: Type.Optional(
      Closed({
        tried: OneOf(TRIES),
        terms: Type.Array(
          Closed({
            word: Type.String(),
            stem: Nullable(Type.String()),
            prefix: Type.Boolean(),
            entity: Type.Boolean(),
          }),
        ),
        left_out: Closed({
          archived: Type.Integer(),
          merged: Type.Integer(),
          low_confidence: Type.Integer(),
          other_kind: Type.Integer(),
        }),
      }),
    ),
  }),
);

export type SearchAnswer = Static<typeof SearchAnswerSchema>;

export const StatsQuerySchema = Type.Object({
  agent_id: Type.Optional(Described('Only this agent. Default: all agents.', AgentId)),
});

export const StatsSchema = Named(
  'MemoryStats',
  Closed({
    total_active: Type.Integer(),
    total_archived: Type.Integer(),
    total_merged: Type.Integer(),
    by_kind: Type.Object({}, { additionalProperties: Type.Integer() }),
    avg_confidence: Nullable(Type.Number()),
  }),
);

export const AgentsSchema = Named(
  'AgentList',
  Closed({
    agents: Type.Array(Closed({ agent_id: Type.String(), name: Type.String() })),
    total: Type.Integer(),
  }),
);

export const ResolveAgentSchema = Named(
  'AgentOfRepositoryInput',
  Closed({
    program: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,50}$',
      description: 'Program name, such as `claude` or `codex`.',
    }),
    repository: Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: '\\S',
      description: 'URL of its remote. Without a remote, `file://<machine>/<path>` of its main worktree.',
    }),
  }),
);

export const ResolvedAgentSchema = Named('AgentOfRepository', Closed({ agent_id: AgentId }));

export const UnmergeSchema = Named(
  'UnmergedMemories',
  Closed({ pattern: MemorySchema, restored: Type.Array(MemorySchema) }),
);

const Config = Type.Unsafe<Record<string, unknown>>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'For session files: `path`, a folder of the workspace',
    },
  ),
);

export const SourceSchema = Named(
  'MemorySource',
  Closed({
    id: Uuid,
    agent_id: AgentId,
    source_type: OneOf(SOURCE_TYPES),
    config: Config,
    enabled: Type.Boolean(),
    last_picked_up_at: Nullable(Timestamp),
    error: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

export const SourcesSchema = Named(
  'MemorySourceList',
  Closed({ sources: Type.Array(SourceSchema), total: Type.Integer() }),
);

export const CreateSourceSchema = Named(
  'MemorySourceInput',
  Closed({
    agent_id: Described('The agent that learns from it.', AgentId),
    source_type: OneOf(SOURCE_TYPES, {
      description: '`agentboard` reads finished cards, the other types read session files.',
    }),
    config: Type.Optional(Config),
    enabled: Type.Optional(Type.Boolean({ description: 'false pauses the source. Default true.' })),
  }),
);

export const ChangeSourceSchema = Named(
  'MemorySourcePatch',
  Closed({
    config: Type.Optional(Config),
    enabled: Type.Optional(Type.Boolean({ description: 'false pauses the source.' })),
  }),
);

export const QuotaExceededSchema = Named(
  'QuotaExceeded',
  Closed({
    error: Type.String(),
    limit: Type.Integer(),
    current: Type.Integer(),
    message: Type.String(),
  }),
);

export const ConversationSchema = Named(
  'Conversation',
  Closed({
    id: Uuid,
    agent_id: AgentId,
    source_id: Nullable(Uuid),
    source_type: OneOf(CONVERSATION_TYPES),
    external_id: Type.String(),
    status: OneOf(CONVERSATION_STATUSES),
    attempts: Type.Integer(),
    next_attempt_at: Nullable(Timestamp),
    error: Nullable(Type.String()),
  }),
);

export const ConversationsSchema = Named(
  'ConversationList',
  Closed({
    conversations: Type.Array(ConversationSchema),
    total: Type.Integer(),
    next_cursor: Nullable(Type.String()),
  }),
);

export const PushConversationSchema = Named(
  'ConversationInput',
  Closed({
    agent_id: Described('The agent that learns from it.', AgentId),
    source_type: OneOf(SOURCE_TYPES, { description: 'Program that the conversation was held with.' }),
    external_id: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Your ID of the conversation.',
    }),
    messages: Type.Array(
      Closed({
        role: Type.String({
          minLength: 1,
          maxLength: 50,
          description: 'Speaker, such as `user` or `assistant`.',
        }),
        content: Type.String({ description: 'Text of the message.' }),
        at: Type.Optional(Nullable(Timestamp, { description: 'Time of the message.' })),
      }),
      { minItems: 1, maxItems: 10_000, description: 'All messages so far, oldest first.' },
    ),
  }),
);

export const ConversationsQuerySchema = Type.Object({
  agent_id: Type.Optional(Described('Only conversations of this agent.', AgentId)),
  status: Type.Optional(
    OneOf(CONVERSATION_STATUSES, { description: 'Only conversations with this status.' }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 100,
    description: 'Conversations per page, default 100.',
  }),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
});
