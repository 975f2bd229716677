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
  /** What you have done with them. */
  state?: 'open' | 'snoozed' | 'done' | 'all';
  /** Only of this kind. */
  kind?:
    | 'assigned'
    | 'mentioned'
    | 'commented'
    | 'build_failed'
    | 'review_asked'
    | 'build_stalled'
    | 'budget_reached'
    | 'push_failed'
    | 'login_refused'
    | 'pr_merged'
    | 'pr_checks_failed'
    | 'pr_changes_requested';
  /** true: only unread ones; false: only read ones. */
  unread?: boolean;
  /** Only cards of this board, by key or id. */
  board_id?: string;
  /** Only cards of this project. */
  project_id?: string;
  /** Only what this person did, or their agent. */
  user_id?: number;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface UpdateMyInboxItemsArguments {
  /** These items. */
  item_ids: string[];
  /** Whether you have read it. */
  read?: boolean;
  /** Whether you are done with it. */
  done?: boolean;
  /** Out of sight until then, then unread; null: back now. */
  snoozed_until?: string | null;
}

export interface FinishMyInboxItemsArguments {
  /** These items; left out, all that are open. */
  item_ids?: string[];
}

export interface UpdateMyInboxItemArguments {
  /** The item, as list_my_inbox shows it. */
  item_id: string;
  /** Whether you have read it. */
  read?: boolean;
  /** Whether you are done with it. */
  done?: boolean;
  /** Out of sight until then, then unread; null: back now. */
  snoozed_until?: string | null;
}

export interface CreateMyViewArguments {
  /** What you call it. */
  name: string;
  /** The page's query string. */
  query: string;
  /** Whether all members have it. */
  shared?: boolean;
}

export interface UpdateMyViewArguments {
  /** The view, as list_my_views shows it. */
  view_id: string;
  /** What you call it. */
  name?: string;
  /** The page's query string. */
  query?: string;
  /** Whether all members have it. */
  shared?: boolean;
}

export interface DeleteMyViewArguments {
  /** The view, as list_my_views shows it. */
  view_id: string;
}

export interface MeMethods {
  /**
   * What you should know of.
   * Assigned cards, mentions, comments, failed builds and waiting reviews, newest first.
   */
  listMyInbox(fields?: ListMyInboxArguments, options?: CallOptions): Promise<InboxPage>;

  /**
   * The same for several items.
   * Answers how many of them are yours.
   */
  updateMyInboxItems(fields: UpdateMyInboxItemsArguments, options?: CallOptions): Promise<InboxChangedCount>;

  /**
   * Be done with items.
   * Those named, or all that are open. Answers how many.
   */
  finishMyInboxItems(fields?: FinishMyInboxItemsArguments, options?: CallOptions): Promise<InboxDoneCount>;

  /**
   * Follow your inbox.
   * Server-sent events: how many are unread, now and at each change.
   */
  streamMyInbox(
    fields?: NoArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<InboxNews>, void, undefined>;

  /**
   * Mark an item as read or done, or snooze it.
   * What is left out stays; done is read, and no longer snoozed.
   */
  updateMyInboxItem(fields: UpdateMyInboxItemArguments, options?: CallOptions): Promise<InboxItem>;

  /**
   * List saved views.
   * Yours and those that members share, oldest first; guests see their own.
   */
  listMyViews(fields?: NoArguments, options?: CallOptions): Promise<SavedViewList>;

  /**
   * Save a view.
   * Keeps the query string of a page under a name.
   */
  createMyView(fields: CreateMyViewArguments, options?: CallOptions): Promise<SavedView>;

  /**
   * Rename, change or share a saved view.
   * What is left out stays. Admins also change what others share.
   */
  updateMyView(fields: UpdateMyViewArguments, options?: CallOptions): Promise<SavedView>;

  /**
   * Delete a saved view.
   * Its cards stay. Admins also delete what others share.
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
