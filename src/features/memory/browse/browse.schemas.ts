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
  agent_id: Described('The agent, as list_agents shows it.', AgentId),
  status: Type.Optional(
    OneOf(['active', 'archived', 'merged'], { description: 'Only those that stand so.' }),
  ),
  kind: Type.Optional(OneOf(KINDS, { description: 'Only those of this kind.' })),
  stale: Type.Optional(
    Type.Boolean({ description: 'true: only those not verified for 30 days; false: only others.' }),
  ),
  query: Type.Optional(
    searchText('Only with this text in title, body, summary or tags, in any case.', {
      minLength: 1,
      maxLength: 200,
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many on a page.' }),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
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
          description: 'Who did it; null: the service itself.',
        }),
        changes: Type.Record(Type.String(), Closed({ from: Type.Unknown(), to: Type.Unknown() }), {
          description: 'By field; of texts the first 10,000 characters.',
        }),
      }),
    ),
    total: Type.Integer(),
  }),
);

export const HealthQuerySchema = Type.Object({
  agent_id: Type.Optional(Described('Only this agent.', AgentId)),
  weeks: Type.Integer({ minimum: 1, maximum: 52, default: 12, description: 'How many weeks back.' }),
});

export const HealthSchema = Named(
  'MemoryHealth',
  Closed({
    agent_id: Nullable(Type.String()),
    weeks: Type.Array(
      Closed({
        week: Described('Its Monday, in UTC', Day),
        created: Type.Integer(),
        archived: Type.Integer({ description: 'Archived in that week, and archived still' }),
        total: Type.Integer({ description: 'In use at its end' }),
      }),
      { description: 'Oldest first; the last is not over.' },
    ),
    confidence: Type.Array(Closed({ from: Type.Number(), to: Type.Number(), count: Type.Integer() }), {
      description: 'Active memories in ten bands.',
    }),
    by_kind: Type.Record(Type.String(), Type.Integer(), { description: 'Active memories.' }),
    stale: Type.Integer({ description: 'Active, and not verified for 30 days' }),
    conversations: Closed({
      waiting: Type.Integer(),
      processing: Type.Integer(),
      done: Type.Integer(),
      failed: Type.Integer(),
    }),
    sources: Closed({
      enabled: Type.Integer(),
      failing: Type.Integer({ description: 'Enabled, and the last reading failed' }),
    }),
  }),
);
export type MemoryHealth = Static<typeof HealthSchema>;
