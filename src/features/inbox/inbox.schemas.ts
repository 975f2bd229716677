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
} from '../../http/declaration/schemas.js';
import { INBOX_KINDS } from '../../services/outbox/inbox-notices.js';

const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });

export const InboxItem = Named(
  'InboxItem',
  Closed({
    item_id: Uuid,
    kind: OneOf(INBOX_KINDS),
    at: Timestamp,
    read_at: Nullable(Timestamp),
    done_at: Nullable(Timestamp),
    actor: Nullable(Actor),
    task: Nullable(Closed({ task_id: Uuid, ref: Text, title: Text, status: Text, board_id: Uuid })),
    build_id: Nullable(Uuid),
    excerpt: Nullable(Text),
  }),
);
export type InboxItem = Static<typeof InboxItem>;

export const InboxPage = Named(
  'InboxPage',
  Closed({
    items: Type.Array(InboxItem),
    unread: Count,
    total_open: Count,
    next_cursor: Nullable(Text),
  }),
);
export type InboxPage = Static<typeof InboxPage>;

export const InboxNews = Named('InboxNews', Closed({ unread: Count }));

export const INBOX_STATES = ['open', 'done', 'all'] as const;

export const InboxQuery = Type.Object({
  state: OneOf(INBOX_STATES, { default: 'open', description: 'What you have done with them.' }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many on a page.' }),
  cursor: Type.Optional(Described('`next_cursor` of the page before.', Text)),
});
export type InboxQuery = Static<typeof InboxQuery>;

export const InboxPatch = Named(
  'InboxPatch',
  Closed({
    read: Type.Optional(Type.Boolean({ description: 'Whether you have read it.' })),
    done: Type.Optional(Type.Boolean({ description: 'Whether you are done with it; what is done is read.' })),
  }),
);
export type InboxPatch = Static<typeof InboxPatch>;

export const DoneInput = Named(
  'InboxDoneInput',
  Closed({
    item_ids: Type.Optional(
      Type.Array(Uuid, { maxItems: 500, description: 'These items; left out, all that are open.' }),
    ),
  }),
);
export const DoneCount = Named('InboxDoneCount', Closed({ done: Count }));
