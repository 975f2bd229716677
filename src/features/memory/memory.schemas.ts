import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';
import { CONVERSATION_STATUSES } from './learning/conversations.store.js';
import { SOURCE_TYPES } from './learning/sources.store.js';
import { KINDS, WRITABLE_KINDS } from './memory.record.js';
import { IMPORTANCE } from './search/ranking.js';

export const AGENT_ID = /^[A-Za-z0-9_-]{1,255}$/;

const AgentId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,255}$',
  rule: 'must have 1 to 255 letters, digits, _ or -',
  description: "The agent's workspace id",
});
const Title = Type.String({ pattern: '\\S', maxLength: 500, rule: 'must not be blank' });
const Body = Type.String({ pattern: '\\S', rule: 'must not be blank' });
const Description = Nullable(Type.String({ maxLength: 200, description: 'One-line summary' }));
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
  confidence: Type.Number({ description: 'Decayed to this moment, four decimals' }),
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
};

export const MemorySchema = Closed(MemoryFields);

export const CreateMemorySchema = Closed({
  agent_id: AgentId,
  kind: OneOf(WRITABLE_KINDS),
  title: Title,
  body: Body,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  confidence: Type.Optional(Confidence),
  importance: Type.Optional(Importance),
});

export const ChangeMemorySchema = Closed({
  title: Type.Optional(Title),
  body: Type.Optional(Body),
  description: Type.Optional(Description),
  kind: Type.Optional(OneOf(WRITABLE_KINDS)),
  tags: Type.Optional(Tags),
  confidence: Type.Optional(Confidence),
  importance: Type.Optional(Importance),
  status: Type.Optional(OneOf(['archived', 'active'])),
});

const Kinds = Type.Optional(
  Type.String({ description: `Comma-separated: ${KINDS.join(', ')}; all when left out` }),
);
const Explain = Type.Optional(
  Type.Boolean({ description: 'Adds why each memory was returned, and what was left out' }),
);

export const SearchQuerySchema = Type.Object({
  query: Type.Optional(
    Type.String({ description: 'Matched against title and body; blank lists the top memories' }),
  ),
  kinds: Kinds,
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 10 }),
  explain: Explain,
});

export const RecallQuerySchema = Type.Object({
  query: Type.String(),
  kinds: Kinds,
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 20 }),
  explain: Explain,
});

const ItemExplanation = Closed({
  match: Nullable(Type.Number({ description: '1 for the best match' })),
  score: Nullable(Type.Number()),
  terms: Type.Array(
    Closed({
      term: Type.String(),
      matched: OneOf(['stem', 'prefix']),
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

export const SearchAnswerSchema = Closed({
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
      tried: OneOf(['top', 'words', 'prefixes', 'typos', 'substring']),
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
});

export type SearchAnswer = Static<typeof SearchAnswerSchema>;

export const StatsQuerySchema = Type.Object({ agent_id: Type.Optional(AgentId) });

export const StatsSchema = Closed({
  total_active: Type.Integer(),
  total_archived: Type.Integer(),
  total_merged: Type.Integer(),
  by_kind: Type.Object({}, { additionalProperties: Type.Integer() }),
  avg_confidence: Nullable(Type.Number()),
});

export const AgentsSchema = Closed({
  agents: Type.Array(Closed({ agent_id: Type.String(), name: Type.String() })),
  total: Type.Integer(),
});

export const UnmergeSchema = Closed({ pattern: MemorySchema, restored: Type.Array(MemorySchema) });

const Config = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { additionalProperties: true, description: 'claude_code and openclaw: `path`, a folder' }),
);

export const SourceSchema = Closed({
  id: Uuid,
  agent_id: AgentId,
  source_type: OneOf(SOURCE_TYPES),
  config: Config,
  enabled: Type.Boolean(),
  last_picked_up_at: Nullable(Timestamp),
  error: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const SourcesSchema = Closed({ sources: Type.Array(SourceSchema), total: Type.Integer() });

export const CreateSourceSchema = Closed({
  agent_id: AgentId,
  source_type: OneOf(SOURCE_TYPES),
  config: Type.Optional(Config),
  enabled: Type.Optional(Type.Boolean()),
});

export const ChangeSourceSchema = Closed({
  config: Type.Optional(Config),
  enabled: Type.Optional(Type.Boolean()),
});

export const QuotaExceededSchema = Closed({
  error: Type.String(),
  limit: Type.Integer(),
  current: Type.Integer(),
  message: Type.String(),
});

export const ConversationSchema = Closed({
  id: Uuid,
  agent_id: AgentId,
  source_id: Nullable(Uuid),
  source_type: OneOf(SOURCE_TYPES),
  external_id: Type.String(),
  status: OneOf(CONVERSATION_STATUSES),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Timestamp),
  error: Nullable(Type.String()),
});

export const ConversationsSchema = Closed({
  conversations: Type.Array(ConversationSchema),
  total: Type.Integer(),
});

export const PushConversationSchema = Closed({
  agent_id: AgentId,
  source_type: OneOf(SOURCE_TYPES),
  external_id: Type.String({ minLength: 1, maxLength: 500 }),
  messages: Type.Array(
    Closed({
      role: Type.String({ minLength: 1, maxLength: 50 }),
      content: Type.String(),
      at: Type.Optional(Nullable(Timestamp)),
    }),
    { minItems: 1, maxItems: 10_000 },
  ),
});

export const ConversationsQuerySchema = Type.Object({
  agent_id: Type.Optional(AgentId),
  status: Type.Optional(OneOf(CONVERSATION_STATUSES)),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
});
