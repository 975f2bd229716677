import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';
import {
  BOARD_TYPES,
  BODY_FIELDS,
  DETAIL_LEVELS,
  STANDARD_FIELDS,
  STATUSES,
  SUMMARY_FIELDS,
  TASK_TYPES,
} from './boards.card-fields.js';

const Text = Type.String();
const OptionalText = Nullable(Text);
const Count = Type.Integer({ minimum: 0 });

export const Person = Closed({ user_id: Type.Integer(), name: Text });
export type Person = Static<typeof Person>;

export const ColumnName = Closed({ id: Uuid, name: Text });

const FullCardFields = {
  id: Uuid,
  ref: Text,
  number: Type.Integer(),
  board_id: Uuid,
  board: Text,
  brand_id: Type.Integer(),
  project_id: Nullable(Uuid),
  title: Text,
  task_type: OneOf(TASK_TYPES),
  status: OneOf(STATUSES),
  column: ColumnName,
  position: Type.Number(),
  priority: Text,
  labels: Type.Array(Text),
  assignee: Nullable(Person),
  assignee_agent_id: OptionalText,
  reporter: Nullable(Person),
  watchers: Type.Array(Person),
  parent_id: Nullable(Uuid),
  child_ids: Type.Array(Uuid),
  blocked_by: Type.Array(Uuid),
  blocks: Type.Array(Uuid),
  description_excerpt: OptionalText,
  due_at: Nullable(Timestamp),
  start_at: Nullable(Timestamp),
  estimate_points: Nullable(Type.Number()),
  estimate_minutes: Nullable(Count),
  time_spent_minutes: Count,
  agent_context: Type.Object({ profile: Type.Optional(OptionalText) }, { additionalProperties: true }),
  environment_id: Nullable(Uuid),
  runtime: OptionalText,
  hire_id: Nullable(Uuid),
  attempt: Count,
  max_attempts: Count,
  queued_at: Nullable(Timestamp),
  claimed_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
  last_heartbeat_at: Nullable(Timestamp),
  progress_percent: Nullable(Type.Number()),
  branch: OptionalText,
  base_branch: OptionalText,
  commit_sha: OptionalText,
  pr_number: Nullable(Type.Integer()),
  pr_url: OptionalText,
  pr_state: OptionalText,
  checks_state: OptionalText,
  review_state: OptionalText,
  merged_at: Nullable(Timestamp),
  deploy_url: OptionalText,
  cost_usd: Type.Number(),
  tokens_in: Count,
  tokens_out: Count,
  error_code: OptionalText,
  error_message: OptionalText,
  comment_count: Count,
  attachment_count: Count,
  checklist_done: Count,
  checklist_total: Count,
  source: OptionalText,
  external_url: OptionalText,
  archived: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  version: Type.Integer({ minimum: 1 }),
  instructions: OptionalText,
  result: OptionalText,
};

type FieldName = keyof typeof FullCardFields;

const pickFields = <const F extends readonly FieldName[]>(names: F) =>
  Closed(
    Object.fromEntries(names.map((name) => [name, FullCardFields[name]])) as Pick<
      typeof FullCardFields,
      F[number]
    >,
  );

export const SummaryCard = pickFields(SUMMARY_FIELDS);
export const StandardCard = pickFields(STANDARD_FIELDS);
export const FullCard = pickFields([...STANDARD_FIELDS, ...BODY_FIELDS]);
export type FullCard = Static<typeof FullCard>;
export type StandardCard = Static<typeof StandardCard>;

const CardPage = <T extends typeof SummaryCard | typeof StandardCard | typeof FullCard>(card: T) =>
  Closed({ items: Type.Array(card), total: Count, page: Type.Integer(), per_page: Type.Integer() });

export const CardList = Type.Union([CardPage(StandardCard), CardPage(SummaryCard), CardPage(FullCard)]);

export const Change = Closed({ from: Type.Unknown(), to: Type.Unknown() });
export const Changes = Type.Record(Text, Change);
export type Changes = Record<string, { from: unknown; to: unknown }>;

export const Receipt = Closed({
  task_id: Uuid,
  changed: Changes,
  from_column: OptionalText,
  to_column: OptionalText,
});
export type Receipt = Static<typeof Receipt>;

export const MasterList = Closed({
  items: Type.Array(
    Closed({
      id: Uuid,
      ref: Text,
      title: Text,
      board: Text,
      column: ColumnName,
      status: OneOf(STATUSES),
      pr_number: Nullable(Type.Integer()),
      branch: OptionalText,
      updated_at: Timestamp,
    }),
  ),
  total: Count,
});

export const ActivityEntry = Closed({
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
  ref: OptionalText,
  actor: Nullable(Person),
  changes: Changes,
});
export type ActivityEntry = Static<typeof ActivityEntry>;
export type Action = ActivityEntry['action'];

export const ActivityPage = Closed({ items: Type.Array(ActivityEntry), next_cursor: Text });

const BoardColumn = Closed({ id: Uuid, name: Text, status: OneOf(STATUSES) });

export const Board = Closed({
  board_id: Uuid,
  name: Text,
  key: Text,
  board_type: OneOf(BOARD_TYPES),
  columns: Type.Array(BoardColumn),
  created_at: Timestamp,
});
export type Board = Static<typeof Board>;

export const BoardList = Closed({ boards: Type.Array(Board), total: Count });

export const Comment = Closed({
  id: Uuid,
  task_id: Uuid,
  author: Nullable(Person),
  body: Text,
  created_at: Timestamp,
});
export const CommentList = Closed({ comments: Type.Array(Comment), total: Count });

export const GUEST_LEVELS = ['viewer', 'commenter', 'editor'] as const;
export type GuestLevel = (typeof GUEST_LEVELS)[number];

export const BoardGuest = Closed({
  board_id: Uuid,
  user_id: Type.Integer(),
  email: Text,
  full_name: Text,
  role: OneOf(GUEST_LEVELS),
  created_at: Timestamp,
});
export type BoardGuest = Static<typeof BoardGuest>;
export const BoardGuestList = Closed({ guests: Type.Array(BoardGuest), total: Count });

// --- what a caller sends ------------------------------------------------------------------------

const NonBlank = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', rule: 'must not be blank' });

const ColumnInput = Closed({ name: NonBlank(100), status: OneOf(STATUSES) });
const KeptColumnInput = Closed({ id: Type.Optional(Uuid), name: NonBlank(100), status: OneOf(STATUSES) });
const MOST_COLUMNS = 100;

export const BoardInput = Closed({
  name: NonBlank(200),
  board_type: Type.Optional(OneOf(BOARD_TYPES)),
  columns: Type.Optional(Type.Array(ColumnInput, { minItems: 1, maxItems: MOST_COLUMNS })),
});
export type BoardInput = Static<typeof BoardInput>;

export const BoardPatch = Closed({
  name: Type.Optional(NonBlank(200)),
  columns: Type.Optional(Type.Array(KeptColumnInput, { minItems: 1, maxItems: MOST_COLUMNS })),
});
export type BoardPatch = Static<typeof BoardPatch>;

export const CommentInput = Closed({ body: NonBlank(65_536) });
export const GuestInput = Closed({ role: OneOf(GUEST_LEVELS) });

const Page = Type.Integer({ minimum: 1, default: 1 });
const perPage = (standard: number) => Type.Integer({ minimum: 1, maximum: 500, default: standard });

export const CardListQuery = Type.Object({
  detail: Type.Optional(OneOf(DETAIL_LEVELS)),
  page: Page,
  per_page: perPage(50),
});

export const ListQuery = Type.Object({ page: Page, per_page: perPage(500) });

export const ReturnQuery = Type.Object({ return: Type.Optional(OneOf(['full', 'receipt'])) });

export const MasterQuery = Type.Object({
  board_ids: Type.Optional(Text),
  board_type: Type.Optional(Text),
  column_names: Type.Optional(Text),
  status: Type.Optional(Text),
  has_pr: Type.Optional(Type.Boolean()),
  since: Type.Optional(Text),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 500 }),
});
export type MasterQuery = Static<typeof MasterQuery>;

export const ActivityQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  since: Type.Optional(Text),
});

export const StreamQuery = Type.Object({ since: Type.Optional(Text) });

export const ExportQuery = Type.Object({
  detail: Type.Optional(OneOf(DETAIL_LEVELS)),
  columns: Type.Optional(Text),
});
