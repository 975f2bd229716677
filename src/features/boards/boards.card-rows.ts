import type { Static } from 'typebox';
import type { Status } from './boards.card-fields.js';
import type { Person, StandardCard, SummaryCard } from './boards.schemas.js';

export interface SummaryRow {
  card_id: string;
  ref: string;
  title: string;
  status: Status;
  column_id: string;
  column_name: string;
  assignee_user_id: number | null;
  assignee_name: string | null;
  branch: string | null;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
  checks_state: string | null;
}

type Card = StandardCard;

/** A card's row, with what is joined to it: dates are dates, and people are a number and a name. */
export type CardRow = Omit<
  Card,
  'id' | 'column' | 'assignee' | 'reporter' | 'created_at' | 'updated_at' | DateField
> &
  Record<DateField, Date | null> & {
    card_id: string;
    column_id: string;
    column_name: string;
    assignee_user_id: number | null;
    assignee_name: string | null;
    reporter_user_id: number | null;
    reporter_name: string | null;
    created_at: Date;
    updated_at: Date;
  };

type DateField =
  | 'due_at'
  | 'start_at'
  | 'queued_at'
  | 'claimed_at'
  | 'started_at'
  | 'completed_at'
  | 'last_heartbeat_at'
  | 'merged_at';

const person = (id: number | null, name: string | null): Person | null =>
  id === null ? null : { user_id: id, name: name ?? '' };

const instant = (date: Date | null): string | null => (date === null ? null : date.toISOString());

export const toSummaryCard = (row: SummaryRow): Static<typeof SummaryCard> => ({
  id: row.card_id,
  ref: row.ref,
  title: row.title,
  status: row.status,
  column: { id: row.column_id, name: row.column_name },
  assignee: person(row.assignee_user_id, row.assignee_name),
  branch: row.branch,
  pr_number: row.pr_number,
  pr_url: row.pr_url,
  pr_state: row.pr_state,
  checks_state: row.checks_state,
});

/** Written out field by field: this is the order in which a card is answered. */
export const toStandardCard = (row: CardRow): Card => ({
  id: row.card_id,
  ref: row.ref,
  number: row.number,
  board_id: row.board_id,
  board: row.board,
  brand_id: row.brand_id,
  project_id: row.project_id,
  title: row.title,
  task_type: row.task_type,
  status: row.status,
  column: { id: row.column_id, name: row.column_name },
  position: row.position,
  priority: row.priority,
  labels: row.labels,
  assignee: person(row.assignee_user_id, row.assignee_name),
  assignee_agent_id: row.assignee_agent_id,
  reporter: person(row.reporter_user_id, row.reporter_name),
  watchers: row.watchers,
  parent_id: row.parent_id,
  child_ids: row.child_ids,
  blocked_by: row.blocked_by,
  blocks: row.blocks,
  description_excerpt: row.description_excerpt,
  due_at: instant(row.due_at),
  start_at: instant(row.start_at),
  estimate_points: row.estimate_points,
  estimate_minutes: row.estimate_minutes,
  time_spent_minutes: row.time_spent_minutes,
  agent_context: row.agent_context,
  environment_id: row.environment_id,
  runtime: row.runtime,
  hire_id: row.hire_id,
  attempt: row.attempt,
  max_attempts: row.max_attempts,
  queued_at: instant(row.queued_at),
  claimed_at: instant(row.claimed_at),
  started_at: instant(row.started_at),
  completed_at: instant(row.completed_at),
  last_heartbeat_at: instant(row.last_heartbeat_at),
  progress_percent: row.progress_percent,
  branch: row.branch,
  base_branch: row.base_branch,
  commit_sha: row.commit_sha,
  pr_number: row.pr_number,
  pr_url: row.pr_url,
  pr_state: row.pr_state,
  checks_state: row.checks_state,
  review_state: row.review_state,
  merged_at: instant(row.merged_at),
  deploy_url: row.deploy_url,
  cost_usd: row.cost_usd,
  tokens_in: row.tokens_in,
  tokens_out: row.tokens_out,
  error_code: row.error_code,
  error_message: row.error_message,
  comment_count: row.comment_count,
  attachment_count: row.attachment_count,
  checklist_done: row.checklist_done,
  checklist_total: row.checklist_total,
  source: row.source,
  external_url: row.external_url,
  archived: row.archived,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  version: row.version,
});
