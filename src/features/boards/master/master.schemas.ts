import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  searchText,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { STATUSES } from '../board/columns.js';
import { ColumnName } from '../boards.schemas.js';
import { WithFields } from '../cards/cards.schemas.js';

export const SORT_NAMES = ['title', 'status', 'assignee', 'priority', 'due', 'estimate', 'updated'] as const;
export type SortName = (typeof SORT_NAMES)[number];

export const SORTS = SORT_NAMES.flatMap((name) => [name, `-${name}`] as const);
export type SortText = (typeof SORTS)[number];

export interface Sort {
  by: SortName;
  descending: boolean;
}

/** Undefined for the default order, newest change first. */
export const readSort = (text: SortText | undefined): Sort | undefined =>
  text === undefined || text === '-updated'
    ? undefined
    : { by: text.replace('-', '') as SortName, descending: text.startsWith('-') };

export const COUNTED = ['status', 'board', 'assignee', 'priority'] as const;
export type Counted = (typeof COUNTED)[number];

/** The end of a page of a sorted list. The key is null among the cards without a value. */
export interface SortPlace {
  key: string | null;
  id: string;
}

const Text = Type.String();

export const FoundTasks = Named(
  'FoundCardPage',
  Closed({
    items: Type.Array(
      Type.Object(
        {
          id: Uuid,
          ref: Text,
          title: Text,
          board: Text,
          column: ColumnName,
          status: OneOf(STATUSES),
          pr_number: Nullable(Type.Integer()),
          branch: Nullable(Text),
          updated_at: Timestamp,
        },
        { additionalProperties: Type.Unknown({ description: 'A field of Card that `with` names.' }) },
      ),
    ),
    total: Type.Integer({ minimum: 0 }),
    next_cursor: Nullable(Text),
    counts: Type.Optional(
      Type.Array(Closed({ value: Nullable(Text), cards: Type.Integer() }), {
        description: 'Number of matching cards by value of `count_by`.',
      }),
    ),
  }),
);
export type FoundTasks = Static<typeof FoundTasks>;

export const FindTasksQuery = Type.Object({
  board_ids: Type.Optional(Described('Only these boards, by key or id.', Type.String({ names: 'board' }))),
  board_type: Type.Optional(Described('Only boards of these types: build, crm, general.', Text)),
  column_names: Type.Optional(
    Described('Only columns with these names, such as `In Progress,Review`.', Text),
  ),
  status: Type.Optional(
    Described('Only these: pending, in_progress, in_review, blocked, done, canceled.', Text),
  ),
  has_pr: Type.Optional(
    Type.Boolean({ description: '`true`: only cards with a pull request; `false`: only without.' }),
  ),
  since: Type.Optional(Described('Only cards changed at or after this ISO 8601 time.', Text)),
  assignee: Type.Optional(Described('Only cards of these assignees: `me`, `none`, user ids.', Text)),
  agent: Type.Optional(Described('Only cards of these agents: `any`, `none`, agent ids.', Text)),
  priority: Type.Optional(Described('Only these priorities.', Text)),
  labels: Type.Optional(Described('Only cards with one of these labels.', Text)),
  query: Type.Optional(
    searchText('Words that the title contains; a ref such as `ENG-12` finds its card.', { maxLength: 500 }),
  ),
  refs: Type.Optional(
    Described('Only these cards, such as `ENG-12,ENG-31`.', Type.String({ maxLength: 3000 })),
  ),
  due_before: Type.Optional(Described('Only cards due before this ISO 8601 time.', Text)),
  sort: Type.Optional(OneOf(SORTS, { description: 'Order; `-` reverses it. Default: `-updated`.' })),
  count_by: Type.Optional(OneOf(COUNTED, { description: 'Also count all matching cards by this field.' })),
  with: WithFields,
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 500, description: 'Number of cards on a page.' }),
  cursor: Type.Optional(Described('`next_cursor` of the previous page.', Text)),
});
export type FindTasksQuery = Static<typeof FindTasksQuery>;
