import { eventStream } from '../../http/answer/event-stream.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../http/declaration/route.js';
import {
  DoneCount,
  DoneInput,
  InboxItem,
  InboxNews,
  InboxPage,
  InboxPatch,
  InboxQuery,
} from './inbox.schemas.js';
import type { InboxService } from './inbox.service.js';

const INBOX = '/api/v1/me/inbox';
const tags: [string] = ['Me'];
const access = () => memberAccess({ role: 'guest' });

export const inboxRoutes = (inbox: InboxService): Route[] => [
  route({
    name: 'list_my_inbox',
    method: 'GET',
    path: INBOX,
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
    summary: 'What you should know of',
    description:
      'Cards assigned to you, mentions, comments on your cards, failed builds and reviews that wait for you, newest first.',
    tags,
    access: access(),
    query: InboxQuery,
    queryStatus: 400,
    responses: { 200: InboxPage },
    errors: [error(400, '`limit` is out of range, or `cursor` is not one this endpoint issued')],
    handler: ({ caller, query }) => inbox.listInbox(caller, query),
  }),
  route({
    name: 'stream_my_inbox',
    method: 'GET',
    path: `${INBOX}/stream`,
    agents: 'never',
    summary: 'Follow your inbox',
    description: 'Server-sent events: how many are unread, at once and whenever the inbox changes.',
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
    summary: 'Mark an item as read or done, or as neither',
    description: 'What is left out stays; what is done is read.',
    tags,
    access: access(),
    params: { item_id: uuidParam('Item not found', { description: 'The item, as list_my_inbox shows it.' }) },
    body: InboxPatch,
    responses: { 200: InboxItem },
    errors: [error(400, '`No fields to update`'), error(404, 'Item not found')],
    handler: ({ caller, params, body }) => inbox.changeItem(caller, params.item_id, body),
  }),
  route({
    name: 'finish_my_inbox_items',
    method: 'POST',
    path: `${INBOX}/done`,
    summary: 'Be done with items',
    description: 'With those named, or with all that are open. Answers how many there were.',
    tags,
    access: access(),
    body: DoneInput,
    responses: { 200: DoneCount },
    errors: [],
    handler: ({ caller, body }) => inbox.finishItems(caller, body.item_ids),
  }),
];
