import { eventStream, writtenItems } from '../../../platform/http/answer/answers.js';
import { error, type Route, route } from '../../../platform/http/declaration/route.js';
import {
  ActivityEntry,
  ActivityPage,
  ActivityQuery,
  CardActivity,
  closedBoard,
  closedCard,
  ListQuery,
  noBoard,
  noCard,
  onBoard,
  onCard,
  StreamQuery,
  TASK,
} from '../boards.schemas.js';
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
      summary: 'List the activity of a board',
      description:
        'Newest first. Following `next_cursor` returns every entry exactly once, including new ones.',
      ...onBoard,
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
      summary: 'List the activity of a card',
      description: "Lists the board's activity entries about the card, newest first.",
      ...onCard,
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
      summary: 'Follow the activity of a board',
      description:
        "Sends entries as server-sent events, oldest first. An event's id is a cursor: send it as `Last-Event-ID` or `since` to continue without a gap.",
      ...onBoard,
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
