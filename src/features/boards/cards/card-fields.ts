import { type TSchema, Type } from 'typebox';
import type { Tables } from '../../../platform/database/database.js';
import { Nullable, Uuid } from '../../../platform/http/declaration/schemas.js';
import {
  agent,
  agentContext,
  amount,
  blockers,
  body,
  Count,
  choice,
  column,
  count,
  flag,
  instant,
  type Kind,
  labels,
  largeCount,
  moment,
  optionalAmount,
  optionalCount,
  ordinal,
  parent,
  people,
  percentage,
  person,
  position,
  status,
  Text,
  text,
  thing,
  title,
  webAddress,
  word,
} from './field-kinds.js';

export const DETAIL_LEVELS = ['summary', 'standard', 'full'] as const;
export type DetailLevel = (typeof DETAIL_LEVELS)[number];

export const TASK_TYPES = ['coding', 'docs', 'research', 'design', 'test'] as const;

export type CardColumn = keyof Tables['cards'];
export type BodyColumn = Exclude<keyof Tables['card_bodies'], 'card_id' | 'export_bytes'>;
export type Bodies = Record<BodyColumn, string | null>;

/** `anyone`: everyone who can change cards. `members`: members and agents only. `no one`: read-only. */
type ChangedBy = 'anyone' | 'members' | 'service' | 'no one';

export interface CardField extends Partial<Kind> {
  shown: TSchema;
  changedBy: ChangedBy;
  /** The lowest detail level that shows it. */
  detail: DetailLevel;
  /** The column that stores it, if named differently; `nowhere`: computed. */
  column?: CardColumn;
  kept: 'card' | 'body' | 'nowhere';
  exported: 'line' | 'heading' | 'block';
  receipt: 'value' | 'name';
  inActivity: 'whole' | 'beginning';
}

type Declared<K, A extends ChangedBy, D extends DetailLevel> = Omit<
  CardField,
  keyof K | 'changedBy' | 'detail'
> &
  K & { changedBy: A; detail: D };

const declare =
  <A extends ChangedBy>(changedBy: A) =>
  <K extends Partial<Kind> & { shown: TSchema }, D extends DetailLevel = 'standard'>(
    kind: K,
    { detail = 'standard' as D, ...extras }: Partial<Omit<CardField, 'detail'>> & { detail?: D } = {},
  ): Declared<K, A, D> => ({
    kept: 'card',
    exported: 'line',
    receipt: 'value',
    inActivity: 'whole',
    ...kind,
    ...extras,
    changedBy,
    detail,
  });

const open = declare('anyone');
const members = declare('members');
const service = declare('service');
const fixed = declare('no one');

const zero = { shown: Count, empty: () => 0 };
const derived = { kept: 'nowhere' } as const;
const summary = { detail: 'summary' } as const;

/**
 * All fields of a card, in the order of every answer. Schemas, rows, detail levels, receipts and exports are derived
 * from this table.
 */
export const CARD_FIELDS = {
  id: fixed({ shown: Uuid }, { ...summary, column: 'card_id' }),
  ref: fixed({ shown: Text }, { ...summary, ...derived, exported: 'heading' }),
  number: fixed({ shown: Type.Integer() }),
  board_id: fixed({ shown: Uuid }),
  board: service({ shown: Text }, derived),
  brand_id: fixed({ shown: Type.Integer() }),
  project_id: open(thing('project')),
  title: open(title, { ...summary, exported: 'heading' }),
  task_type: open(choice(TASK_TYPES, 'coding')),
  status: open(status, summary),
  column: open(column, { ...summary, column: 'column_id', receipt: 'name' }),
  position: open(position),
  priority: open(word(50, 'normal')),
  labels: open(labels),
  assignee: open(
    {
      ...person,
      show: (id: number | null, row) => (id === null ? null : { user_id: id, name: row.assignee_name ?? '' }),
    },
    { ...summary, column: 'assignee_user_id' },
  ),
  assignee_agent_id: members(agent),
  reporter: open(
    {
      ...person,
      show: (id: number | null, row) => (id === null ? null : { user_id: id, name: row.reporter_name ?? '' }),
    },
    { column: 'reporter_user_id' },
  ),
  watchers: open(people, { column: 'watcher_user_ids' }),
  parent_id: open(parent),
  child_ids: service({ shown: Type.Array(Uuid) }, derived),
  blocked_by: open(blockers, derived),
  blocks: service({ shown: Type.Array(Uuid) }, derived),
  description_excerpt: service({ shown: Nullable(Text) }),
  due_at: open(instant),
  start_at: open(instant),
  estimate_points: open(optionalAmount),
  estimate_minutes: open(optionalCount),
  time_spent_minutes: open(count(0)),
  agent_context: members(agentContext),
  environment_id: members(thing('environment')),
  runtime: members(text(100)),
  hire_id: members(thing('hire')),
  attempt: open(count(0)),
  max_attempts: members(count(3)),
  queued_at: service(instant),
  claimed_at: service(instant),
  started_at: service(instant),
  completed_at: service(instant),
  last_heartbeat_at: service(instant),
  progress_percent: open(percentage),
  branch: open(text(255), summary),
  base_branch: open(text(255)),
  commit_sha: open(text(100)),
  pr_number: open(ordinal, summary),
  pr_url: open(webAddress, summary),
  pr_state: open(text(50), summary),
  checks_state: open(text(50), summary),
  review_state: open(text(50)),
  merged_at: open(instant),
  deploy_url: open(webAddress),
  cost_usd: open(amount(0)),
  tokens_in: open(largeCount(0)),
  tokens_out: open(largeCount(0)),
  error_code: open(text(100)),
  error_message: open(text(20_000), { inActivity: 'beginning' }),
  comment_count: service(zero),
  attachment_count: service(zero),
  checklist_done: open(count(0)),
  checklist_total: open(count(0)),
  source: open(text(100)),
  external_url: open(webAddress),
  archived: open(flag(false)),
  created_at: fixed(moment),
  updated_at: service(moment),
  version: service({ shown: Type.Integer({ minimum: 1 }) }),
  instructions: open(body, {
    detail: 'full',
    kept: 'body',
    exported: 'block',
    inActivity: 'beginning',
  }),
  result: open(body, { detail: 'full', kept: 'body', exported: 'block', inActivity: 'beginning' }),
};

type Fields = typeof CARD_FIELDS;
export type FieldName = keyof Fields;
type NamesAt<D extends DetailLevel> = {
  [K in FieldName]: Fields[K]['detail'] extends D ? K : never;
}[FieldName];
export type ChangeableName = {
  [K in FieldName]: Fields[K]['changedBy'] extends 'anyone' | 'members' ? K : never;
}[FieldName];

export interface NamesOf {
  summary: NamesAt<'summary'>;
  standard: NamesAt<'summary' | 'standard'>;
  full: FieldName;
}

export const fieldOf = (name: FieldName): CardField => CARD_FIELDS[name];

export const FIELD_NAMES = Object.keys(CARD_FIELDS) as FieldName[];

export const namesAt = <D extends DetailLevel>(level: D): NamesOf[D][] =>
  FIELD_NAMES.filter(
    (name) => DETAIL_LEVELS.indexOf(fieldOf(name).detail) <= DETAIL_LEVELS.indexOf(level),
  ) as NamesOf[D][];

export const isChangeable = (name: FieldName): name is ChangeableName =>
  ['anyone', 'members'].includes(fieldOf(name).changedBy);

export const columnOf = (name: FieldName): CardColumn | undefined => {
  const { kept, column } = fieldOf(name);
  return kept === 'card' ? (column ?? (name as CardColumn)) : undefined;
};

export const FIELD_MEANINGS: Record<ChangeableName, string> = {
  project_id: 'Project of the card, as list_projects shows it.',
  title: 'The title in one line.',
  task_type: 'Kind of work. Default: `coding`.',
  status: 'Moves the card to the first column of this status.',
  column: 'Column by name or id, such as `In Progress`.',
  position: 'Position in the column, smallest first.',
  priority: 'Priority, such as `low`, `normal` or `high`.',
  labels: 'All labels of the card.',
  assignee: 'Person who does it, by user_id.',
  assignee_agent_id: 'Agent that does it, as list_agents shows it.',
  reporter: 'Person who requested it, by user_id.',
  watchers: 'People who follow it, by user_id.',
  parent_id: 'Parent card, by ref or id.',
  blocked_by: 'All cards that must be done first, by ref or id.',
  due_at: 'When it is due.',
  start_at: 'When work should start.',
  estimate_points: 'Estimated size, in points of your own.',
  estimate_minutes: 'Estimated duration, in minutes.',
  time_spent_minutes: 'Time spent so far, in minutes.',
  agent_context:
    'Settings for the agent: `profile` names a coder profile, `checks` are up to 10 checks for its builds; other keys are yours.',
  environment_id: 'Desk to build on.',
  runtime: 'Coder, such as `claude_code`.',
  hire_id: 'Hired employee who does it.',
  attempt: 'Number of attempts so far.',
  max_attempts: 'Maximum number of attempts. Default: 3.',
  progress_percent: 'Progress, 0 to 100.',
  branch: 'Branch with the work.',
  base_branch: 'Branch to merge into.',
  commit_sha: 'Latest commit of the work.',
  pr_number: 'Number of the pull request.',
  pr_url: 'Address of the pull request.',
  pr_state: '`draft`, `open`, `merged` or `closed`.',
  checks_state: '`pending`, `passing`, `failing` or `none`.',
  review_state: '`none`, `requested`, `changes_requested` or `approved`.',
  merged_at: 'When the work was merged.',
  deploy_url: 'Address of a running deployment.',
  cost_usd: 'Cost of the work, in US dollars.',
  tokens_in: 'Input tokens used.',
  tokens_out: 'Output tokens used.',
  error_code: 'Machine-readable error.',
  error_message: 'Human-readable error.',
  checklist_done: 'Checklist items done.',
  checklist_total: 'Checklist items in total.',
  source: 'Origin of the card, such as `email`.',
  external_url: 'Address of the original, such as in an issue tracker.',
  archived: '`true` hides the card without deleting it.',
  instructions: 'The instructions, as Markdown of up to 1 MiB.',
  result: 'Outcome, in full; Markdown of up to 1 MiB.',
};
