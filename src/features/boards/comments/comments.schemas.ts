import { type Static, Type } from 'typebox';
import {
  Actor,
  Closed,
  Described,
  Named,
  Nullable,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { NonBlank } from '../boards.schemas.js';

export const Comment = Named(
  'Comment',
  Closed({
    id: Uuid,
    task_id: Uuid,
    author: Nullable(Actor),
    body: Type.String(),
    created_at: Timestamp,
    from_guest: Type.Optional(Type.Literal(true, { description: 'In lists, of what a guest wrote.' })),
  }),
);
export type Comment = Static<typeof Comment>;

export const CommentList = Named(
  'CommentList',
  Closed({ comments: Type.Array(Comment), total: Type.Integer({ minimum: 0 }) }),
);

export const CommentInput = Named('CommentInput', Closed({ body: Described('Markdown.', NonBlank(65_536)) }));
