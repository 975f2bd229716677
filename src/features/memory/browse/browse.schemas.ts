import { type Static, Type } from 'typebox';
import {
  Actor,
  Closed,
  Day,
  Described,
  Named,
  Nullable,
  OneOf,
  searchText,
  Timestamp,
} from '../../../platform/http/declaration/schemas.js';
import { AgentId, MemorySchema } from '../memory.schemas.js';
import { KINDS } from '../records/memory.record.js';

export const MemoriesQuerySchema = Type.Object({
  agent_id: Described('Agent ID, from list_agents.', AgentId),
  status: Type.Optional(
    OneOf(['active', 'archived', 'merged'], { description: 'Only memories with this status.' }),
  ),
  kind: Type.Optional(OneOf(KINDS, { description: 'Only memories of this kind.' })),
  stale: Type.Optional(
    Type.Boolean({
      description: 'true returns only memories not verified for 30 days, false only the others.',
    }),
  ),
  query: Type.Optional(
    searchText('Only memories with this text in title, body, description or tags. Case does not matter.', {
      minLength: 1,
      maxLength: 200,
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'Memories per page, default 50.',
  }),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
});
export type MemoriesQuery = Static<typeof MemoriesQuerySchema>;

export const MemoriesSchema = Named(
  'MemoryPage',
  Closed({
    memories: Type.Array(MemorySchema),
    total: Type.Integer(),
    next_cursor: Nullable(Type.String()),
  }),
);

export const HistorySchema = Named(
  'MemoryHistory',
  Closed({
    entries: Type.Array(
      Closed({
        id: Type.String(),
        at: Timestamp,
        action: OneOf(['created', 'changed', 'verified', 'archived', 'restored', 'merged', 'unmerged']),
        actor: Nullable(Actor, {
          description: 'The person or agent that made the change. Null: the service.',
        }),
        changes: Type.Record(Type.String(), Closed({ from: Type.Unknown(), to: Type.Unknown() }), {
          description: 'Old and new value by field; texts are cut to 10,000 characters.',
        }),
      }),
    ),
    total: Type.Integer(),
  }),
);

export const HealthQuerySchema = Type.Object({
  agent_id: Type.Optional(Described('Only this agent. Default: all agents.', AgentId)),
  weeks: Type.Integer({ minimum: 1, maximum: 52, default: 12, description: 'Number of weeks, default 12.' }),
});

export const HealthSchema = Named(
  'MemoryHealth',
  Closed({
    agent_id: Nullable(Type.String()),
    weeks: Type.Array(
      Closed({
        week: Described('Monday of the week, in UTC', Day),
        created: Type.Integer(),
        archived: Type.Integer({ description: 'Archived in that week and still archived' }),
        total: Type.Integer({ description: 'Active memories at the end of the week' }),
      }),
      { description: 'Oldest first, the current week last.' },
    ),
    confidence: Type.Array(Closed({ from: Type.Number(), to: Type.Number(), count: Type.Integer() }), {
      description: 'Active memories in ten ranges of confidence.',
    }),
    by_kind: Type.Record(Type.String(), Type.Integer(), { description: 'Active memories by kind.' }),
    stale: Type.Integer({ description: 'Active memories not verified for 30 days' }),
    conversations: Closed({
      waiting: Type.Integer(),
      processing: Type.Integer(),
      done: Type.Integer(),
      failed: Type.Integer(),
    }),
    sources: Closed({
      enabled: Type.Integer(),
      failing: Type.Integer({ description: 'Enabled sources whose last read failed' }),
    }),
  }),
);
export type MemoryHealth = Static<typeof HealthSchema>;
