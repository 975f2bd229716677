// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments, ServerEvent, StreamOptions } from '../core/options.js';
import type { Actor } from './shared.generated.js';

export interface InboxDoneCount {
  done: number;
}

export interface InboxItem {
  item_id: string;
  kind: 'assigned' | 'mentioned' | 'commented' | 'build_failed' | 'review_asked';
  at: string;
  read_at: string | null;
  done_at: string | null;
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
  next_cursor: string | null;
}

export interface SavedView {
  view_id: string;
  name: string;
  query: string;
  created_at: string;
}

export interface SavedViewList {
  views: SavedView[];
  total: number;
}

export interface ListMyInboxArguments {
  /** What you have done with them. */
  state?: 'open' | 'done' | 'all';
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
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
  /** Whether you are done with it; what is done is read. */
  done?: boolean;
}

export interface CreateMyViewArguments {
  /** What you call it. It must not be blank. */
  name: string;
  /** The query string of the page's address. */
  query: string;
}

export interface UpdateMyViewArguments {
  /** The view, as list_my_views shows it. */
  view_id: string;
  /** What you call it. It must not be blank. */
  name?: string;
  /** The query string of the page's address. */
  query?: string;
}

export interface DeleteMyViewArguments {
  /** The view, as list_my_views shows it. */
  view_id: string;
}

export interface MeMethods {
  /**
   * What you should know of.
   * Cards assigned to you, mentions, comments on your cards, failed builds and reviews that wait for you,
   * newest first.
   */
  listMyInbox(fields?: ListMyInboxArguments, options?: CallOptions): Promise<InboxPage>;

  /**
   * Be done with items.
   * With those named, or with all that are open. Answers how many there were.
   */
  finishMyInboxItems(fields?: FinishMyInboxItemsArguments, options?: CallOptions): Promise<InboxDoneCount>;

  /**
   * Follow your inbox.
   * Server-sent events: how many are unread, at once and whenever the inbox changes.
   */
  streamMyInbox(
    fields?: NoArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<InboxNews>, void, undefined>;

  /**
   * Mark an item as read or done, or as neither.
   * What is left out stays; what is done is read.
   */
  updateMyInboxItem(fields: UpdateMyInboxItemArguments, options?: CallOptions): Promise<InboxItem>;

  /**
   * List your saved views.
   * Yours in this workspace, oldest first; nobody else sees them.
   */
  listMyViews(fields?: NoArguments, options?: CallOptions): Promise<SavedViewList>;

  /**
   * Save a view.
   * Keeps the query string of a page under a name.
   */
  createMyView(fields: CreateMyViewArguments, options?: CallOptions): Promise<SavedView>;

  /**
   * Rename or change a saved view.
   * What is left out stays.
   */
  updateMyView(fields: UpdateMyViewArguments, options?: CallOptions): Promise<SavedView>;

  /**
   * Delete a saved view.
   * The cards that it shows stay as they are.
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
    query: ['state', 'limit', 'cursor'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items', key: 'item_id' },
  },
  finishMyInboxItems: { method: 'POST', path: '/api/v1/me/inbox/done', body: ['item_ids'] },
  streamMyInbox: { method: 'GET', path: '/api/v1/me/inbox/stream', answer: 'events' },
  updateMyInboxItem: { method: 'PATCH', path: '/api/v1/me/inbox/{item_id}', body: ['read', 'done'] },
  listMyViews: { method: 'GET', path: '/api/v1/me/views' },
  createMyView: {
    method: 'POST',
    path: '/api/v1/me/views',
    body: ['name', 'query'],
    needsBody: true,
    creates: true,
  },
  updateMyView: { method: 'PATCH', path: '/api/v1/me/views/{view_id}', body: ['name', 'query'] },
  deleteMyView: { method: 'DELETE', path: '/api/v1/me/views/{view_id}', answer: 'nothing' },
} as const satisfies Record<string, Operation>;
