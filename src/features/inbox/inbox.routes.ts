import { eventStream } from '../../platform/http/answer/event-stream.js';
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
    summary: 'What you should know of',
    description: 'Assigned cards, mentions, comments, failed builds and waiting reviews, newest first.',
    tags,
    access: access(),
    query: InboxQuery,
    queryStatus: 400,
    responses: { 200: InboxPage },
    errors: [error(400, '`limit` is out of range, or `cursor` not one this list gave out')],
    handler: ({ caller, query }) => inbox.listInbox(caller, query),
  }),
  route({
    name: 'stream_my_inbox',
    method: 'GET',
    path: `${INBOX}/stream`,
    agents: 'never',
    summary: 'Follow your inbox',
    description: 'Server-sent events: how many are unread, now and at each change.',
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
    summary: 'Mark an item as read or done, or snooze it',
    description: 'What is left out stays; done is read, and no longer snoozed.',
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
    summary: 'The same for several items',
    description: 'Answers how many of them are yours.',
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
    summary: 'Be done with items',
    description: 'Those named, or all that are open. Answers how many.',
    tags,
    access: access(),
    body: DoneInput,
    responses: { 200: DoneCount },
    errors: [],
    handler: ({ caller, body }) => inbox.finishItems(caller, body.item_ids),
  }),
];
