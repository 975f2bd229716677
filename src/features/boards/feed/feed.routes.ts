import { writtenItems } from '../../../platform/http/answer/answers.js';
import { eventStream } from '../../../platform/http/answer/event-stream.js';
import { error, type Route, route } from '../../../platform/http/declaration/route.js';
import {
  ActivityEntry,
  ActivityPage,
  ActivityQuery,
  CardActivity,
  StreamQuery,
} from '../activity/feed.schemas.js';
import {
  anybody,
  board,
  closedBoard,
  closedCard,
  noBoard,
  noCard,
  TASK,
  tags,
  task,
} from '../board/route-parts.js';
import { ListQuery } from '../boards.schemas.js';
import type { createFeedService } from './feed.service.js';

type FeedService = ReturnType<typeof createFeedService>;

const ACTIVITY = '/api/v1/board/activity/boards/{board_id}';
const badCursor = error(400, '`since` is not a cursor this endpoint issued, or `limit` is out of range');

export function feedRoutes(boards: FeedService): Route[] {
  return [
    route({
      name: 'list_board_activity',
      method: 'GET',
      path: ACTIVITY,
      pagination: { style: 'cursor', parameter: 'since', next: 'next_cursor', items: 'items' },
      summary: 'Read what happened on a board',
      description:
        'Newest first. Following `next_cursor` gives every entry exactly once, also those that arrive meanwhile.',
      tags,
      access: anybody(),
      params: board,
      query: ActivityQuery,
      queryStatus: 400,
      responses: { 200: ActivityPage },
      errors: [badCursor, closedBoard, noBoard],
      handler: async ({ caller, params, query }) => {
        const { items, next_cursor } = await boards.listActivity(caller, params.board_id, query);
        return writtenItems(items, { next_cursor });
      },
    }),
    route({
      name: 'list_task_activity',
      method: 'GET',
      path: `${TASK}/activity`,
      pagination: { style: 'page', parameter: 'page', size: 'per_page', items: 'items' },
      summary: 'Read what happened to a card',
      description: "The feed's entries about the card, newest first.",
      tags,
      access: anybody(),
      params: task,
      query: ListQuery,
      queryStatus: 400,
      responses: { 200: CardActivity },
      errors: [closedCard, noCard],
      handler: async ({ caller, params, query }) => {
        const { items, total } = await boards.listCardActivity(caller, params.task_id, query);
        return writtenItems(items, { total });
      },
    }),
    route({
      name: 'stream_board_activity',
      method: 'GET',
      path: `${ACTIVITY}/stream`,
      agents: 'never',
      summary: 'Follow what happens on a board',
      description:
        "Server-sent events, oldest first. An event's id is a cursor: as `Last-Event-ID` (or `since`) it continues without a gap, on any node.",
      tags,
      access: anybody(),
      params: board,
      query: StreamQuery,
      queryStatus: 400,
      headers: ['Last-Event-ID'],
      responses: {
        200: {
          contentType: 'text/event-stream',
          description: 'Events as they happen',
          event: ActivityEntry,
        },
      },
      errors: [badCursor, closedBoard, noBoard],
      handler: async ({ caller, params, query, headers, signal }) => {
        const lastEvent = headers['last-event-id'];
        const since = typeof lastEvent === 'string' && lastEvent !== '' ? lastEvent : query.since;
        return eventStream(await boards.followActivity(caller, params.board_id, since, signal));
      },
    }),
  ];
}
