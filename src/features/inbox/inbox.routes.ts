import { eventStream } from '../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import {
  ChangedCount,
  DoneCount,
  DoneInput,
  InboxChange,
  InboxItem,
  InboxNews,
  InboxPage,
  InboxPatch,
  InboxQuery,
} from './inbox.schemas.js';
import type { InboxService } from './inbox.service.js';

const INBOX = '/api/v1/me/inbox';
const tags: [string] = ['Me'];
const nothing = error(400, '`No fields to update`');
const notASnooze = error(422, '`snoozed_until` is past, or over a year ahead');
const access = () => memberAccess({ role: 'guest' });

export const inboxRoutes = (inbox: InboxService): Route[] => [
  route({
    name: 'list_my_inbox',
    method: 'GET',
    path: INBOX,
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
    summary: 'List your inbox',
    description: 'Lists assigned cards, mentions, comments, failed builds and pending reviews, newest first.',
    tags,
    access: access(),
    query: InboxQuery,
    queryStatus: 400,
    responses: { 200: InboxPage },
    errors: [error(400, '`limit` is out of range, or `cursor` was not issued by this endpoint')],
    handler: ({ caller, query }) => inbox.listInbox(caller, query),
  }),
  route({
    name: 'stream_my_inbox',
    method: 'GET',
    path: `${INBOX}/stream`,
    agents: 'never',
    summary: 'Follow your inbox',
    description: 'Sends the number of unread items as server-sent events, at once and after each change.',
    tags,
    access: access(),
    responses: {
      200: {
        contentType: 'text/event-stream',
        description: 'Events as they happen',
        event: InboxNews,
      },
    },
    errors: [],
    handler: ({ caller, signal }) => eventStream(inbox.followInbox(caller, signal)),
  }),
  route({
    name: 'update_my_inbox_item',
    method: 'PATCH',
    path: `${INBOX}/{item_id}`,
    summary: 'Mark an inbox item as read or done, or snooze it',
    description:
      'Keeps the fields that you leave out. An item that is done is also read and no longer snoozed.',
    tags,
    access: access(),
    params: { item_id: uuidParam('Item not found', { description: 'The item, as list_my_inbox shows it.' }) },
    body: InboxPatch,
    responses: { 200: InboxItem },
    errors: [nothing, error(404, 'Not found'), notASnooze],
    handler: ({ caller, params, body }) => inbox.changeItem(caller, params.item_id, body),
  }),
  route({
    name: 'update_my_inbox_items',
    method: 'PATCH',
    path: INBOX,
    summary: 'Mark or snooze several inbox items',
    description: 'Changes the listed items like update_my_inbox_item. Returns how many of them are yours.',
    tags,
    access: access(),
    body: InboxChange,
    responses: { 200: ChangedCount },
    errors: [nothing, notASnooze],
    handler: ({ caller, body: { item_ids, ...changes } }) => inbox.changeItems(caller, item_ids, changes),
  }),
  route({
    name: 'finish_my_inbox_items',
    method: 'POST',
    path: `${INBOX}/done`,
    summary: 'Mark inbox items as done',
    description: 'Marks the listed items, or all open ones. Returns how many were marked.',
    tags,
    access: access(),
    body: DoneInput,
    responses: { 200: DoneCount },
    errors: [],
    handler: ({ caller, body }) => inbox.finishItems(caller, body.item_ids),
  }),
];
