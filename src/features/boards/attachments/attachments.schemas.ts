import { type Static, Type } from 'typebox';
import {
  Actor,
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';

export const LARGEST_ATTACHMENT = 25 * 1024 * 1024;
export const MOST_ATTACHMENTS = 100;

export const Attachment = Named(
  'Attachment',
  Closed({
    id: Uuid,
    task_id: Uuid,
    comment_id: Nullable(Uuid),
    name: Type.String(),
    content_type: Type.String({ description: 'Judged by the bytes.' }),
    bytes: Type.Integer(),
    url: Type.String(),
    thumbnail_url: Nullable(Type.String()),
    author: Nullable(Actor),
    created_at: Timestamp,
    from_guest: Type.Optional(Type.Literal(true)),
  }),
);
export type Attachment = Static<typeof Attachment>;

export const AttachmentList = Named(
  'AttachmentList',
  Closed({ attachments: Type.Array(Attachment), total: Type.Integer({ minimum: 0 }) }),
);

export const AttachQuery = Type.Object({
  comment_id: Type.Optional(Described('The comment of yours it belongs to.', Uuid)),
});

export const ReadQuery = Type.Object({
  size: Type.Optional(OneOf(['thumb'], { description: 'Of a picture, a small one.' })),
});
