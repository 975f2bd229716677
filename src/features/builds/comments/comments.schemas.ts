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

const SIDES = ['old', 'new'] as const;
export type Side = (typeof SIDES)[number];

export const CommentPath = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'A file, as the diff names it.',
});
export const CommentLine = Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'A line of it.' });
export const LONGEST_BODY = 20_000;
const CommentBody = Type.String({
  minLength: 1,
  maxLength: LONGEST_BODY,
  pattern: '\\S',
  rule: 'must not be blank',
  description: 'What you want to say; Markdown.',
});

export const BuildComment = Named(
  'BuildComment',
  Closed({
    comment_id: Uuid,
    build_id: Uuid,
    attempt: Type.Integer(),
    reply_to: Nullable(Uuid),
    path: Nullable(Type.String()),
    line: Nullable(Type.Integer()),
    side: OneOf(SIDES),
    outdated: Type.Boolean({ description: 'The line is gone.' }),
    context: Nullable(Type.String()),
    body: Type.String(),
    draft: Type.Boolean(),
    author: Nullable(Actor),
    created_at: Timestamp,
    resolved: Nullable(Closed({ by: Nullable(Actor), at: Timestamp })),
  }),
);
export type BuildComment = Static<typeof BuildComment>;

export const BuildCommentList = Named(
  'BuildCommentList',
  Closed({ comments: Type.Array(BuildComment), total: Type.Integer() }),
);
export type BuildCommentList = Static<typeof BuildCommentList>;

export const NewComment = Named(
  'BuildCommentInput',
  Closed({
    path: Type.Optional(CommentPath),
    line: Type.Optional(CommentLine),
    side: Type.Optional(OneOf(SIDES, { default: 'new', description: 'Of the base, or of the new file.' })),
    body: CommentBody,
    draft: Type.Optional(Type.Boolean({ description: 'Seen by you alone until you send it.' })),
    reply_to: Type.Optional(Type.String({ format: 'uuid', description: 'The comment that it answers.' })),
  }),
);
export type NewComment = Static<typeof NewComment>;

export const CommentPatch = Named(
  'BuildCommentPatch',
  Closed({
    body: Type.Optional(CommentBody),
    resolved: Type.Optional(Type.Boolean({ description: 'Of its thread.' })),
  }),
);
export type CommentPatch = Static<typeof CommentPatch>;
