import { noContent, notModified, text } from '../../http/answers.js';
import { eventStream } from '../../http/event-stream.js';
import { error, integerParam, memberAccess, type Route, route, uuidParam } from '../../http/route.js';
import { boardCardRoutes } from './boards.card-routes.js';
import {
  ActivityPage,
  ActivityQuery,
  Board,
  BoardGuest,
  BoardGuestList,
  BoardInput,
  BoardList,
  BoardPatch,
  ExportQuery,
  GuestInput,
  ListQuery,
  StreamQuery,
} from './boards.schemas.js';
import type { BoardService } from './boards.service.js';

const BOARDS = '/api/v1/board/boards';
const ACTIVITY = '/api/v1/board/activity/boards/{board_id}';
const tags: [string] = ['Boards'];
const board = { board_id: uuidParam('Board not found') };
/** Guests get in here; what they may do is a matter of their level on the board. */
const anybody = () => memberAccess({ role: 'guest' });
const closedBoard = error(403, 'The board belongs to another workspace, or the guest was not invited to it');
const noBoard = error(404, 'Board not found');

export function boardRoutes(boards: BoardService): Route[] {
  return [
    ...boardRecordRoutes(boards),
    ...boardCardRoutes(boards),
    ...boardFeedRoutes(boards),
    ...boardGuestRoutes(boards),
  ];
}

function boardRecordRoutes(boards: BoardService): Route[] {
  return [
    route({
      method: 'POST',
      path: BOARDS,
      summary: 'Make a board',
      tags,
      access: memberAccess(),
      body: BoardInput,
      responses: { 201: Board },
      errors: [],
      handler: ({ caller, body }) => boards.createBoard(caller, body),
    }),
    route({
      method: 'GET',
      path: BOARDS,
      summary: 'List the boards of the workspace',
      description: 'Oldest first. A guest sees the boards they were invited to.',
      tags,
      access: anybody(),
      query: ListQuery,
      queryStatus: 400,
      responses: { 200: BoardList },
      errors: [],
      handler: ({ caller, query }) => boards.listBoards(caller, query),
    }),
    route({
      method: 'GET',
      path: `${BOARDS}/{board_id}`,
      summary: 'Read a board',
      tags,
      access: anybody(),
      params: board,
      responses: { 200: Board },
      errors: [closedBoard, noBoard],
      handler: ({ caller, params }) => boards.getBoard(caller, params.board_id),
    }),
    route({
      method: 'PATCH',
      path: `${BOARDS}/{board_id}`,
      summary: 'Rename a board or change its columns',
      description:
        'The columns that are sent replace the present ones. A column is kept when its `id` or its name is sent; one that is left out must hold no cards. Cards follow their column to a new status.',
      tags,
      access: memberAccess(),
      params: board,
      body: BoardPatch,
      responses: { 200: Board },
      errors: [closedBoard, noBoard, error(409, 'A column that was left out still holds cards')],
      handler: ({ caller, params, body }) => boards.changeBoard(caller, params.board_id, body),
    }),
  ];
}

function boardFeedRoutes(boards: BoardService): Route[] {
  const badCursor = error(400, '`since` is not a cursor this endpoint issued, or `limit` is out of range');
  return [
    route({
      method: 'GET',
      path: ACTIVITY,
      summary: 'Read what happened on a board',
      description:
        'Newest first. `next_cursor` remembers what was read: following it gives every entry exactly once, what arrived since and then older entries, whatever is written meanwhile.',
      tags,
      access: anybody(),
      params: board,
      query: ActivityQuery,
      queryStatus: 400,
      responses: { 200: ActivityPage },
      errors: [badCursor, closedBoard, noBoard],
      handler: ({ caller, params, query }) => boards.listActivity(caller, params.board_id, query),
    }),
    route({
      method: 'GET',
      path: `${ACTIVITY}/stream`,
      summary: 'Follow what happens on a board',
      description:
        'Server-sent events, one for each entry of the feed, oldest first. The id of an event is a cursor of the feed: sent back as `Last-Event-ID` (or `since`), it continues without a gap, on any node.',
      tags,
      access: anybody(),
      params: board,
      query: StreamQuery,
      queryStatus: 400,
      responses: { 200: { contentType: 'text/event-stream', description: 'Events as they happen' } },
      errors: [badCursor, closedBoard, noBoard],
      handler: async ({ caller, params, query, headers, signal }) => {
        const lastEvent = headers['last-event-id'];
        const since = typeof lastEvent === 'string' && lastEvent !== '' ? lastEvent : query.since;
        return eventStream(await boards.followActivity(caller, params.board_id, since, signal));
      },
    }),
    route({
      method: 'GET',
      path: `${BOARDS}/{board_id}/export`,
      summary: 'Export a board as Markdown',
      description:
        'The same board gives the same bytes. `summary` has no ceiling; any other level at most 1 MiB.',
      tags,
      access: anybody(),
      params: board,
      query: ExportQuery,
      queryStatus: 400,
      responses: {
        200: { contentType: 'text/markdown', description: 'The board, a heading per column' },
        304: null,
      },
      errors: [
        error(400, '`detail` is not one of summary, standard, full'),
        closedBoard,
        noBoard,
        error(413, 'The rendering exceeds 1 MiB'),
      ],
      handler: async ({ caller, params, query, headers }) => {
        const { markdown, etag } = await boards.exportBoard(
          caller,
          params.board_id,
          query.detail ?? 'standard',
          query.columns,
        );
        const cacheHeaders = { etag, 'cache-control': 'private, no-cache' };
        if (namesTag(headers['if-none-match'], etag)) return notModified(cacheHeaders);
        return text(200, markdown, 'text/markdown; charset=utf-8', cacheHeaders);
      },
    }),
  ];
}

const namesTag = (header: string | string[] | undefined, etag: string): boolean =>
  String(header ?? '')
    .split(',')
    .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

function boardGuestRoutes(boards: BoardService): Route[] {
  const guest = { ...board, user_id: integerParam('User not found') };
  const admins = () => memberAccess({ role: 'admin' });
  return [
    route({
      method: 'GET',
      path: `${BOARDS}/{board_id}/guests`,
      summary: 'List the guests of a board',
      tags,
      access: admins(),
      params: board,
      responses: { 200: BoardGuestList },
      errors: [closedBoard, noBoard],
      handler: ({ caller, params }) => boards.listGuests(caller, params.board_id),
    }),
    route({
      method: 'PUT',
      path: `${BOARDS}/{board_id}/guests/{user_id}`,
      summary: 'Open a board to a guest, or change their level',
      description: '`viewer` reads, `commenter` also comments, `editor` also makes and changes cards.',
      tags,
      access: admins(),
      params: guest,
      body: GuestInput,
      responses: { 200: BoardGuest },
      errors: [
        closedBoard,
        error(404, 'No such board or user'),
        error(409, 'User is already a member of this brand'),
      ],
      handler: ({ caller, params, body }) =>
        boards.inviteGuest(caller, params.board_id, params.user_id, body.role),
    }),
    route({
      method: 'DELETE',
      path: `${BOARDS}/{board_id}/guests/{user_id}`,
      summary: 'Close a board to a guest',
      tags,
      access: admins(),
      params: guest,
      responses: { 204: null },
      errors: [closedBoard, error(404, 'No such board, or not a guest of it')],
      handler: async ({ caller, params }) => {
        await boards.withdrawGuest(caller, params.board_id, params.user_id);
        return noContent();
      },
    }),
  ];
}
