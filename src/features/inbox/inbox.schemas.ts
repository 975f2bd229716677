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
} from '../../platform/http/declaration/schemas.js';
import { INBOX_KINDS } from '../../platform/outbox/outbox.js';
import { BoardId } from '../boards/index.js';

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
    snoozed_until: Nullable(Timestamp),
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
    total_snoozed: Count,
    next_cursor: Nullable(Text),
  }),
);
export type InboxPage = Static<typeof InboxPage>;

export const InboxNews = Named('InboxNews', Closed({ unread: Count }));

export const INBOX_STATES = ['open', 'snoozed', 'done', 'all'] as const;

export const LARGEST_PAGE = 200;

export const InboxQuery = Type.Object({
  state: OneOf(INBOX_STATES, { default: 'open', description: 'Only items in this state.' }),
  kind: Type.Optional(OneOf(INBOX_KINDS, { description: 'Only items of this kind.' })),
  unread: Type.Optional(
    Type.Boolean({ description: '`true`: only unread items; `false`: only read ones. Default: both.' }),
  ),
  board_id: Type.Optional(Described('Only items about cards of this board, by key or id.', BoardId)),
  project_id: Type.Optional(Described('Only items about cards of this project.', Uuid)),
  user_id: Type.Optional(Type.Integer({ description: 'Only items caused by this person or their agents.' })),
  limit: Type.Integer({
    minimum: 1,
    maximum: LARGEST_PAGE,
    default: 50,
    description: 'Number of items on a page.',
  }),
  cursor: Type.Optional(Described('`next_cursor` of the page before.', Text)),
});
export type InboxQuery = Static<typeof InboxQuery>;

const changes = {
  read: Type.Optional(Type.Boolean({ description: 'Whether the item is read.' })),
  done: Type.Optional(Type.Boolean({ description: 'Whether the item is done.' })),
  snoozed_until: Type.Optional(
    Described(
      'Hides the item until this time; then it is unread again. `null` ends the snooze.',
      Nullable(Timestamp),
    ),
  ),
};

export const InboxPatch = Named('InboxPatch', Closed(changes));
export type InboxPatch = Static<typeof InboxPatch>;

export const DoneInput = Named(
  'InboxDoneInput',
  Closed({
    item_ids: Type.Optional(
      Type.Array(Uuid, { maxItems: 500, description: 'The items. Default: all open ones.' }),
    ),
  }),
);
export const DoneCount = Named('InboxDoneCount', Closed({ done: Count }));

export const InboxChange = Named(
  'InboxChange',
  Closed({
    item_ids: Type.Array(Uuid, { minItems: 1, maxItems: 500, description: 'The items.' }),
    ...changes,
  }),
);
export type InboxChange = Static<typeof InboxChange>;
export const ChangedCount = Named('InboxChangedCount', Closed({ changed: Count }));
