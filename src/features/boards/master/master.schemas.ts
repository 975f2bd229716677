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
import { WithFields } from '../cards/chosen-fields.js';
import { COUNTED, SORTS } from './sorting.js';

const Text = Type.String();

export const MasterList = Named(
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
        description: 'Of all cards found, by `count_by`.',
      }),
    ),
  }),
);
export type MasterList = Static<typeof MasterList>;

export const MasterQuery = Type.Object({
  board_ids: Type.Optional(Described('Only these boards, by key or id.', Type.String({ names: 'board' }))),
  board_type: Type.Optional(Described('On boards of these types: build, crm, general.', Text)),
  column_names: Type.Optional(
    Described('Only these columns by name, in any case, such as `In Progress,Review`.', Text),
  ),
  status: Type.Optional(Described('pending, in_progress, in_review, blocked, done, canceled.', Text)),
  has_pr: Type.Optional(
    Type.Boolean({ description: 'true: only with a pull request; false: only without.' }),
  ),
  since: Type.Optional(Described('Changed at or after this ISO time.', Text)),
  assignee: Type.Optional(Described('Of these people: `me`, `none`, user ids.', Text)),
  agent: Type.Optional(Described('Of these agents: `any`, `none`, agent ids.', Text)),
  priority: Type.Optional(Described('Only these priorities.', Text)),
  labels: Type.Optional(Described('With one of these labels.', Text)),
  query: Type.Optional(
    searchText(
      'Words that all stand in the title; a ref such as `ENG-12` finds its card, alone as the first.',
      { maxLength: 500 },
    ),
  ),
  refs: Type.Optional(
    Described('Only these cards, such as `ENG-12,ENG-31`.', Type.String({ maxLength: 3000 })),
  ),
  due_before: Type.Optional(Described('Due before this ISO time.', Text)),
  sort: Type.Optional(OneOf(SORTS, { description: 'With `-` the other way round. Default: `-updated`.' })),
  count_by: Type.Optional(OneOf(COUNTED, { description: 'Also counts all found, by this field.' })),
  with: WithFields,
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 500, description: 'How many on a page.' }),
  cursor: Type.Optional(Described('`next_cursor` of the page before.', Text)),
});
export type MasterQuery = Static<typeof MasterQuery>;
