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
  /** A coder profile, such as `claude.coding`. */
  profile?: string | null;
}

export interface Attachment {
  id: string;
  task_id: string;
  comment_id: string | null;
  name: string;
  /** Judged by the bytes. */
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
  /** Your role; a guest's level. */
  your_role: 'admin' | 'member' | 'editor' | 'commenter' | 'viewer';
  /** Cards that are not archived. */
  card_count?: number;
  /** Of these, neither done nor canceled. */
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
  /** Fields that have changed since they were `seen`. */
  kept: string[];
  refused: string | null;
}

/** Fields of a card: absent keeps, null clears, a value sets. */
export interface CardPatch {
  /** The project that it is about, as list_projects shows it. */
  project_id?: string | null;
  /** What is to be done, in a line. */
  title?: string;
  /** The kind of work; coding unless said. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** The card moves to the first column of that status. */
  status?: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  /** The column, by name or id, such as `In Progress`. */
  column?: string | {
    /** The column by its id. */
    id?: string;
    /** The column by its name. */
    name?: string;
  };
  /** Where it stands in its column: the smaller, the higher. */
  position?: number | null;
  /** Such as `low`, `normal` or `high`. */
  priority?: string | null;
  /** All its labels. */
  labels?: string[] | null;
  /** Who does it, by user_id. */
  assignee?: PersonInput | null;
  /** The agent that does it, as list_agents shows it. */
  assignee_agent_id?: string | null;
  /** Who wants it, by user_id. */
  reporter?: PersonInput | null;
  /** Who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** The card that it is a part of, by ref or id. */
  parent_id?: string | null;
  /** All cards to be done before it, by ref or id. */
  blocked_by?: string[] | null;
  /** When it should be done. */
  due_at?: string | null;
  /** When work on it should begin. */
  start_at?: string | null;
  /** How big it is, in your own measure. */
  estimate_points?: number | null;
  /** How long it should take. */
  estimate_minutes?: number | null;
  /** How long it has taken so far. */
  time_spent_minutes?: number | null;
  /**
   * For the agent; `profile` names a coder profile, `checks` (up to 10, as a project has) must hold of its
   * builds, the rest is yours.
   */
  agent_context?: AgentContext | null;
  /** The desk to build on. */
  environment_id?: string | null;
  /** The coding agent, such as `claude_code`. */
  runtime?: string | null;
  /** The hired employee who does it. */
  hire_id?: string | null;
  /** How often it was tried. */
  attempt?: number | null;
  /** 3 unless said. */
  max_attempts?: number | null;
  /** How far it is. */
  progress_percent?: number | null;
  /** The branch with the work. */
  branch?: string | null;
  /** The branch that it goes into. */
  base_branch?: string | null;
  /** The newest commit of the work. */
  commit_sha?: string | null;
  /** Of the pull request. */
  pr_number?: number | null;
  /** Of the pull request. */
  pr_url?: string | null;
  /** `draft`, `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** `pending`, `passing`, `failing` or `none`. */
  checks_state?: string | null;
  /** `none`, `requested`, `changes_requested` or `approved`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Where it can be seen running. */
  deploy_url?: string | null;
  /** What the work has cost. */
  cost_usd?: number | null;
  /** Tokens read. */
  tokens_in?: number | null;
  /** Tokens written. */
  tokens_out?: number | null;
  /** What went wrong, for programs. */
  error_code?: string | null;
  /** What went wrong, for people. */
  error_message?: string | null;
  /** Points that are done. */
  checklist_done?: number | null;
  /** Points in all. */
  checklist_total?: number | null;
  /** Where it came from, such as `email`. */
  source?: string | null;
  /** The same elsewhere, such as in an issue tracker. */
  external_url?: string | null;
  /** true puts it away without deleting it. */
  archived?: boolean | null;
  /** What is to be done, in full; Markdown up to 1 MiB. */
  instructions?: string | null;
  /** What came of it, in full; Markdown up to 1 MiB. */
  result?: string | null;
  /** The column by its id. */
  column_id?: string;
  /** The column by its name. */
  column_name?: string;
  /** Right before this card of the column, by ref or id; instead of `position`. */
  before?: string;
  /** Right after this card, by ref or id. */
  after?: string;
  /** Ignored: it is read from the query string. */
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
  /** Its name, without a comma. */
  name: string;
  /** The status of its cards. */
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
}

export interface ColumnPatch {
  /** Of a column that is kept under a new name. */
  id?: string;
  /** Its name, without a comma. */
  name: string;
  /** The status of its cards. */
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
  /** In lists, of what a guest wrote. */
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
  /** Of all cards found, by `count_by`. */
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
  /** Texts that a guest wrote. For coders only. */
  from_guest?: string[];
}

export interface Import {
  import_id: string;
  board_id: string;
  source: 'github' | 'gitlab' | 'linear' | 'jira' | 'trello' | 'csv';
  /** The file or the repository. */
  name: string;
  status: 'reading' | 'ready' | 'running' | 'done' | 'failed';
  counts: {
    new: number;
    known: number;
    unreadable: number;
    made: number;
  };
  /** Where cards of each state go: a column or a status; null: say it when you start. */
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
    /** By their login, else their name: `users` says who they are. */
    unmatched: string[];
  };
  /** What does not come along, and of how many cards. */
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
  /** As list_members shows it. */
  user_id: number;
  /** Not needed: the id says who. */
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
  /** How many entries. */
  limit?: number;
  /** `next_cursor` of the answer before. */
  since?: string;
}

export interface StreamBoardActivityArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Begin after this cursor; left out: only what happens from now on. */
  since?: string;
}

export interface CreateBoardArguments {
  /** Its name. */
  name: string;
  /** `build` unless said. */
  board_type?: 'build' | 'crm' | 'general';
  /** Its columns from left to right. */
  columns?: ColumnInput[];
}

export interface ListBoardsArguments {
  /** Which page, from 1. */
  page?: number;
  /** How many on a page. */
  per_page?: number;
  /** true: also how many cards each has, and when something last happened. */
  with_counts?: boolean;
}

export interface GetBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
}

export interface UpdateBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Its name. */
  name?: string;
  /** All its columns from left to right. */
  columns?: ColumnPatch[];
}

export interface DeleteBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
}

export interface ExportBoardArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** How much of each card; `standard` unless said. */
  detail?: 'summary' | 'standard' | 'full';
  /** Only these, by name, comma-separated. */
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
  /** Somebody outside the workspace. */
  user_id: number;
  /** The level. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface RemoveBoardGuestArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** Somebody outside the workspace. */
  user_id: number;
}

export interface CreateImportArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** What wrote the file. */
  source?: 'github' | 'gitlab' | 'linear' | 'jira' | 'trello' | 'csv';
  /** The export */
  file: Blob;
}

export interface CreateHostImportArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** The project whose host is asked. */
  project_id: string;
}

export interface ListBoardTasksArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** How much of each card; `standard` unless said. */
  detail?: 'summary' | 'standard' | 'full';
  /** Which page, from 1. */
  page?: number;
  /** How many on a page. */
  per_page?: number;
  /** More fields of each card, such as `priority,labels`: any of `detail=standard`. */
  with?: string;
  /** Instead of `page`: empty to begin, then the last `next_cursor`. */
  cursor?: string;
}

export interface CreateTaskArguments {
  /** The board: its key, such as ENG, or its id. */
  board_id: string;
  /** The project that it is about, as list_projects shows it. */
  project_id?: string | null;
  /** What is to be done, in a line. */
  title: string;
  /** The kind of work; coding unless said. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** The card moves to the first column of that status. */
  status?: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  /** The column, by name or id, such as `In Progress`. */
  column?: string | {
    /** The column by its id. */
    id?: string;
    /** The column by its name. */
    name?: string;
  };
  /** Where it stands in its column: the smaller, the higher. */
  position?: number | null;
  /** Such as `low`, `normal` or `high`. */
  priority?: string | null;
  /** All its labels. */
  labels?: string[] | null;
  /** Who does it, by user_id. */
  assignee?: PersonInput | null;
  /** The agent that does it, as list_agents shows it. */
  assignee_agent_id?: string | null;
  /** Who wants it, by user_id. */
  reporter?: PersonInput | null;
  /** Who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** The card that it is a part of, by ref or id. */
  parent_id?: string | null;
  /** All cards to be done before it, by ref or id. */
  blocked_by?: string[] | null;
  /** When it should be done. */
  due_at?: string | null;
  /** When work on it should begin. */
  start_at?: string | null;
  /** How big it is, in your own measure. */
  estimate_points?: number | null;
  /** How long it should take. */
  estimate_minutes?: number | null;
  /** How long it has taken so far. */
  time_spent_minutes?: number | null;
  /**
   * For the agent; `profile` names a coder profile, `checks` (up to 10, as a project has) must hold of its
   * builds, the rest is yours.
   */
  agent_context?: AgentContext | null;
  /** The desk to build on. */
  environment_id?: string | null;
  /** The coding agent, such as `claude_code`. */
  runtime?: string | null;
  /** The hired employee who does it. */
  hire_id?: string | null;
  /** How often it was tried. */
  attempt?: number | null;
  /** 3 unless said. */
  max_attempts?: number | null;
  /** How far it is. */
  progress_percent?: number | null;
  /** The branch with the work. */
  branch?: string | null;
  /** The branch that it goes into. */
  base_branch?: string | null;
  /** The newest commit of the work. */
  commit_sha?: string | null;
  /** Of the pull request. */
  pr_number?: number | null;
  /** Of the pull request. */
  pr_url?: string | null;
  /** `draft`, `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** `pending`, `passing`, `failing` or `none`. */
  checks_state?: string | null;
  /** `none`, `requested`, `changes_requested` or `approved`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Where it can be seen running. */
  deploy_url?: string | null;
  /** What the work has cost. */
  cost_usd?: number | null;
  /** Tokens read. */
  tokens_in?: number | null;
  /** Tokens written. */
  tokens_out?: number | null;
  /** What went wrong, for programs. */
  error_code?: string | null;
  /** What went wrong, for people. */
  error_message?: string | null;
  /** Points that are done. */
  checklist_done?: number | null;
  /** Points in all. */
  checklist_total?: number | null;
  /** Where it came from, such as `email`. */
  source?: string | null;
  /** The same elsewhere, such as in an issue tracker. */
  external_url?: string | null;
  /** true puts it away without deleting it. */
  archived?: boolean | null;
  /** What is to be done, in full; Markdown up to 1 MiB. */
  instructions?: string | null;
  /** What came of it, in full; Markdown up to 1 MiB. */
  result?: string | null;
  /** The column by its id. */
  column_id?: string;
  /** The column by its name. */
  column_name?: string;
}

export interface GetImportArguments {
  /** The import. */
  import_id: string;
}

export interface DeleteImportArguments {
  /** The import. */
  import_id: string;
}

export interface ListImportRowsArguments {
  /** The import. */
  import_id: string;
  /** Only these. */
  status?: 'new' | 'known' | 'unreadable' | 'made';
  /** As the page before gave it. */
  cursor?: string;
  /** How many. */
  limit?: number;
}

export interface StartImportArguments {
  /** The import. */
  import_id: string;
  /** State to column or status. */
  mapping?: Record<string, string>;
  /** Login or name to the mail address of a person here. */
  users?: Record<string, string>;
}

export interface FindTasksArguments {
  /** Only these boards, by key or id. */
  board_ids?: string;
  /** On boards of these types: build, crm, general. */
  board_type?: string;
  /** Only these columns by name, in any case, such as `In Progress,Review`. */
  column_names?: string;
  /** pending, in_progress, in_review, blocked, done, canceled. */
  status?: string;
  /** true: only with a pull request; false: only without. */
  has_pr?: boolean;
  /** Changed at or after this ISO time. */
  since?: string;
  /** Of these people: `me`, `none`, user ids. */
  assignee?: string;
  /** Of these agents: `any`, `none`, agent ids. */
  agent?: string;
  /** Only these priorities. */
  priority?: string;
  /** With one of these labels. */
  labels?: string;
  /** Words that all stand in the title; a ref such as `ENG-12` finds its card, alone as the first. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** Only these cards, such as `ENG-12,ENG-31`. */
  refs?: string;
  /** Due before this ISO time. */
  due_before?: string;
  /** With `-` the other way round. Default: `-updated`. */
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
  /** Also counts all found, by this field. */
  count_by?: 'status' | 'board' | 'assignee' | 'priority';
  /** More fields of each card, such as `priority,labels`: any of `detail=standard`. */
  with?: string;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface GetTaskArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface UpdateTaskArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** `full` answers the card, `receipt` only what changed. */
  return?: 'full' | 'receipt';
  /** The project that it is about, as list_projects shows it. */
  project_id?: string | null;
  /** What is to be done, in a line. */
  title?: string;
  /** The kind of work; coding unless said. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** The card moves to the first column of that status. */
  status?: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
  /** The column, by name or id, such as `In Progress`. */
  column?: string | {
    /** The column by its id. */
    id?: string;
    /** The column by its name. */
    name?: string;
  };
  /** Where it stands in its column: the smaller, the higher. */
  position?: number | null;
  /** Such as `low`, `normal` or `high`. */
  priority?: string | null;
  /** All its labels. */
  labels?: string[] | null;
  /** Who does it, by user_id. */
  assignee?: PersonInput | null;
  /** The agent that does it, as list_agents shows it. */
  assignee_agent_id?: string | null;
  /** Who wants it, by user_id. */
  reporter?: PersonInput | null;
  /** Who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** The card that it is a part of, by ref or id. */
  parent_id?: string | null;
  /** All cards to be done before it, by ref or id. */
  blocked_by?: string[] | null;
  /** When it should be done. */
  due_at?: string | null;
  /** When work on it should begin. */
  start_at?: string | null;
  /** How big it is, in your own measure. */
  estimate_points?: number | null;
  /** How long it should take. */
  estimate_minutes?: number | null;
  /** How long it has taken so far. */
  time_spent_minutes?: number | null;
  /**
   * For the agent; `profile` names a coder profile, `checks` (up to 10, as a project has) must hold of its
   * builds, the rest is yours.
   */
  agent_context?: AgentContext | null;
  /** The desk to build on. */
  environment_id?: string | null;
  /** The coding agent, such as `claude_code`. */
  runtime?: string | null;
  /** The hired employee who does it. */
  hire_id?: string | null;
  /** How often it was tried. */
  attempt?: number | null;
  /** 3 unless said. */
  max_attempts?: number | null;
  /** How far it is. */
  progress_percent?: number | null;
  /** The branch with the work. */
  branch?: string | null;
  /** The branch that it goes into. */
  base_branch?: string | null;
  /** The newest commit of the work. */
  commit_sha?: string | null;
  /** Of the pull request. */
  pr_number?: number | null;
  /** Of the pull request. */
  pr_url?: string | null;
  /** `draft`, `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** `pending`, `passing`, `failing` or `none`. */
  checks_state?: string | null;
  /** `none`, `requested`, `changes_requested` or `approved`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Where it can be seen running. */
  deploy_url?: string | null;
  /** What the work has cost. */
  cost_usd?: number | null;
  /** Tokens read. */
  tokens_in?: number | null;
  /** Tokens written. */
  tokens_out?: number | null;
  /** What went wrong, for programs. */
  error_code?: string | null;
  /** What went wrong, for people. */
  error_message?: string | null;
  /** Points that are done. */
  checklist_done?: number | null;
  /** Points in all. */
  checklist_total?: number | null;
  /** Where it came from, such as `email`. */
  source?: string | null;
  /** The same elsewhere, such as in an issue tracker. */
  external_url?: string | null;
  /** true puts it away without deleting it. */
  archived?: boolean | null;
  /** What is to be done, in full; Markdown up to 1 MiB. */
  instructions?: string | null;
  /** What came of it, in full; Markdown up to 1 MiB. */
  result?: string | null;
  /** The column by its id. */
  column_id?: string;
  /** The column by its name. */
  column_name?: string;
  /** Right before this card of the column, by ref or id; instead of `position`. */
  before?: string;
  /** Right after this card, by ref or id. */
  after?: string;
}

export interface DeleteTaskArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface ListTaskActivityArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** Which page, from 1. */
  page?: number;
  /** How many on a page. */
  per_page?: number;
}

export interface AddAttachmentArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** The comment of yours it belongs to. */
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
  /** Of a picture, a small one. */
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
  /** Which page, from 1. */
  page?: number;
  /** How many on a page. */
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
  /** Its address, or … */
  url?: string;
  /** … its number. */
  number?: number;
}

export interface UpdateTasksArguments {
  /** Each card once. */
  tasks: {
    /** The card: its ref, such as ENG-12, or its id. */
    task_id: string;
    set: CardPatch;
    /** Fields as a receipt shows them: one that has changed since keeps its value. */
    seen?: Record<string, unknown>;
  }[];
}

export interface BoardsMethods {
  /**
   * Read what happened on a board.
   * Newest first. Following `next_cursor` gives every entry exactly once, also those that arrive meanwhile.
   */
  listBoardActivity(fields: ListBoardActivityArguments, options?: CallOptions): Promise<ActivityPage>;

  /**
   * Follow what happens on a board.
   * Server-sent events, oldest first. An event's id is a cursor: as `Last-Event-ID` (or `since`) it continues
   * without a gap, on any node.
   */
  streamBoardActivity(
    fields: StreamBoardActivityArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<ActivityEntry>, void, undefined>;

  /**
   * Make a board.
   * Unless said, its columns are Backlog, In Progress, Review, Blocked and Done.
   */
  createBoard(fields: CreateBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * List the boards of the workspace.
   * The boards you can open, oldest first: their board_id and column names.
   */
  listBoards(fields?: ListBoardsArguments, options?: CallOptions): Promise<BoardList>;

  /**
   * Read a board.
   * Its key, and the columns that cards move to by name.
   */
  getBoard(fields: GetBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * Rename a board or change its columns.
   * Sent columns replace the present ones, kept by `id` or name; one left out must hold no cards. Cards take
   * a new status of their column.
   */
  updateBoard(fields: UpdateBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * Delete a board.
   * With its cards, comments and activity. Its key is never used again. Admins only.
   */
  deleteBoard(fields: DeleteBoardArguments, options?: CallOptions): Promise<void>;

  /**
   * Export a board as Markdown.
   * A heading a column, a section a card. The same board gives the same bytes. At most 1 MiB, but for
   * `summary`.
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
   * Its guests, with their level. Admins only.
   */
  listBoardGuests(fields: ListBoardGuestsArguments, options?: CallOptions): Promise<BoardGuestList>;

  /**
   * Open a board to a guest, or change their level.
   * `viewer` reads, `commenter` also comments, `editor` also makes and changes cards. Admins only.
   */
  putBoardGuest(fields: PutBoardGuestArguments, options?: CallOptions): Promise<BoardGuest>;

  /**
   * Close a board to a guest.
   * What they wrote stays. With their last board or docs space their session ends. Admins only.
   */
  removeBoardGuest(fields: RemoveBoardGuestArguments, options?: CallOptions): Promise<void>;

  /**
   * Read an exported file.
   * Up to 50 MiB and 100,000 rows. Nothing is made before you start it.
   */
  createImport(fields: CreateImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * Read the issues of a project's repository.
   * By its forge; `reading` until all of them are.
   */
  createHostImport(fields: CreateHostImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * List the cards of a board.
   * By column, position and id; by `cursor` by number, each once, whatever moves. `summary` shows the fewest
   * fields, `full` adds the long texts. find_tasks filters.
   */
  listBoardTasks(fields: ListBoardTasksArguments, options?: CallOptions): Promise<CardList>;

  /**
   * Make a card.
   * Without a column it goes to the first. Keep the `id` for update_task and add_comment.
   */
  createTask(fields: CreateTaskArguments, options?: CallOptions): Promise<FullCard>;

  /**
   * Read an import.
   * What it would make, what of it would be lost, or how far it is.
   */
  getImport(fields: GetImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * Delete an import.
   * What was read; not the cards.
   */
  deleteImport(fields: DeleteImportArguments, options?: CallOptions): Promise<void>;

  /**
   * List the rows of an import.
   * What each becomes, or why it does not.
   */
  listImportRows(fields: ListImportRowsArguments, options?: CallOptions): Promise<ImportRowList>;

  /**
   * Make the cards of an import.
   * Goes on where it stopped.
   */
  startImport(fields: StartImportArguments, options?: CallOptions): Promise<Import>;

  /**
   * Find cards across boards.
   * Newest change first. Values of a filter unite, filters intersect; lists are comma-separated.
   */
  findTasks(fields?: FindTasksArguments, options?: CallOptions): Promise<FoundCardPage>;

  /**
   * Read a card.
   * All of it: read it before you work on it.
   */
  getTask(fields: GetTaskArguments, options?: CallOptions): Promise<FullCard>;

  /**
   * Change, move or assign a card.
   * Only what is sent changes, null clears. `column` (or `status`) moves it, `before` or `after` within its
   * column. `return=receipt` answers just what changed. Take a card with `assignee_agent_id`.
   */
  updateTask(fields: UpdateTaskArguments, options?: CallOptions): Promise<FullCard | CardReceipt>;

  /**
   * Delete a card.
   * Its activity stays, and its number is never used again.
   */
  deleteTask(fields: DeleteTaskArguments, options?: CallOptions): Promise<void>;

  /**
   * Read what happened to a card.
   * The feed's entries about the card, newest first.
   */
  listTaskActivity(fields: ListTaskActivityArguments, options?: CallOptions): Promise<CardActivity>;

  /**
   * Attach a file to a card.
   * One file, up to 25 MiB; its type is judged by its bytes.
   */
  addAttachment(fields: AddAttachmentArguments, options?: CallOptions): Promise<Attachment>;

  /**
   * List the files on a card.
   * Also those on its comments, oldest first.
   */
  listAttachments(fields: ListAttachmentsArguments, options?: CallOptions): Promise<AttachmentList>;

  /**
   * Download a file of a card.
   * Pictures are shown in place, the rest is a download.
   */
  getAttachment(fields: GetAttachmentArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Delete a file of a card.
   * What the caller attached, or as an admin anybody's.
   */
  deleteAttachment(fields: DeleteAttachmentArguments, options?: CallOptions): Promise<void>;

  /**
   * Comment on a card.
   * For people and agents; it shows in the board's activity.
   */
  addComment(fields: AddCommentArguments, options?: CallOptions): Promise<Comment>;

  /**
   * List the comments on a card.
   * What was said on a card, oldest first.
   */
  listComments(fields: ListCommentsArguments, options?: CallOptions): Promise<CommentList>;

  /**
   * Change a comment.
   * Its author only. It keeps its place and time.
   */
  updateComment(fields: UpdateCommentArguments, options?: CallOptions): Promise<Comment>;

  /**
   * Delete a comment.
   * The author's own, or as an admin anybody's.
   */
  deleteComment(fields: DeleteCommentArguments, options?: CallOptions): Promise<void>;

  /**
   * Read a card's pull request.
   * As its host last told: state, checks, reviews and comments.
   */
  getPullRequest(fields: GetPullRequestArguments, options?: CallOptions): Promise<PullRequest>;

  /**
   * Tie a pull request that somebody opened to a card.
   * By its `url` or `number`; the card follows it from now on. (`brand:admin` or `memory:write`)
   */
  tiePullRequest(fields: TiePullRequestArguments, options?: CallOptions): Promise<PullRequest>;

  /**
   * Change many cards at once.
   * Up to 500, of any boards. Each is changed or refused by itself; its result says what changed.
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
