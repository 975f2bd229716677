import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  IdOrName,
  Named,
  OneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';
import { STATUSES } from './board/columns.js';

const Text = Type.String();

export const BOARD_TYPES = ['build', 'crm', 'general'] as const;
export type BoardType = (typeof BOARD_TYPES)[number];

/** Wherever a request names a card or a board. */
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

/** What somebody is on a board: a member of its workspace, or a guest at a level. */
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
    your_role: OneOf(BOARD_ROLES, { description: "Your role; a guest's level." }),
    card_count: Type.Optional(Type.Integer({ minimum: 0, description: 'Cards that are not archived.' })),
    open_count: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Of these, neither done nor canceled.' }),
    ),
    last_activity_at: Type.Optional(Timestamp),
  }),
);
export type Board = Static<typeof Board>;

export const BoardList = Named(
  'BoardList',
  Closed({ boards: Type.Array(Board), total: Type.Integer({ minimum: 0 }) }),
);

export const GUEST_LEVELS = ['viewer', 'commenter', 'editor'] as const;
export type GuestLevel = (typeof GUEST_LEVELS)[number];

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

// --- what a caller sends ------------------------------------------------------------------------

export const NonBlank = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', rule: 'must not be blank' });

/** Filters list names with commas between them, so a name has none. */
const ColumnNameInput = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^,]*[^,\\s][^,]*$',
  rule: 'must not be blank and must not contain a comma',
});
const ColumnInput = Named(
  'ColumnInput',
  Closed({
    name: Described('Its name, without a comma.', ColumnNameInput),
    status: OneOf(STATUSES, { description: 'The status of its cards.' }),
  }),
);
const KeptColumnInput = Named(
  'ColumnPatch',
  Closed({
    id: Type.Optional(Described('Of a column that is kept under a new name.', Uuid)),
    ...ColumnInput.properties,
  }),
);
const MOST_COLUMNS = 100;

export const BoardInput = Named(
  'BoardInput',
  Closed({
    name: Described('Its name.', NonBlank(200)),
    board_type: Type.Optional(OneOf(BOARD_TYPES, { description: '`build` unless said.' })),
    columns: Type.Optional(
      Type.Array(ColumnInput, {
        minItems: 1,
        maxItems: MOST_COLUMNS,
        description: 'Its columns from left to right.',
      }),
    ),
  }),
);
export type BoardInput = Static<typeof BoardInput>;

export const BoardPatch = Named(
  'BoardPatch',
  Closed({
    name: Type.Optional(Described('Its name.', NonBlank(200))),
    columns: Type.Optional(
      Type.Array(KeptColumnInput, {
        minItems: 1,
        maxItems: MOST_COLUMNS,
        description: 'All its columns from left to right.',
      }),
    ),
  }),
);
export type BoardPatch = Static<typeof BoardPatch>;

export const GuestInput = Named(
  'BoardGuestInput',
  Closed({ role: OneOf(GUEST_LEVELS, { description: 'The level.' }) }),
);

export const Page = Type.Integer({ minimum: 1, default: 1, description: 'Which page, from 1.' });
export const perPage = (standard: number) =>
  Type.Integer({ minimum: 1, maximum: 500, default: standard, description: 'How many on a page.' });

export const ListQuery = Type.Object({ page: Page, per_page: perPage(500) });
export type PageWish = Static<typeof ListQuery>;

export const BoardListQuery = Type.Object({
  page: Page,
  per_page: perPage(500),
  with_counts: Type.Optional(
    Type.Boolean({
      description: 'true: also how many cards each has, and when something last happened.',
    }),
  ),
});
export type BoardListWish = Static<typeof BoardListQuery>;
