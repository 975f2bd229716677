// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments, ServerEvent, StreamOptions } from '../core/options.js';
import type { Actor } from './shared.generated.js';

export interface InboxChangedCount {
  changed: number;
}

export interface InboxDoneCount {
  done: number;
}

export interface InboxItem {
  item_id: string;
  kind:
    | 'assigned'
    | 'mentioned'
    | 'commented'
    | 'build_failed'
    | 'review_asked'
    | 'build_stalled'
    | 'build_question'
    | 'budget_reached'
    | 'push_failed'
    | 'login_refused'
    | 'pr_merged'
    | 'pr_checks_failed'
    | 'pr_changes_requested';
  at: string;
  read_at: string | null;
  done_at: string | null;
  snoozed_until: string | null;
  actor: Actor | null;
  task: {
    task_id: string;
    ref: string;
    title: string;
    status: string;
    board_id: string;
  } | null;
  build_id: string | null;
  excerpt: string | null;
}

export interface InboxNews {
  unread: number;
}

export interface InboxPage {
  items: InboxItem[];
  unread: number;
  total_open: number;
  total_snoozed: number;
  next_cursor: string | null;
}

export interface SavedView {
  view_id: string;
  name: string;
  query: string;
  created_at: string;
  shared: boolean;
  owner: Actor;
}

export interface SavedViewList {
  views: SavedView[];
  total: number;
}

export interface ListMyInboxArguments {
  /** Only items in this state. */
  state?: 'open' | 'snoozed' | 'done' | 'all';
  /** Only items of this kind. */
  kind?:
    | 'assigned'
    | 'mentioned'
    | 'commented'
    | 'build_failed'
    | 'review_asked'
    | 'build_stalled'
    | 'build_question'
    | 'budget_reached'
    | 'push_failed'
    | 'login_refused'
    | 'pr_merged'
    | 'pr_checks_failed'
    | 'pr_changes_requested';
  /** `true`: only unread items; `false`: only read ones. Default: both. */
  unread?: boolean;
  /** Only items about cards of this board, by key or id. */
  board_id?: string;
  /** Only items about cards of this project. */
  project_id?: string;
  /** Only items caused by this person or their agents. */
  user_id?: number;
  /** Number of items on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface UpdateMyInboxItemsArguments {
  /** The items. */
  item_ids: string[];
  /** Whether the item is read. */
  read?: boolean;
  /** Whether the item is done. */
  done?: boolean;
  /** Hides the item until this time; then it is unread again. `null` ends the snooze. */
  snoozed_until?: string | null;
}

export interface FinishMyInboxItemsArguments {
  /** The items. Default: all open ones. */
  item_ids?: string[];
}

export interface UpdateMyInboxItemArguments {
  /** The item, as list_my_inbox shows it. */
  item_id: string;
  /** Whether the item is read. */
  read?: boolean;
  /** Whether the item is done. */
  done?: boolean;
  /** Hides the item until this time; then it is unread again. `null` ends the snooze. */
  snoozed_until?: string | null;
}

export interface CreateMyViewArguments {
  /** Name of the view. */
  name: string;
  /** Query string of the page. */
  query: string;
  /** Whether all members of the workspace see the view. Default: false. */
  shared?: boolean;
}

export interface UpdateMyViewArguments {
  /** The view, as list_my_views shows it. */
  view_id: string;
  /** Name of the view. */
  name?: string;
  /** Query string of the page. */
  query?: string;
  /** Whether all members of the workspace see the view. Default: false. */
  shared?: boolean;
}

export interface DeleteMyViewArguments {
  /** The view, as list_my_views shows it. */
  view_id: string;
}

export interface MeMethods {
  /**
   * List your inbox.
   * Lists assigned cards, mentions, comments, failed builds and pending reviews, newest first.
   */
  listMyInbox(fields?: ListMyInboxArguments, options?: CallOptions): Promise<InboxPage>;

  /**
   * Mark or snooze several inbox items.
   * Changes the listed items like update_my_inbox_item. Returns how many of them are yours.
   */
  updateMyInboxItems(fields: UpdateMyInboxItemsArguments, options?: CallOptions): Promise<InboxChangedCount>;

  /**
   * Mark inbox items as done.
   * Marks the listed items, or all open ones. Returns how many were marked.
   */
  finishMyInboxItems(fields?: FinishMyInboxItemsArguments, options?: CallOptions): Promise<InboxDoneCount>;

  /**
   * Follow your inbox.
   * Sends the number of unread items as server-sent events, at once and after each change.
   */
  streamMyInbox(
    fields?: NoArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<InboxNews>, void, undefined>;

  /**
   * Mark an inbox item as read or done, or snooze it.
   * Keeps the fields that you leave out. An item that is done is also read and no longer snoozed.
   */
  updateMyInboxItem(fields: UpdateMyInboxItemArguments, options?: CallOptions): Promise<InboxItem>;

  /**
   * List saved views.
   * Lists your views and those shared in the workspace, oldest first. Guests see only their own.
   */
  listMyViews(fields?: NoArguments, options?: CallOptions): Promise<SavedViewList>;

  /**
   * Save a view.
   * Stores the query string of a page under a name.
   */
  createMyView(fields: CreateMyViewArguments, options?: CallOptions): Promise<SavedView>;

  /**
   * Rename, change or share a saved view.
   * Keeps the fields that you leave out. Admins can also change shared views of others.
   */
  updateMyView(fields: UpdateMyViewArguments, options?: CallOptions): Promise<SavedView>;

  /**
   * Delete a saved view.
   * Deletes the view but not its cards. Admins can also delete shared views of others.
   */
  deleteMyView(fields: DeleteMyViewArguments, options?: CallOptions): Promise<void>;
}

export interface MeLists {
  listMyInbox: { fields: ListMyInboxArguments; item: InboxItem };
}

export interface MeStreams {
  streamMyInbox: { fields: NoArguments; data: InboxNews };
}

export const me = {
  listMyInbox: {
    method: 'GET',
    path: '/api/v1/me/inbox',
    query: ['state', 'kind', 'unread', 'board_id', 'project_id', 'user_id', 'limit', 'cursor'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items', key: 'item_id' },
  },
  updateMyInboxItems: {
    method: 'PATCH',
    path: '/api/v1/me/inbox',
    body: ['item_ids', 'read', 'done', 'snoozed_until'],
    needsBody: true,
  },
  finishMyInboxItems: { method: 'POST', path: '/api/v1/me/inbox/done', body: ['item_ids'] },
  streamMyInbox: { method: 'GET', path: '/api/v1/me/inbox/stream', answer: 'events' },
  updateMyInboxItem: {
    method: 'PATCH',
    path: '/api/v1/me/inbox/{item_id}',
    body: ['read', 'done', 'snoozed_until'],
  },
  listMyViews: { method: 'GET', path: '/api/v1/me/views' },
  createMyView: {
    method: 'POST',
    path: '/api/v1/me/views',
    body: ['name', 'query', 'shared'],
    needsBody: true,
    creates: true,
  },
  updateMyView: { method: 'PATCH', path: '/api/v1/me/views/{view_id}', body: ['name', 'query', 'shared'] },
  deleteMyView: { method: 'DELETE', path: '/api/v1/me/views/{view_id}', answer: 'nothing' },
} as const satisfies Record<string, Operation>;
