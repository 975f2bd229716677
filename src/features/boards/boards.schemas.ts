import { type Static, Type } from 'typebox';
import { GUEST_LEVELS } from '../../kernel/access.js';
import { error, memberAccess, uuidParam } from '../../platform/http/declaration/route.js';
import {
  Actor,
  Closed,
  Described,
  IdOrName,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';
import { STATUSES } from './board/columns.js';

const Text = Type.String();

export const BOARD_TYPES = ['build', 'crm', 'general'] as const;
export type BoardType = (typeof BOARD_TYPES)[number];

export const CardId = IdOrName('card', 'must be the ref of a card, such as ENG-12, or its id');
export const BoardId = IdOrName('board', 'must be the key of a board, such as ENG, or its id');

export const CARD_WORDS = 'The card: its ref, such as ENG-12, or its id.';
export const BOARD_WORDS = 'The board: its key, such as ENG, or its id.';

export const Person = Named('Person', Closed({ user_id: Type.Integer(), name: Text }));
export type Person = Static<typeof Person>;

export const ColumnName = Named('ColumnRef', Closed({ id: Uuid, name: Text }));

export const Changes = Named(
  'Changes',
  Type.Record(Text, Closed({ from: Type.Unknown(), to: Type.Unknown() })),
);
export type Changes = Record<string, { from: unknown; to: unknown }>;

const BoardColumn = Named('BoardColumn', Closed({ id: Uuid, name: Text, status: OneOf(STATUSES) }));

const BOARD_ROLES = ['admin', 'member', 'editor', 'commenter', 'viewer'] as const;
export type BoardRole = (typeof BOARD_ROLES)[number];

export const Board = Named(
  'Board',
  Closed({
    board_id: Uuid,
    name: Text,
    key: Text,
    board_type: OneOf(BOARD_TYPES),
    columns: Type.Array(BoardColumn),
    created_at: Timestamp,
    your_role: OneOf(BOARD_ROLES, { description: 'Your role in the workspace, or your level as a guest.' }),
    card_count: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Number of cards that are not archived.' }),
    ),
    open_count: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Number of these that are neither done nor canceled.' }),
    ),
    last_activity_at: Type.Optional(Timestamp),
  }),
);
export type Board = Static<typeof Board>;

export const BoardList = Named(
  'BoardList',
  Closed({ boards: Type.Array(Board), total: Type.Integer({ minimum: 0 }) }),
);

export const BoardGuest = Named(
  'BoardGuest',
  Closed({
    board_id: Uuid,
    user_id: Type.Integer(),
    email: Text,
    full_name: Text,
    role: OneOf(GUEST_LEVELS),
    created_at: Timestamp,
  }),
);
export type BoardGuest = Static<typeof BoardGuest>;
export const BoardGuestList = Named(
  'BoardGuestList',
  Closed({ guests: Type.Array(BoardGuest), total: Type.Integer({ minimum: 0 }) }),
);

export const NonBlank = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', rule: 'must not be blank' });

/** Column names may not contain commas, because filters take comma-separated names. */
const ColumnNameInput = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^,]*[^,\\s][^,]*$',
  rule: 'must not be blank and must not contain a comma',
});
const ColumnInput = Named(
  'ColumnInput',
  Closed({
    name: Described('Name of the column, without a comma.', ColumnNameInput),
    status: OneOf(STATUSES, { description: 'Status of the cards in the column.' }),
  }),
);
const KeptColumnInput = Named(
  'ColumnPatch',
  Closed({
    id: Type.Optional(Described('Id of an existing column, to keep it under a new name.', Uuid)),
    ...ColumnInput.properties,
  }),
);
const MOST_COLUMNS = 100;

export const BoardInput = Named(
  'BoardInput',
  Closed({
    name: Described('Name of the board.', NonBlank(200)),
    board_type: Type.Optional(OneOf(BOARD_TYPES, { description: 'Type of the board. Default: `build`.' })),
    columns: Type.Optional(
      Type.Array(ColumnInput, {
        minItems: 1,
        maxItems: MOST_COLUMNS,
        description: 'Columns from left to right.',
      }),
    ),
  }),
);
export type BoardInput = Static<typeof BoardInput>;

export const BoardPatch = Named(
  'BoardPatch',
  Closed({
    name: Type.Optional(Described('Name of the board.', NonBlank(200))),
    columns: Type.Optional(
      Type.Array(KeptColumnInput, {
        minItems: 1,
        maxItems: MOST_COLUMNS,
        description: 'All columns from left to right.',
      }),
    ),
  }),
);
export type BoardPatch = Static<typeof BoardPatch>;

export const GuestInput = Named(
  'BoardGuestInput',
  Closed({ role: OneOf(GUEST_LEVELS, { description: 'Level of the guest.' }) }),
);

export const Page = Type.Integer({ minimum: 1, default: 1, description: 'Page number, from 1.' });
export const perPage = (standard: number) =>
  Type.Integer({ minimum: 1, maximum: 500, default: standard, description: 'Number of items on a page.' });

export const ListQuery = Type.Object({ page: Page, per_page: perPage(500) });
export type PageQuery = Static<typeof ListQuery>;

export const BoardListQuery = Type.Object({
  page: Page,
  per_page: perPage(500),
  with_counts: Type.Optional(
    Type.Boolean({
      description: '`true`: also return card counts and the time of the last activity.',
    }),
  ),
});
export type BoardListQuery = Static<typeof BoardListQuery>;

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
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Number of entries on a page.' }),
  since: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
});

export const StreamQuery = Type.Object({
  since: Type.Optional(Type.String({ description: 'Cursor to start after. Default: new entries only.' })),
});

export const Comment = Named(
  'Comment',
  Closed({
    id: Uuid,
    task_id: Uuid,
    author: Nullable(Actor),
    body: Type.String(),
    created_at: Timestamp,
    from_guest: Type.Optional(Type.Literal(true, { description: 'In lists: whether a guest wrote it.' })),
  }),
);
export type Comment = Static<typeof Comment>;

export const CommentList = Named(
  'CommentList',
  Closed({ comments: Type.Array(Comment), total: Type.Integer({ minimum: 0 }) }),
);

export const CommentInput = Named('CommentInput', Closed({ body: Described('Markdown.', NonBlank(65_536)) }));

export const LARGEST_ATTACHMENT = 25 * 1024 * 1024;
export const MOST_ATTACHMENTS = 100;

export const Attachment = Named(
  'Attachment',
  Closed({
    id: Uuid,
    task_id: Uuid,
    comment_id: Nullable(Uuid),
    name: Type.String(),
    content_type: Type.String({ description: 'Detected from the bytes.' }),
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
  comment_id: Type.Optional(Described('One of your comments, to attach the file to.', Uuid)),
});

export const ReadQuery = Type.Object({
  size: Type.Optional(OneOf(['thumb'], { description: '`thumb`: a thumbnail of an image.' })),
});

export const BOARDS = '/api/v1/board/boards';
export const BOARD = `${BOARDS}/{board_id}`;
export const TASKS = '/api/v1/board/tasks';
export const TASK = `${TASKS}/{task_id}`;
export const tags: [string] = ['Boards'];

export const board = {
  board_id: uuidParam('Board not found', { description: BOARD_WORDS, schema: BoardId }),
};
export const task = {
  task_id: uuidParam('Card not found', { description: CARD_WORDS, schema: CardId }),
};

/** Routes that guests can call. Their level on the board decides what they can do there. */
export const openToGuests = { tags, access: memberAccess({ role: 'guest' }) };
export const onBoard = { ...openToGuests, params: board };
export const onCard = { ...openToGuests, params: task };

export const closedBoard = error(403, "Another workspace's board, or not open to the guest at this level");
export const closedCard = error(403, "Not at the guest's level on the board");
export const noBoard = error(404, 'Not found');
export const noCard = error(404, 'Not found');
