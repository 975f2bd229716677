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
  /** The key of a coder profile, such as `claude.coding`. */
  profile?: string | null;
}

export interface Board {
  board_id: string;
  name: string;
  key: string;
  board_type: 'build' | 'crm' | 'general';
  columns: BoardColumn[];
  created_at: string;
  /** What you are here; a guest: your level. */
  your_role: 'admin' | 'member' | 'editor' | 'commenter' | 'viewer';
  /** Cards that are not archived. */
  card_count?: number;
  /** Of these, the ones neither done nor canceled. */
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
  /** What the column is called, without a comma. It must not be blank and must not contain a comma. */
  name: string;
  /** The status that cards in it have. */
  status: 'pending' | 'in_progress' | 'in_review' | 'blocked' | 'done' | 'canceled';
}

export interface ColumnPatch {
  /** The id of a column that is kept under a new name. */
  id?: string;
  /** What the column is called, without a comma. It must not be blank and must not contain a comma. */
  name: string;
  /** The status that cards in it have. */
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
  /** In lists, of what a guest of the workspace wrote. */
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

export interface ListBoardActivityArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** How many entries. */
  limit?: number;
  /** `next_cursor` of the answer before. */
  since?: string;
}

export interface StreamBoardActivityArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** The cursor after which to begin; left out, only what happens from now on. */
  since?: string;
}

export interface CreateBoardArguments {
  /** What people call the board. It must not be blank. */
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
  /** true: each board also tells how many cards it has and when something last happened there. */
  with_counts?: boolean;
}

export interface GetBoardArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
}

export interface UpdateBoardArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** What people call the board. It must not be blank. */
  name?: string;
  /** All its columns from left to right, also those that stay. */
  columns?: ColumnPatch[];
}

export interface DeleteBoardArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
}

export interface ExportBoardArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** How much of each card; `standard` unless said. */
  detail?: 'summary' | 'standard' | 'full';
  /** Only these columns, by name with commas between. */
  columns?: string;
}

export interface InviteBoardGuestArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** The address of the person to invite; only whoever holds it can accept. It must be an e-mail address. */
  email: string;
  /** What the guest may do there. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface ListBoardGuestsArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
}

export interface PutBoardGuestArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** The person: somebody outside the workspace. */
  user_id: number;
  /** What the guest may do on the board. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface RemoveBoardGuestArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** The person: somebody outside the workspace. */
  user_id: number;
}

export interface ListBoardTasksArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** How much of each card. */
  detail?: 'summary' | 'standard' | 'full';
  /** Which page, from 1. */
  page?: number;
  /** How many on a page. */
  per_page?: number;
  /** More fields of a card on each item, such as `priority,labels,due_at`: any that `detail=standard` shows. */
  with?: string;
  /** Instead of `page`: empty to begin, then `next_cursor` of the answer before. */
  cursor?: string;
}

export interface CreateTaskArguments {
  /** The board, by the board_id that list_boards shows. */
  board_id: string;
  /** The project whose code it is about, as list_projects shows it. */
  project_id?: string | null;
  /** One line that says what is to be done. It must not be blank. */
  title: string;
  /** What kind of work it is; coding unless said. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** How it stands; the card moves to the first column of that status. */
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
  /** The person who does it, by user_id. */
  assignee?: PersonInput | null;
  /** The agent that does it, as list_agents shows it. It must consist of letters, digits, _ and -. */
  assignee_agent_id?: string | null;
  /** The person who wants it, by user_id. */
  reporter?: PersonInput | null;
  /** The people who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** The card that it is a part of. */
  parent_id?: string | null;
  /** The ids of all cards that must be done before it. */
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
  /** What the agent needs; `profile` names a coder profile, the rest is yours. */
  agent_context?: AgentContext | null;
  /** The desk to build on. */
  environment_id?: string | null;
  /** The coding agent to build with, such as `claude_code`. */
  runtime?: string | null;
  /** The hired employee who does it. */
  hire_id?: string | null;
  /** How often it was tried. */
  attempt?: number | null;
  /** How often it may be tried; 3 unless said. */
  max_attempts?: number | null;
  /** How far it is, 0 to 100. */
  progress_percent?: number | null;
  /** The branch with the work. */
  branch?: string | null;
  /** The branch that it goes into. */
  base_branch?: string | null;
  /** The newest commit of the work. */
  commit_sha?: string | null;
  /** The number of the pull request. */
  pr_number?: number | null;
  /** The address of the pull request. It must be an http or https address. */
  pr_url?: string | null;
  /** Such as `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** Such as `pending`, `passed` or `failed`. */
  checks_state?: string | null;
  /** Such as `approved` or `changes_requested`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Where the work can be seen running. It must be an http or https address. */
  deploy_url?: string | null;
  /** What the work has cost. */
  cost_usd?: number | null;
  /** Tokens that models have read for it. */
  tokens_in?: number | null;
  /** Tokens that models have written for it. */
  tokens_out?: number | null;
  /** What went wrong, for programs. */
  error_code?: string | null;
  /** What went wrong, for people. */
  error_message?: string | null;
  /** How many points of its checklist are done. */
  checklist_done?: number | null;
  /** How many points its checklist has. */
  checklist_total?: number | null;
  /** Where it came from, such as `email`. */
  source?: string | null;
  /** The same matter elsewhere, such as in an issue tracker. It must be an http or https address. */
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

export interface FindTasksArguments {
  /** Only these boards. */
  board_ids?: string;
  /** Only boards of these types: build, crm, general. */
  board_type?: string;
  /** Only columns of these names, whatever their case, such as `In Progress,Review`. */
  column_names?: string;
  /** pending, in_progress, in_review, blocked, done, canceled. */
  status?: string;
  /** true: only cards with a pull request; false: only those without. */
  has_pr?: boolean;
  /** Only cards changed at or after this ISO time. */
  since?: string;
  /** Only cards of these people: `me`, `none`, user ids. */
  assignee?: string;
  /** Only cards of these agents: `any`, `none`, agent ids. */
  agent?: string;
  /** Only these priorities. */
  priority?: string;
  /** Only cards with one of these labels. */
  labels?: string;
  /**
   * Words that all stand in the title; a ref such as `ENG-12` finds its card, and as the whole of `q` lists
   * it first.
   */
  q?: string;
  /** Only cards due before this ISO time. */
  due_before?: string;
  /** More fields of a card on each item, such as `priority,labels,due_at`: any that `detail=standard` shows. */
  with?: string;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface GetTaskArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
}

export interface UpdateTaskArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
  /** `full` answers the card, `receipt` only what changed. */
  return?: 'full' | 'receipt';
  /** The project whose code it is about, as list_projects shows it. */
  project_id?: string | null;
  /** One line that says what is to be done. It must not be blank. */
  title?: string;
  /** What kind of work it is; coding unless said. */
  task_type?: 'coding' | 'docs' | 'research' | 'design' | 'test' | null;
  /** How it stands; the card moves to the first column of that status. */
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
  /** The person who does it, by user_id. */
  assignee?: PersonInput | null;
  /** The agent that does it, as list_agents shows it. It must consist of letters, digits, _ and -. */
  assignee_agent_id?: string | null;
  /** The person who wants it, by user_id. */
  reporter?: PersonInput | null;
  /** The people who follow it, by user_id. */
  watchers?: PersonInput[] | null;
  /** The card that it is a part of. */
  parent_id?: string | null;
  /** The ids of all cards that must be done before it. */
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
  /** What the agent needs; `profile` names a coder profile, the rest is yours. */
  agent_context?: AgentContext | null;
  /** The desk to build on. */
  environment_id?: string | null;
  /** The coding agent to build with, such as `claude_code`. */
  runtime?: string | null;
  /** The hired employee who does it. */
  hire_id?: string | null;
  /** How often it was tried. */
  attempt?: number | null;
  /** How often it may be tried; 3 unless said. */
  max_attempts?: number | null;
  /** How far it is, 0 to 100. */
  progress_percent?: number | null;
  /** The branch with the work. */
  branch?: string | null;
  /** The branch that it goes into. */
  base_branch?: string | null;
  /** The newest commit of the work. */
  commit_sha?: string | null;
  /** The number of the pull request. */
  pr_number?: number | null;
  /** The address of the pull request. It must be an http or https address. */
  pr_url?: string | null;
  /** Such as `open`, `merged` or `closed`. */
  pr_state?: string | null;
  /** Such as `pending`, `passed` or `failed`. */
  checks_state?: string | null;
  /** Such as `approved` or `changes_requested`. */
  review_state?: string | null;
  /** When the work was merged. */
  merged_at?: string | null;
  /** Where the work can be seen running. It must be an http or https address. */
  deploy_url?: string | null;
  /** What the work has cost. */
  cost_usd?: number | null;
  /** Tokens that models have read for it. */
  tokens_in?: number | null;
  /** Tokens that models have written for it. */
  tokens_out?: number | null;
  /** What went wrong, for programs. */
  error_code?: string | null;
  /** What went wrong, for people. */
  error_message?: string | null;
  /** How many points of its checklist are done. */
  checklist_done?: number | null;
  /** How many points its checklist has. */
  checklist_total?: number | null;
  /** Where it came from, such as `email`. */
  source?: string | null;
  /** The same matter elsewhere, such as in an issue tracker. It must be an http or https address. */
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
  /** Place it right before this card of the same column, by its id; instead of `position`. */
  before?: string;
  /** Place it right after this card. */
  after?: string;
}

export interface DeleteTaskArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
}

export interface ListTaskActivityArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
  /** Which page, from 1. */
  page?: number;
  /** How many on a page. */
  per_page?: number;
}

export interface AddCommentArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
  /** What you want to say; Markdown. It must not be blank. */
  body: string;
}

export interface ListCommentsArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
  /** Which page, from 1. */
  page?: number;
  /** How many on a page. */
  per_page?: number;
}

export interface UpdateCommentArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
  /** The comment, as list_comments shows its id. */
  comment_id: string;
  /** What you want to say; Markdown. It must not be blank. */
  body: string;
}

export interface DeleteCommentArguments {
  /** The card, by its id (a UUID). */
  task_id: string;
  /** The comment, as list_comments shows its id. */
  comment_id: string;
}

export interface BoardsMethods {
  /**
   * Read what happened on a board.
   * What happened on a board, newest first: cards made, moved, changed, commented. Following `next_cursor`
   * gives every entry exactly once, also those that arrive meanwhile.
   */
  listBoardActivity(fields: ListBoardActivityArguments, options?: CallOptions): Promise<ActivityPage>;

  /**
   * Follow what happens on a board.
   * Server-sent events, one for each entry of the feed, oldest first. The id of an event is a cursor of the
   * feed: sent back as `Last-Event-ID` (or `since`), it continues without a gap, on any node.
   */
  streamBoardActivity(
    fields: StreamBoardActivityArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<ActivityEntry>, void, undefined>;

  /**
   * Make a board.
   * Answers the board with its columns; then make cards with create_task. Left out, the columns are Backlog,
   * In Progress, Review, Blocked and Done.
   */
  createBoard(fields: CreateBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * List the boards of the workspace.
   * The boards you can open, oldest first, with their columns: start here to learn a board_id and its column
   * names.
   */
  listBoards(fields?: ListBoardsArguments, options?: CallOptions): Promise<BoardList>;

  /**
   * Read a board.
   * Its key and its columns, whose names are what moving a card asks for.
   */
  getBoard(fields: GetBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * Rename a board or change its columns.
   * The columns that are sent replace the present ones. A column is kept when its `id` or its name is sent;
   * one that is left out must hold no cards. Cards follow their column to a new status.
   */
  updateBoard(fields: UpdateBoardArguments, options?: CallOptions): Promise<Board>;

  /**
   * Delete a board.
   * Everything on it goes: columns, cards, comments and activity. Its key is never used again. Admins only.
   */
  deleteBoard(fields: DeleteBoardArguments, options?: CallOptions): Promise<void>;

  /**
   * Export a board as Markdown.
   * A heading for each column and a section for each card, for reading and for prompts. The same board gives
   * the same bytes. `summary` has no ceiling; any other level at most 1 MiB.
   */
  exportBoard(fields: ExportBoardArguments, options?: CallOptions): Promise<string>;

  /**
   * Invite somebody outside the workspace to a board by e-mail.
   * Mails a link; the person becomes a guest by accepting. Several boards and spaces join one pending
   * invitation, which ends when the last of them goes. Admins only.
   */
  inviteBoardGuest(fields: InviteBoardGuestArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * List the guests of a board.
   * People outside the workspace who can open the board, with their level. Admins only.
   */
  listBoardGuests(fields: ListBoardGuestsArguments, options?: CallOptions): Promise<BoardGuestList>;

  /**
   * Open a board to a guest, or change their level.
   * `viewer` reads, `commenter` also comments, `editor` also makes and changes cards. Admins only.
   */
  putBoardGuest(fields: PutBoardGuestArguments, options?: CallOptions): Promise<BoardGuest>;

  /**
   * Close a board to a guest.
   * What they wrote stays. With the last board or docs space that they can open, their session ends. Admins
   * only.
   */
  removeBoardGuest(fields: RemoveBoardGuestArguments, options?: CallOptions): Promise<void>;

  /**
   * List the cards of a board.
   * The cards of one board by column, position and id. `summary` shows the fewest fields, `full` adds the
   * long texts. By `cursor` they come in the order of their numbers, each once, whatever moves meanwhile. Use
   * find_tasks to filter or to look at several boards.
   */
  listBoardTasks(fields: ListBoardTasksArguments, options?: CallOptions): Promise<CardList>;

  /**
   * Make a card.
   * Make a card on a board; without a column it goes to the first. Answers the card: keep its `id` for
   * update_task and add_comment.
   */
  createTask(fields: CreateTaskArguments, options?: CallOptions): Promise<FullCard>;

  /**
   * Find cards across boards.
   * Find cards across boards, the newest change first. Values of one filter unite, different filters
   * intersect; lists are comma-separated.
   */
  findTasks(fields?: FindTasksArguments, options?: CallOptions): Promise<FoundCardPage>;

  /**
   * Read a card.
   * The whole card: instructions, result, branch, pull request and everything else. Read it before you start
   * to work on it.
   */
  getTask(fields: GetTaskArguments, options?: CallOptions): Promise<FullCard>;

  /**
   * Change a card.
   * Change or move a card: only what is sent changes, null clears. Move it with `column` (or `status`), and
   * within a column with `before` or `after`. `return=receipt` answers just what changed. Take a card with
   * `assignee_agent_id`.
   */
  updateTask(fields: UpdateTaskArguments, options?: CallOptions): Promise<FullCard | CardReceipt>;

  /**
   * Delete a card.
   * Its activity stays, and its number is never used again.
   */
  deleteTask(fields: DeleteTaskArguments, options?: CallOptions): Promise<void>;

  /**
   * Read what happened to a card.
   * The entries of the feed that are about one card, newest first.
   */
  listTaskActivity(fields: ListTaskActivityArguments, options?: CallOptions): Promise<CardActivity>;

  /**
   * Comment on a card.
   * Tell people and other agents something about a card; it shows in the activity of the board.
   */
  addComment(fields: AddCommentArguments, options?: CallOptions): Promise<Comment>;

  /**
   * List the comments on a card.
   * What was said on a card, oldest first.
   */
  listComments(fields: ListCommentsArguments, options?: CallOptions): Promise<CommentList>;

  /**
   * Change a comment.
   * Its author only. The comment keeps its place and its time.
   */
  updateComment(fields: UpdateCommentArguments, options?: CallOptions): Promise<Comment>;

  /**
   * Delete a comment.
   * The author's own, or as an admin anybody's.
   */
  deleteComment(fields: DeleteCommentArguments, options?: CallOptions): Promise<void>;
}

export interface BoardsLists {
  listBoardActivity: { fields: ListBoardActivityArguments; item: ActivityEntry };
  listBoards: { fields: ListBoardsArguments; item: Board };
  listBoardTasks: { fields: ListBoardTasksArguments; item: Card | CardSummary | FullCard };
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
  findTasks: {
    method: 'GET',
    path: '/api/v1/board/master/tasks',
    query: [
      'board_ids', 'board_type', 'column_names', 'status', 'has_pr', 'since', 'assignee', 'agent',
      'priority', 'labels', 'q', 'due_before', 'with', 'limit', 'cursor',
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
} as const satisfies Record<string, Operation>;
