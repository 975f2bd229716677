// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, ServerEvent, StreamOptions } from '../core/options.js';
import type { Actor, Invitation } from './shared.generated.js';

export interface ActivityEntry {
  id: string;
  action:
    | 'task.created'
    | 'task.updated'
    | 'task.moved'
    | 'task.commented'
    | 'task.deleted'
    | 'board.created'
    | 'board.updated';
  created_at: string;
  task_id: string | null;
  ref: string | null;
  actor: Actor | null;
  changes: Changes;
}

export interface ActivityPage {
  items: ActivityEntry[];
  next_cursor: string;
}

export interface AgentContext {
  /** Key of a coder profile, such as `claude.coding`. */
  profile?: string | null;
}

export interface Attachment {
  id: string;
  task_id: string;
  comment_id: string | null;
  name: string;
  /** Detected from the bytes. */
  content_type: string;
  bytes: number;
  url: string;
  thumbnail_url: string | null;
  author: Actor | null;
  created_at: string;
  from_guest?: true;
}

export interface AttachmentList {
  attachments: Attachment[];
  total: number;
}

export interface Board {
  board_id: string;
  name: string;
  key: string;
  board_type: 'build' | 'crm' | 'general';
  columns: BoardColumn[];
  created_at: string;
  /** Your role in the workspace, or your level as a guest. */
  your_role: 'admin' | 'member' | 'editor' | 'commenter' | 'viewer';
  /** Number of cards that are not archived. */
  card_count?: number;
  /** Number of these that are neither done nor canceled. */
  open_count?: number;
  last_activity_at?: string;
}

export interface BoardColumn {
  id: string;
  name: string;
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
}

export interface BoardGuest {
  board_id: string;
  user_id: number;
  email: string;
  full_name: string;
  role: 'viewer' | 'commenter' | 'editor';
  created_at: string;
}

export interface BoardGuestList {
  guests: BoardGuest[];
  total: number;
}

export interface BoardList {
  boards: Board[];
  total: number;
}

export interface Card {
  id: string;
  ref: string;
  number: number;
  board_id: string;
  board: string;
  brand_id: number;
  project_id: string | null;
  title: string;
  task_type: 'coding' | 'docs' | 'research' | 'design' | 'test';
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  column: ColumnRef;
  position: number;
  priority: string;
  labels: string[];
  assignee: Person | null;
  assignee_agent_id: string | null;
  reporter: Person | null;
  watchers: Person[];
  parent_id: string | null;
  child_ids: string[];
  blocked_by: string[];
  blocks: string[];
  description_excerpt: string | null;
  due_at: string | null;
  start_at: string | null;
  estimate_points: number | null;
  estimate_minutes: number | null;
  time_spent_minutes: number;
  agent_context: AgentContext;
  environment_id: string | null;
  runtime: string | null;
  hire_id: string | null;
  attempt: number;
  max_attempts: number;
  queued_at: string | null;
  claimed_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  last_heartbeat_at: string | null;
  progress_percent: number | null;
  branch: string | null;
  base_branch: string | null;
  commit_sha: string | null;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
  checks_state: string | null;
  review_state: string | null;
  merged_at: string | null;
  deploy_url: string | null;
  cost_usd: number;
  tokens_in: number;
  tokens_out: number;
  error_code: string | null;
  error_message: string | null;
  comment_count: number;
  attachment_count: number;
  checklist_done: number;
  checklist_total: number;
  source: string | null;
  external_url: string | null;
  archived: boolean;
  created_at: string;
  updated_at: string;
  version: number;
}

export interface CardActivity {
  items: ActivityEntry[];
  total: number;
}

export type CardList = {
  items: Card[];
  total: number;
  page: number;
  per_page: number;
  next_cursor?: string | null;
} | {
  items: CardSummary[];
  total: number;
  page: number;
  per_page: number;
  next_cursor?: string | null;
} | {
  items: FullCard[];
  total: number;
  page: number;
  per_page: number;
  next_cursor?: string | null;
};

export interface CardOutcome {
  task_id: string;
  changed: Changes;
  from_column: string | null;
  to_column: string | null;
  version: number | null;
  /** Fields that kept their values because they have changed since `seen`. */
  kept: string[];
  refused: string | null;
}

/** Fields of a card: absent keeps, null clears, a value sets. */
export interface CardPatch {
  /** Project of the card, as list_projects shows it. */
  project_id?: string | null;
  /** The title in one line. */
  title?: string;
  /** Kind of work. Default: `coding`. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** Moves the card to the first column of this status. */
  status?: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  /** Column by name or id, such as `In Progress`. */
  column?: string | {
    /** Id of the column. */
    id?: string;
    /** Name of the column. */
    name?: string;
  };
  /** Position in the column, smallest first. */
  position?: number | null;
  /** Priority, such as `low`, `normal` or `high`. */
  priority?: string | null;
  /** All labels of the card. */
  labels?: string[] | null;
  /** Person who does it, by user_id. */
  assignee?: PersonInput | null;
  /** Agent that does it, as list_agents shows it. */
  assignee_agent_id?: string | null;
  /** Person who requested it, by user_id. */
  reporter?: PersonInput | null;
  /** People who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** Parent card, by ref or id. */
  parent_id?: string | null;
  /** All cards that must be done first, by ref or id. */
  blocked_by?: string[] | null;
  /** When it is due. */
  due_at?: string | null;
  /** When work should start. */
  start_at?: string | null;
  /** Estimated size, in points of your own. */
  estimate_points?: number | null;
  /** Estimated duration, in minutes. */
  estimate_minutes?: number | null;
  /** Time spent so far, in minutes. */
  time_spent_minutes?: number | null;
  /**
   * Settings for the agent: `profile` names a coder profile, `checks` are up to 10 checks for its builds;
   * other keys are yours.
   */
  agent_context?: AgentContext | null;
  /** Desk to build on. */
  environment_id?: string | null;
  /** Coder, such as `claude_code`. */
  runtime?: string | null;
  /** Hired employee who does it. */
  hire_id?: string | null;
  /** Number of attempts so far. */
  attempt?: number | null;
  /** Maximum number of attempts. Default: 3. */
  max_attempts?: number | null;
  /** Progress, 0 to 100. */
  progress_percent?: number | null;
  /** Branch with the work. */
  branch?: string | null;
  /** Branch to merge into. */
  base_branch?: string | null;
  /** Latest commit of the work. */
  commit_sha?: string | null;
  /** Number of the pull request. */
  pr_number?: number | null;
  /** Address of the pull request. */
  pr_url?: string | null;
  /** `draft`, `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** `pending`, `passing`, `failing` or `none`. */
  checks_state?: string | null;
  /** `none`, `requested`, `changes_requested` or `approved`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Address of a running deployment. */
  deploy_url?: string | null;
  /** Cost of the work, in US dollars. */
  cost_usd?: number | null;
  /** Input tokens used. */
  tokens_in?: number | null;
  /** Output tokens used. */
  tokens_out?: number | null;
  /** Machine-readable error. */
  error_code?: string | null;
  /** Human-readable error. */
  error_message?: string | null;
  /** Checklist items done. */
  checklist_done?: number | null;
  /** Checklist items in total. */
  checklist_total?: number | null;
  /** Origin of the card, such as `email`. */
  source?: string | null;
  /** Address of the original, such as in an issue tracker. */
  external_url?: string | null;
  /** `true` hides the card without deleting it. */
  archived?: boolean | null;
  /** The instructions, as Markdown of up to 1 MiB. */
  instructions?: string | null;
  /** Outcome, in full; Markdown of up to 1 MiB. */
  result?: string | null;
  /** Id of the column. */
  column_id?: string;
  /** Name of the column. */
  column_name?: string;
  /** Places the card before this card of its column, by ref or id. Instead of `position`. */
  before?: string;
  /** Places the card after this card, by ref or id. */
  after?: string;
  /** Ignored. Send it in the query string. */
  return?: unknown;
}

export interface CardReceipt {
  task_id: string;
  changed: Changes;
  from_column: string | null;
  to_column: string | null;
}

export interface CardSummary {
  id: string;
  ref: string;
  title: string;
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  column: ColumnRef;
  assignee: Person | null;
  branch: string | null;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
  checks_state: string | null;
}

export type Changes = Record<string, {
  from: unknown;
  to: unknown;
}>;

export interface ColumnInput {
  /** Name of the column, without a comma. */
  name: string;
  /** Status of the cards in the column. */
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
}

export interface ColumnPatch {
  /** Id of an existing column, to keep it under a new name. */
  id?: string;
  /** Name of the column, without a comma. */
  name: string;
  /** Status of the cards in the column. */
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
}

export interface ColumnRef {
  id: string;
  name: string;
}

export interface Comment {
  id: string;
  task_id: string;
  author: Actor | null;
  body: string;
  created_at: string;
  /** In lists: whether a guest wrote it. */
  from_guest?: true;
}

export interface CommentList {
  comments: Comment[];
  total: number;
}

export interface FoundCardPage {
  items: {
    id: string;
    ref: string;
    title: string;
    board: string;
    column: ColumnRef;
    status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
    pr_number: number | null;
    branch: string | null;
    updated_at: string;
  }[];
  total: number;
  next_cursor: string | null;
  /** Number of matching cards by value of `count_by`. */
  counts?: {
    value: string | null;
    cards: number;
  }[];
}

export interface FullCard {
  id: string;
  ref: string;
  number: number;
  board_id: string;
  board: string;
  brand_id: number;
  project_id: string | null;
  title: string;
  task_type: 'coding' | 'docs' | 'research' | 'design' | 'test';
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  column: ColumnRef;
  position: number;
  priority: string;
  labels: string[];
  assignee: Person | null;
  assignee_agent_id: string | null;
  reporter: Person | null;
  watchers: Person[];
  parent_id: string | null;
  child_ids: string[];
  blocked_by: string[];
  blocks: string[];
  description_excerpt: string | null;
  due_at: string | null;
  start_at: string | null;
  estimate_points: number | null;
  estimate_minutes: number | null;
  time_spent_minutes: number;
  agent_context: AgentContext;
  environment_id: string | null;
  runtime: string | null;
  hire_id: string | null;
  attempt: number;
  max_attempts: number;
  queued_at: string | null;
  claimed_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  last_heartbeat_at: string | null;
  progress_percent: number | null;
  branch: string | null;
  base_branch: string | null;
  commit_sha: string | null;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
  checks_state: string | null;
  review_state: string | null;
  merged_at: string | null;
  deploy_url: string | null;
  cost_usd: number;
  tokens_in: number;
  tokens_out: number;
  error_code: string | null;
  error_message: string | null;
  comment_count: number;
  attachment_count: number;
  checklist_done: number;
  checklist_total: number;
  source: string | null;
  external_url: string | null;
  archived: boolean;
  created_at: string;
  updated_at: string;
  version: number;
  instructions: string | null;
  result: string | null;
  /** Names of the texts that a guest wrote. For coders only. */
  from_guest?: string[];
}

export interface Import {
  import_id: string;
  board_id: string;
  source: 'github' | 'gitlab' | 'linear' | 'jira' | 'trello' | 'csv';
  /** The name of the file or repository. */
  name: string;
  status: 'reading' | 'ready' | 'running' | 'done' | 'failed';
  counts: {
    new: number;
    known: number;
    unreadable: number;
    made: number;
  };
  /**
   * The states in the source. `to` is the column or status of their cards; where it is null, `mapping` must
   * name one.
   */
  states: {
    name: string;
    cards: number;
    to: string | null;
  }[];
  people: {
    matched: {
      name: string;
      email: string;
      user_id: number;
    }[];
    /** Logins, or names, without a matching person. Map them with `users`. */
    unmatched: string[];
  };
  /** Data that cannot be imported, with the number of cards. */
  lost: {
    what: string;
    cards: number;
  }[];
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface ImportRowList {
  rows: {
    row: number;
    status: 'new' | 'known' | 'unreadable' | 'made';
    title: string | null;
    state: string | null;
    assignee: string | null;
    external_url: string | null;
    comments: number;
    reason: string | null;
    task: string | null;
  }[];
  next_cursor: string | null;
}

export interface Person {
  user_id: number;
  name: string;
}

export type PersonInput = number | {
  /** User id, as list_members shows it. */
  user_id: number;
  /** Ignored; the id identifies the person. */
  name?: string;
};

export interface PullRequest {
  number: number;
  url: string;
  state: 'draft' | 'open' | 'merged' | 'closed';
  draft: boolean;
  head: {
    branch: string;
    sha: string | null;
  };
  base: {
    branch: string;
    sha: string | null;
  };
  mergeable: boolean | null;
  checks: {
    name: string;
    state: 'pending' | 'passing' | 'failing' | 'none';
    url: string | null;
    summary: string | null;
  }[];
  reviews: {
    author: string;
    state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
    body: string;
    at: string;
  }[];
  comments: {
    path: string;
    line: number | null;
    author: string;
    body: string;
    at: string;
  }[];
  seen_at: string | null;
}

export interface ListBoardActivityArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Number of entries on a page. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  since?: string;
}

export interface StreamBoardActivityArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Cursor to start after. Default: new entries only. */
  since?: string;
}

export interface CreateBoardArguments {
  /** Name of the board. */
  name: string;
  /** Type of the board. Default: `build`. */
  board_type?: 'build' | 'crm' | 'general';
  /** Columns from left to right. */
  columns?: ColumnInput[];
}

export interface ListBoardsArguments {
  /** Page number, from 1. */
  page?: number;
  /** Number of items on a page. */
  per_page?: number;
  /** `true`: also return card counts and the time of the last activity. */
  with_counts?: boolean;
}

export interface GetBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
}

export interface UpdateBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Name of the board. */
  name?: string;
  /** All columns from left to right. */
  columns?: ColumnPatch[];
}

export interface DeleteBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
}

export interface ExportBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Fields of each card. Default: `standard`. */
  detail?: 'summary' | 'standard' | 'full';
  /** Names of columns, comma-separated. Default: all. */
  columns?: string;
}

export interface InviteBoardGuestArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Only its owner can accept. */
  email: string;
  /** The level. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface ListBoardGuestsArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
}

export interface PutBoardGuestArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** User outside the workspace. */
  user_id: number;
  /** Level of the guest. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface RemoveBoardGuestArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** User outside the workspace. */
  user_id: number;
}

export interface CreateImportArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** The program that exported the file. */
  source?: 'github' | 'gitlab' | 'linear' | 'jira' | 'trello' | 'csv';
  /** The exported file */
  file: Blob;
}

export interface CreateHostImportArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** The project whose repository host has the issues. */
  project_id: string;
}

export interface ListBoardTasksArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Fields of each card. Default: `standard`. */
  detail?: 'summary' | 'standard' | 'full';
  /** Page number, from 1. */
  page?: number;
  /** Number of items on a page. */
  per_page?: number;
  /** More fields of each card, such as `priority,labels`; any field of `detail=standard`. */
  with?: string;
  /** Instead of `page`: empty for the first page, then `next_cursor`. */
  cursor?: string;
}

export interface CreateTaskArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Project of the card, as list_projects shows it. */
  project_id?: string | null;
  /** The title in one line. */
  title: string;
  /** Kind of work. Default: `coding`. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** Moves the card to the first column of this status. */
  status?: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  /** Column by name or id, such as `In Progress`. */
  column?: string | {
    /** Id of the column. */
    id?: string;
    /** Name of the column. */
    name?: string;
  };
  /** Position in the column, smallest first. */
  position?: number | null;
  /** Priority, such as `low`, `normal` or `high`. */
  priority?: string | null;
  /** All labels of the card. */
  labels?: string[] | null;
  /** Person who does it, by user_id. */
  assignee?: PersonInput | null;
  /** Agent that does it, as list_agents shows it. */
  assignee_agent_id?: string | null;
  /** Person who requested it, by user_id. */
  reporter?: PersonInput | null;
  /** People who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** Parent card, by ref or id. */
  parent_id?: string | null;
  /** All cards that must be done first, by ref or id. */
  blocked_by?: string[] | null;
  /** When it is due. */
  due_at?: string | null;
  /** When work should start. */
  start_at?: string | null;
  /** Estimated size, in points of your own. */
  estimate_points?: number | null;
  /** Estimated duration, in minutes. */
  estimate_minutes?: number | null;
  /** Time spent so far, in minutes. */
  time_spent_minutes?: number | null;
  /**
   * Settings for the agent: `profile` names a coder profile, `checks` are up to 10 checks for its builds;
   * other keys are yours.
   */
  agent_context?: AgentContext | null;
  /** Desk to build on. */
  environment_id?: string | null;
  /** Coder, such as `claude_code`. */
  runtime?: string | null;
  /** Hired employee who does it. */
  hire_id?: string | null;
  /** Number of attempts so far. */
  attempt?: number | null;
  /** Maximum number of attempts. Default: 3. */
  max_attempts?: number | null;
  /** Progress, 0 to 100. */
  progress_percent?: number | null;
  /** Branch with the work. */
  branch?: string | null;
  /** Branch to merge into. */
  base_branch?: string | null;
  /** Latest commit of the work. */
  commit_sha?: string | null;
  /** Number of the pull request. */
  pr_number?: number | null;
  /** Address of the pull request. */
  pr_url?: string | null;
  /** `draft`, `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** `pending`, `passing`, `failing` or `none`. */
  checks_state?: string | null;
  /** `none`, `requested`, `changes_requested` or `approved`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Address of a running deployment. */
  deploy_url?: string | null;
  /** Cost of the work, in US dollars. */
  cost_usd?: number | null;
  /** Input tokens used. */
  tokens_in?: number | null;
  /** Output tokens used. */
  tokens_out?: number | null;
  /** Machine-readable error. */
  error_code?: string | null;
  /** Human-readable error. */
  error_message?: string | null;
  /** Checklist items done. */
  checklist_done?: number | null;
  /** Checklist items in total. */
  checklist_total?: number | null;
  /** Origin of the card, such as `email`. */
  source?: string | null;
  /** Address of the original, such as in an issue tracker. */
  external_url?: string | null;
  /** `true` hides the card without deleting it. */
  archived?: boolean | null;
  /** The instructions, as Markdown of up to 1 MiB. */
  instructions?: string | null;
  /** Outcome, in full; Markdown of up to 1 MiB. */
  result?: string | null;
  /** Id of the column. */
  column_id?: string;
  /** Name of the column. */
  column_name?: string;
}

export interface GetImportArguments {
  /** The id of the import. */
  import_id: string;
}

export interface DeleteImportArguments {
  /** The id of the import. */
  import_id: string;
}

export interface ListImportRowsArguments {
  /** The id of the import. */
  import_id: string;
  /** Return only rows with this status. */
  status?: 'new' | 'known' | 'unreadable' | 'made';
  /** `next_cursor` of the previous page. */
  cursor?: string;
  /** Rows per page, 100 by default. */
  limit?: number;
}

export interface StartImportArguments {
  /** The id of the import. */
  import_id: string;
  /** Maps states of the source to a column or status of the board. */
  mapping?: Record<string, string>;
  /** Maps logins or names of the source to email addresses of people who can open the board. */
  users?: Record<string, string>;
}

export interface FindTasksArguments {
  /** Only these boards, by key or id. */
  board_ids?: string;
  /** Only boards of these types: build, crm, general. */
  board_type?: string;
  /** Only columns with these names, such as `In Progress,Review`. */
  column_names?: string;
  /** Only these: pending, in_progress, in_review, blocked, done, canceled. */
  status?: string;
  /** `true`: only cards with a pull request; `false`: only without. */
  has_pr?: boolean;
  /** Only cards changed at or after this ISO 8601 time. */
  since?: string;
  /** Only cards of these assignees: `me`, `none`, user ids. */
  assignee?: string;
  /** Only cards of these agents: `any`, `none`, agent ids. */
  agent?: string;
  /** Only these priorities. */
  priority?: string;
  /** Only cards with one of these labels. */
  labels?: string;
  /** Words that the title contains; a ref such as `ENG-12` finds its card. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** Only these cards, such as `ENG-12,ENG-31`. */
  refs?: string;
  /** Only cards due before this ISO 8601 time. */
  due_before?: string;
  /** Order; `-` reverses it. Default: `-updated`. */
  sort?:
    | 'title'
    | '-title'
    | 'status'
    | '-status'
    | 'assignee'
    | '-assignee'
    | 'priority'
    | '-priority'
    | 'due'
    | '-due'
    | 'estimate'
    | '-estimate'
    | 'updated'
    | '-updated';
  /** Also count all matching cards by this field. */
  count_by?: 'status' | 'board' | 'assignee' | 'priority';
  /** More fields of each card, such as `priority,labels`; any field of `detail=standard`. */
  with?: string;
  /** Number of cards on a page. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

export interface GetTaskArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface UpdateTaskArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** `full` returns the card, `receipt` only the changes. Default: `full`. */
  return?: 'full' | 'receipt';
  /** Project of the card, as list_projects shows it. */
  project_id?: string | null;
  /** The title in one line. */
  title?: string;
  /** Kind of work. Default: `coding`. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** Moves the card to the first column of this status. */
  status?: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  /** Column by name or id, such as `In Progress`. */
  column?: string | {
    /** Id of the column. */
    id?: string;
    /** Name of the column. */
    name?: string;
  };
  /** Position in the column, smallest first. */
  position?: number | null;
  /** Priority, such as `low`, `normal` or `high`. */
  priority?: string | null;
  /** All labels of the card. */
  labels?: string[] | null;
  /** Person who does it, by user_id. */
  assignee?: PersonInput | null;
  /** Agent that does it, as list_agents shows it. */
  assignee_agent_id?: string | null;
  /** Person who requested it, by user_id. */
  reporter?: PersonInput | null;
  /** People who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** Parent card, by ref or id. */
  parent_id?: string | null;
  /** All cards that must be done first, by ref or id. */
  blocked_by?: string[] | null;
  /** When it is due. */
  due_at?: string | null;
  /** When work should start. */
  start_at?: string | null;
  /** Estimated size, in points of your own. */
  estimate_points?: number | null;
  /** Estimated duration, in minutes. */
  estimate_minutes?: number | null;
  /** Time spent so far, in minutes. */
  time_spent_minutes?: number | null;
  /**
   * Settings for the agent: `profile` names a coder profile, `checks` are up to 10 checks for its builds;
   * other keys are yours.
   */
  agent_context?: AgentContext | null;
  /** Desk to build on. */
  environment_id?: string | null;
  /** Coder, such as `claude_code`. */
  runtime?: string | null;
  /** Hired employee who does it. */
  hire_id?: string | null;
  /** Number of attempts so far. */
  attempt?: number | null;
  /** Maximum number of attempts. Default: 3. */
  max_attempts?: number | null;
  /** Progress, 0 to 100. */
  progress_percent?: number | null;
  /** Branch with the work. */
  branch?: string | null;
  /** Branch to merge into. */
  base_branch?: string | null;
  /** Latest commit of the work. */
  commit_sha?: string | null;
  /** Number of the pull request. */
  pr_number?: number | null;
  /** Address of the pull request. */
  pr_url?: string | null;
  /** `draft`, `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** `pending`, `passing`, `failing` or `none`. */
  checks_state?: string | null;
  /** `none`, `requested`, `changes_requested` or `approved`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Address of a running deployment. */
  deploy_url?: string | null;
  /** Cost of the work, in US dollars. */
  cost_usd?: number | null;
  /** Input tokens used. */
  tokens_in?: number | null;
  /** Output tokens used. */
  tokens_out?: number | null;
  /** Machine-readable error. */
  error_code?: string | null;
  /** Human-readable error. */
  error_message?: string | null;
  /** Checklist items done. */
  checklist_done?: number | null;
  /** Checklist items in total. */
  checklist_total?: number | null;
  /** Origin of the card, such as `email`. */
  source?: string | null;
  /** Address of the original, such as in an issue tracker. */
  external_url?: string | null;
  /** `true` hides the card without deleting it. */
  archived?: boolean | null;
  /** The instructions, as Markdown of up to 1 MiB. */
  instructions?: string | null;
  /** Outcome, in full; Markdown of up to 1 MiB. */
  result?: string | null;
  /** Id of the column. */
  column_id?: string;
  /** Name of the column. */
  column_name?: string;
  /** Places the card before this card of its column, by ref or id. Instead of `position`. */
  before?: string;
  /** Places the card after this card, by ref or id. */
  after?: string;
}

export interface DeleteTaskArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface ListTaskActivityArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** Page number, from 1. */
  page?: number;
  /** Number of items on a page. */
  per_page?: number;
}

export interface AddAttachmentArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** One of your comments, to attach the file to. */
  comment_id?: string;
  /** Any file, up to 25 MiB */
  file: Blob;
}

export interface ListAttachmentsArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface GetAttachmentArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** As list_attachments shows it. */
  attachment_id: string;
  /** `thumb`: a thumbnail of an image. */
  size?: 'thumb';
}

export interface DeleteAttachmentArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** As list_attachments shows it. */
  attachment_id: string;
}

export interface AddCommentArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** Markdown. */
  body: string;
}

export interface ListCommentsArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** Page number, from 1. */
  page?: number;
  /** Number of items on a page. */
  per_page?: number;
}

export interface UpdateCommentArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** As list_comments shows it. */
  comment_id: string;
  /** Markdown. */
  body: string;
}

export interface DeleteCommentArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** As list_comments shows it. */
  comment_id: string;
}

export interface GetPullRequestArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface TiePullRequestArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** The address of the pull request. Send either this or `number`. */
  url?: string;
  /** The number of the pull request. Send either this or `url`. */
  number?: number;
}

export interface UpdateTasksArguments {
  /** Changes, at most one per card. */
  tasks: {
    /** The card: its ref, such as ENG-12, or its id. */
    task_id: string;
    set: CardPatch;
    /**
     * Field values as you last saw them, in the form of a receipt. A field that has changed since keeps its
     * value.
     */
    seen?: Record<string, unknown>;
  }[];
}

export interface BoardsMethods {
  /**
   * List the activity of a board.
   * Newest first. Following `next_cursor` returns every entry exactly once, including new ones.
   */
  listBoardActivity(fields: ListBoardActivityArguments, options?: CallOptions): Promise<ActivityPage>;

  /**
   * Follow the activity of a board.
   * Sends entries as server-sent events, oldest first. An event's id is a cursor: send it as `Last-Event-ID`
   * or `since` to continue without a gap.
   */
  streamBoardActivity(
    fields: StreamBoardActivityArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<ActivityEntry>, void, undefined>;

  /**
   * Create a board.
   * Without `columns` it gets Backlog, In Progress, Review, Blocked and Done.
   */
  createBoard(fields: CreateBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * List the boards of the workspace.
   * Lists the boards you can open, oldest first, with their board_id and column names.
   */
  listBoards(fields?: ListBoardsArguments, options?: CallOptions): Promise<BoardList>;

  /**
   * Get a board.
   * Returns its key and the columns that cards move to by name.
   */
  getBoard(fields: GetBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * Rename a board or change its columns.
   * Replaces the columns with the sent ones, matched by `id` or name; a column that you leave out must be
   * empty. Cards follow a new status of their column.
   */
  updateBoard(fields: UpdateBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * Delete a board.
   * Also deletes its cards, comments and activity. Its key is never used again. Admins only.
   */
  deleteBoard(fields: DeleteBoardArguments, options?: CallOptions): Promise<void>;

  /**
   * Export a board as Markdown.
   * Writes a heading per column and an item per card. The same board gives the same bytes. At most 1 MiB
   * unless `detail=summary`.
   */
  exportBoard(fields: ExportBoardArguments, options?: CallOptions): Promise<string>;

  /**
   * Invite a guest to a board by e-mail.
   * Mails a link. Boards and spaces join one pending invitation, which ends with the last of them. Admins
   * only.
   */
  inviteBoardGuest(fields: InviteBoardGuestArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * List the guests of a board.
   * Lists its guests with their levels. Admins only.
   */
  listBoardGuests(fields: ListBoardGuestsArguments, options?: CallOptions): Promise<BoardGuestList>;

  /**
   * Invite a guest to a board or change their level.
   * A `viewer` reads, a `commenter` also comments, an `editor` also creates and changes cards. Admins only.
   */
  putBoardGuest(fields: PutBoardGuestArguments, options?: CallOptions): Promise<BoardGuest>;

  /**
   * Remove a guest from a board.
   * Keeps what they wrote. Without any board or docs space left, their sessions end. Admins only.
   */
  removeBoardGuest(fields: RemoveBoardGuestArguments, options?: CallOptions): Promise<void>;

  /**
   * Create an import from an exported file.
   * Accepts up to 50 MiB and 100,000 rows. Creates no cards until you call start_import.
   */
  createImport(fields: CreateImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * Create an import from a project's repository host.
   * Reads the issues in the background; the status is `reading` until all are read.
   */
  createHostImport(fields: CreateHostImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * List the cards of a board.
   * Sorted by column, position and id. With `cursor` sorted by number: each card comes exactly once.
   * `summary` shows the fewest fields, `full` adds long texts. find_tasks filters.
   */
  listBoardTasks(fields: ListBoardTasksArguments, options?: CallOptions): Promise<CardList>;

  /**
   * Create a card.
   * Goes to the first column by default. Keep the `id` for update_task and add_comment.
   */
  createTask(fields: CreateTaskArguments, options?: CallOptions): Promise<FullCard>;

  /**
   * Get an import.
   * Returns its status, the cards it creates, and the data that cannot be imported.
   */
  getImport(fields: GetImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * Delete an import.
   * Deletes the rows that were read. Cards stay.
   */
  deleteImport(fields: DeleteImportArguments, options?: CallOptions): Promise<void>;

  /**
   * List the rows of an import.
   * Returns the card of each row, or the reason why it has none.
   */
  listImportRows(fields: ListImportRowsArguments, options?: CallOptions): Promise<ImportRowList>;

  /**
   * Start an import.
   * Creates its cards in the background. An import that failed continues where it stopped.
   */
  startImport(fields: StartImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * Find cards across boards.
   * Sorted by newest change. Cards match every filter, and any value of a comma-separated one.
   */
  findTasks(fields?: FindTasksArguments, options?: CallOptions): Promise<FoundCardPage>;

  /**
   * Get a card.
   * Returns all fields. Read it before you work on it.
   */
  getTask(fields: GetTaskArguments, options?: CallOptions): Promise<FullCard>;

  /**
   * Change, move or assign a card.
   * Changes only what you send; null clears. `column` (or `status`) moves it, `before` or `after` within its
   * column. `return=receipt` returns only the changes. Take a card with `assignee_agent_id`.
   */
  updateTask(fields: UpdateTaskArguments, options?: CallOptions): Promise<FullCard | CardReceipt>;

  /**
   * Delete a card.
   * Keeps its activity. Its number is never used again.
   */
  deleteTask(fields: DeleteTaskArguments, options?: CallOptions): Promise<void>;

  /**
   * List the activity of a card.
   * Lists the board's activity entries about the card, newest first.
   */
  listTaskActivity(fields: ListTaskActivityArguments, options?: CallOptions): Promise<CardActivity>;

  /**
   * Attach a file to a card.
   * Takes one file of up to 25 MiB. Its type is detected from its bytes.
   */
  addAttachment(fields: AddAttachmentArguments, options?: CallOptions): Promise<Attachment>;

  /**
   * List the files on a card.
   * Includes files on its comments, oldest first.
   */
  listAttachments(fields: ListAttachmentsArguments, options?: CallOptions): Promise<AttachmentList>;

  /**
   * Download a file of a card.
   * Serves images inline and other files as downloads.
   */
  getAttachment(fields: GetAttachmentArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Delete a file of a card.
   * Its uploader or an admin can delete it.
   */
  deleteAttachment(fields: DeleteAttachmentArguments, options?: CallOptions): Promise<void>;

  /**
   * Comment on a card.
   * Adds a comment, which also appears in the board's activity.
   */
  addComment(fields: AddCommentArguments, options?: CallOptions): Promise<Comment>;

  /**
   * List the comments on a card.
   * Lists comments, oldest first.
   */
  listComments(fields: ListCommentsArguments, options?: CallOptions): Promise<CommentList>;

  /**
   * Change a comment.
   * Only its author can change it. It keeps its position and time.
   */
  updateComment(fields: UpdateCommentArguments, options?: CallOptions): Promise<Comment>;

  /**
   * Delete a comment.
   * Its author or an admin can delete it.
   */
  deleteComment(fields: DeleteCommentArguments, options?: CallOptions): Promise<void>;

  /**
   * Get a card's pull request.
   * Returns the state, checks, reviews and comments as of the last sync.
   */
  getPullRequest(fields: GetPullRequestArguments, options?: CallOptions): Promise<PullRequest>;

  /**
   * Link an existing pull request to a card.
   * Send its `url` or its `number`. The card then follows its checks, reviews and merge. (`brand:admin` or
   * `memory:write`)
   */
  tiePullRequest(fields: TiePullRequestArguments, options?: CallOptions): Promise<PullRequest>;

  /**
   * Change many cards at once.
   * Changes up to 500 cards of any boards, each on its own. Each result has the changes or the refusal.
   */
  updateTasks(
    fields: UpdateTasksArguments,
    options?: CallOptions,
  ): Promise<{
    results: CardOutcome[];
  }>;
}

export interface BoardsLists {
  listBoardActivity: { fields: ListBoardActivityArguments; item: ActivityEntry };
  listBoards: { fields: ListBoardsArguments; item: Board };
  listBoardTasks: { fields: ListBoardTasksArguments; item: Card | CardSummary | FullCard };
  listImportRows: { fields: ListImportRowsArguments; item: ImportRowList['rows'][number] };
  findTasks: { fields: FindTasksArguments; item: FoundCardPage['items'][number] };
  listTaskActivity: { fields: ListTaskActivityArguments; item: ActivityEntry };
  listComments: { fields: ListCommentsArguments; item: Comment };
}

export interface BoardsStreams {
  streamBoardActivity: { fields: StreamBoardActivityArguments; data: ActivityEntry };
}

export const boards = {
  listBoardActivity: {
    method: 'GET',
    path: '/api/v1/board/activity/boards/{board_id}',
    query: ['limit', 'since'],
    pages: { style: 'cursor', parameter: 'since', next: 'next_cursor', items: 'items', key: 'id' },
  },
  streamBoardActivity: {
    method: 'GET',
    path: '/api/v1/board/activity/boards/{board_id}/stream',
    query: ['since'],
    answer: 'events',
  },
  createBoard: {
    method: 'POST',
    path: '/api/v1/board/boards',
    body: ['name', 'board_type', 'columns'],
    needsBody: true,
    creates: true,
  },
  listBoards: {
    method: 'GET',
    path: '/api/v1/board/boards',
    query: ['page', 'per_page', 'with_counts'],
    pages: { style: 'page', parameter: 'page', size: 'per_page', items: 'boards', usualSize: 500, key: 'board_id' },
  },
  getBoard: { method: 'GET', path: '/api/v1/board/boards/{board_id}' },
  updateBoard: { method: 'PATCH', path: '/api/v1/board/boards/{board_id}', body: ['name', 'columns'] },
  deleteBoard: { method: 'DELETE', path: '/api/v1/board/boards/{board_id}', answer: 'nothing' },
  exportBoard: {
    method: 'GET',
    path: '/api/v1/board/boards/{board_id}/export',
    query: ['detail', 'columns'],
    answer: 'text',
  },
  inviteBoardGuest: {
    method: 'POST',
    path: '/api/v1/board/boards/{board_id}/guests',
    body: ['email', 'role'],
    needsBody: true,
    creates: true,
  },
  listBoardGuests: { method: 'GET', path: '/api/v1/board/boards/{board_id}/guests' },
  putBoardGuest: {
    method: 'PUT',
    path: '/api/v1/board/boards/{board_id}/guests/{user_id}',
    body: ['role'],
    needsBody: true,
  },
  removeBoardGuest: {
    method: 'DELETE',
    path: '/api/v1/board/boards/{board_id}/guests/{user_id}',
    answer: 'nothing',
  },
  createImport: {
    method: 'POST',
    path: '/api/v1/board/boards/{board_id}/imports',
    query: ['source'],
    file: 'file',
    creates: true,
  },
  createHostImport: {
    method: 'POST',
    path: '/api/v1/board/boards/{board_id}/imports/host',
    body: ['project_id'],
    needsBody: true,
    creates: true,
  },
  listBoardTasks: {
    method: 'GET',
    path: '/api/v1/board/boards/{board_id}/tasks',
    query: ['detail', 'page', 'per_page', 'with', 'cursor'],
    pages: { style: 'page', parameter: 'page', size: 'per_page', items: 'items', cursor: { parameter: 'cursor', next: 'next_cursor' }, usualSize: 50, key: 'id' },
  },
  createTask: {
    method: 'POST',
    path: '/api/v1/board/boards/{board_id}/tasks',
    body: [
      'project_id', 'title', 'task_type', 'status', 'column', 'position', 'priority', 'labels', 'assignee',
      'assignee_agent_id', 'reporter', 'watchers', 'parent_id', 'blocked_by', 'due_at', 'start_at',
      'estimate_points', 'estimate_minutes', 'time_spent_minutes', 'agent_context', 'environment_id',
      'runtime', 'hire_id', 'attempt', 'max_attempts', 'progress_percent', 'branch', 'base_branch',
      'commit_sha', 'pr_number', 'pr_url', 'pr_state', 'checks_state', 'review_state', 'merged_at',
      'deploy_url', 'cost_usd', 'tokens_in', 'tokens_out', 'error_code', 'error_message', 'checklist_done',
      'checklist_total', 'source', 'external_url', 'archived', 'instructions', 'result', 'column_id',
      'column_name',
    ],
    needsBody: true,
    creates: true,
  },
  getImport: { method: 'GET', path: '/api/v1/board/imports/{import_id}' },
  deleteImport: { method: 'DELETE', path: '/api/v1/board/imports/{import_id}', answer: 'nothing' },
  listImportRows: {
    method: 'GET',
    path: '/api/v1/board/imports/{import_id}/rows',
    query: ['status', 'cursor', 'limit'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'rows' },
  },
  startImport: {
    method: 'POST',
    path: '/api/v1/board/imports/{import_id}/start',
    body: ['mapping', 'users'],
  },
  findTasks: {
    method: 'GET',
    path: '/api/v1/board/master/tasks',
    query: [
      'board_ids', 'board_type', 'column_names', 'status', 'has_pr', 'since', 'assignee', 'agent',
      'priority', 'labels', 'query', 'q', 'refs', 'due_before', 'sort', 'count_by', 'with', 'limit',
      'cursor',
    ],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items', key: 'id' },
  },
  getTask: { method: 'GET', path: '/api/v1/board/tasks/{task_id}' },
  updateTask: {
    method: 'PATCH',
    path: '/api/v1/board/tasks/{task_id}',
    query: ['return'],
    body: [
      'project_id', 'title', 'task_type', 'status', 'column', 'position', 'priority', 'labels', 'assignee',
      'assignee_agent_id', 'reporter', 'watchers', 'parent_id', 'blocked_by', 'due_at', 'start_at',
      'estimate_points', 'estimate_minutes', 'time_spent_minutes', 'agent_context', 'environment_id',
      'runtime', 'hire_id', 'attempt', 'max_attempts', 'progress_percent', 'branch', 'base_branch',
      'commit_sha', 'pr_number', 'pr_url', 'pr_state', 'checks_state', 'review_state', 'merged_at',
      'deploy_url', 'cost_usd', 'tokens_in', 'tokens_out', 'error_code', 'error_message', 'checklist_done',
      'checklist_total', 'source', 'external_url', 'archived', 'instructions', 'result', 'column_id',
      'column_name', 'before', 'after',
    ],
  },
  deleteTask: { method: 'DELETE', path: '/api/v1/board/tasks/{task_id}', answer: 'nothing' },
  listTaskActivity: {
    method: 'GET',
    path: '/api/v1/board/tasks/{task_id}/activity',
    query: ['page', 'per_page'],
    pages: { style: 'page', parameter: 'page', size: 'per_page', items: 'items', usualSize: 500, key: 'id' },
  },
  addAttachment: {
    method: 'POST',
    path: '/api/v1/board/tasks/{task_id}/attachments',
    query: ['comment_id'],
    file: 'file',
    creates: true,
  },
  listAttachments: { method: 'GET', path: '/api/v1/board/tasks/{task_id}/attachments' },
  getAttachment: {
    method: 'GET',
    path: '/api/v1/board/tasks/{task_id}/attachments/{attachment_id}',
    query: ['size'],
    answer: 'bytes',
  },
  deleteAttachment: {
    method: 'DELETE',
    path: '/api/v1/board/tasks/{task_id}/attachments/{attachment_id}',
    answer: 'nothing',
  },
  addComment: {
    method: 'POST',
    path: '/api/v1/board/tasks/{task_id}/comments',
    body: ['body'],
    needsBody: true,
    creates: true,
  },
  listComments: {
    method: 'GET',
    path: '/api/v1/board/tasks/{task_id}/comments',
    query: ['page', 'per_page'],
    pages: { style: 'page', parameter: 'page', size: 'per_page', items: 'comments', usualSize: 500, key: 'id' },
  },
  updateComment: {
    method: 'PATCH',
    path: '/api/v1/board/tasks/{task_id}/comments/{comment_id}',
    body: ['body'],
    needsBody: true,
  },
  deleteComment: {
    method: 'DELETE',
    path: '/api/v1/board/tasks/{task_id}/comments/{comment_id}',
    answer: 'nothing',
  },
  getPullRequest: { method: 'GET', path: '/api/v1/board/tasks/{task_id}/pull-request' },
  tiePullRequest: {
    method: 'POST',
    path: '/api/v1/board/tasks/{task_id}/pull-request',
    body: ['url', 'number'],
  },
  updateTasks: { method: 'POST', path: '/api/v1/board/tasks:batch', body: ['tasks'], needsBody: true },
} as const satisfies Record<string, Operation>;
