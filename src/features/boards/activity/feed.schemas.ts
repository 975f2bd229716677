import { type Static, Type } from 'typebox';
import {
  Actor,
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { Changes } from '../boards.schemas.js';

export const ActivityEntry = Named(
  'ActivityEntry',
  Closed({
    id: Uuid,
    action: OneOf([
      'task.created',
      'task.updated',
      'task.moved',
      'task.commented',
      'task.deleted',
      'board.created',
      'board.updated',
    ]),
    created_at: Timestamp,
    task_id: Nullable(Uuid),
    ref: Nullable(Type.String()),
    actor: Nullable(Actor),
    changes: Changes,
  }),
);
export type ActivityEntry = Static<typeof ActivityEntry>;
export type Action = ActivityEntry['action'];

export const ActivityPage = Named(
  'ActivityPage',
  Closed({ items: Type.Array(ActivityEntry), next_cursor: Type.String() }),
);

export const CardActivity = Named(
  'CardActivity',
  Closed({ items: Type.Array(ActivityEntry), total: Type.Integer({ minimum: 0 }) }),
);

export const ActivityQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many entries.' }),
  since: Type.Optional(Type.String({ description: '`next_cursor` of the answer before.' })),
});

export const StreamQuery = Type.Object({
  since: Type.Optional(
    Type.String({ description: 'Begin after this cursor; left out: only what happens from now on.' }),
  ),
});
