import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../http/declaration/schemas.js';
import { ColumnName } from '../boards.schemas.js';
import { WithFields } from '../cards/chosen-fields.js';
import { STATUSES } from '../columns.js';

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
  }),
);
export type MasterList = Static<typeof MasterList>;

export const MasterQuery = Type.Object({
  board_ids: Type.Optional(Described('Only these boards.', Text)),
  board_type: Type.Optional(Described('Only boards of these types: build, crm, general.', Text)),
  column_names: Type.Optional(
    Described('Only columns of these names, whatever their case, such as `In Progress,Review`.', Text),
  ),
  status: Type.Optional(Described('pending, in_progress, in_review, blocked, done, canceled.', Text)),
  has_pr: Type.Optional(
    Type.Boolean({ description: 'true: only cards with a pull request; false: only those without.' }),
  ),
  since: Type.Optional(Described('Only cards changed at or after this ISO time.', Text)),
  assignee: Type.Optional(Described('Only cards of these people: `me`, `none`, user ids.', Text)),
  agent: Type.Optional(Described('Only cards of these agents: `any`, `none`, agent ids.', Text)),
  priority: Type.Optional(Described('Only these priorities.', Text)),
  labels: Type.Optional(Described('Only cards with one of these labels.', Text)),
  q: Type.Optional(
    Described(
      'Words that all stand in the title; a ref such as `ENG-12` finds its card, and as the whole of `q` lists it first.',
      Type.String({ maxLength: 500 }),
    ),
  ),
  due_before: Type.Optional(Described('Only cards due before this ISO time.', Text)),
  with: WithFields,
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 500, description: 'How many on a page.' }),
  cursor: Type.Optional(Described('`next_cursor` of the page before.', Text)),
});
export type MasterQuery = Static<typeof MasterQuery>;
