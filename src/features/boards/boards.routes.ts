import { Type } from 'typebox';
import { noContent, notModified, text } from '../../platform/http/answer/answers.js';
import { namesTag } from '../../platform/http/answer/ready-answer.js';
import {
  error,
  integerParam,
  memberAccess,
  type Route,
  route,
} from '../../platform/http/declaration/route.js';
import { OneOf } from '../../platform/http/declaration/schemas.js';
import { attachmentRoutes } from './attachments/attachments.routes.js';
import {
  BOARD,
  BOARDS,
  Board,
  BoardGuest,
  BoardGuestList,
  BoardInput,
  BoardList,
  BoardListQuery,
  BoardPatch,
  board,
  closedBoard,
  GuestInput,
  noBoard,
  onBoard,
  openToGuests,
  tags,
} from './boards.schemas.js';
import type { BoardService } from './boards.service.js';
import { DETAIL_LEVELS } from './cards/card-fields.js';
import { cardRoutes } from './cards/cards.routes.js';
import { commentRoutes } from './comments/comments.routes.js';
import type { createExportService } from './export.service.js';
import { feedRoutes } from './feed/feed.routes.js';
import { FindTasksQuery, FoundTasks } from './master/master.schemas.js';
import type { createFindTasksService } from './master/master.service.js';

export function boardRoutes(boards: BoardService): Route[] {
  return [
    ...boardRecordRoutes(boards),
    ...cardRoutes(boards),
    ...commentRoutes(boards),
    ...attachmentRoutes(boards),
    ...masterRoutes(boards),
    ...feedRoutes(boards),
    ...exportRoutes(boards),
    ...boardGuestRoutes(boards),
  ];
}

function boardRecordRoutes(boards: BoardService): Route[] {
  return [
    route({
      name: 'create_board',
      method: 'POST',
      path: BOARDS,
      creates: {},
      summary: 'Create a board',
      description: 'Without `columns` it gets Backlog, In Progress, Review, Blocked and Done.',
      tags,
      access: memberAccess(),
      body: BoardInput,
      responses: { 201: Board },
      errors: [],
      handler: ({ caller, body }) => boards.createBoard(caller, body),
    }),
    route({
      name: 'list_boards',
      method: 'GET',
      path: BOARDS,
      agents: 'direct',
      pagination: { style: 'page', parameter: 'page', size: 'per_page', items: 'boards' },
      summary: 'List the boards of the workspace',
      description: 'Lists the boards you can open, oldest first, with their board_id and column names.',
      mayLag: true,
      ...openToGuests,
      query: BoardListQuery,
      queryStatus: 400,
      responses: { 200: BoardList },
      errors: [],
      handler: ({ caller, query }) => boards.listBoards(caller, query),
    }),
    route({
      name: 'get_board',
      method: 'GET',
      path: BOARD,
      summary: 'Get a board',
      description: 'Returns its key and the columns that cards move to by name.',
      ...onBoard,
      responses: { 200: Board },
      errors: [closedBoard, noBoard],
      handler: ({ caller, params }) => boards.getBoard(caller, params.board_id),
    }),
    route({
      name: 'update_board',
      method: 'PATCH',
      path: BOARD,
      summary: 'Rename a board or change its columns',
      description:
        'Replaces the columns with the sent ones, matched by `id` or name; a column that you leave out must be empty. Cards follow a new status of their column.',
      tags,
      access: memberAccess(),
      params: board,
      body: BoardPatch,
      responses: { 200: Board },
      errors: [closedBoard, noBoard, error(409, 'A column that was left out still holds cards')],
      handler: ({ caller, params, body }) => boards.changeBoard(caller, params.board_id, body),
    }),
    route({
      name: 'delete_board',
      method: 'DELETE',
      path: BOARD,
      summary: 'Delete a board',
      description: 'Also deletes its cards, comments and activity. Its key is never used again.',
      tags,
      access: memberAccess({ role: 'admin' }),
      params: board,
      responses: { 204: null },
      errors: [closedBoard, noBoard],
      handler: async ({ caller, params }) => {
        await boards.deleteBoard(caller, params.board_id);
        return noContent();
      },
    }),
  ];
}

function boardGuestRoutes(boards: BoardService): Route[] {
  const guest = {
    ...board,
    user_id: integerParam('User not found', { description: 'User outside the workspace.' }),
  };
  return [
    route({
      name: 'list_board_guests',
      method: 'GET',
      path: `${BOARD}/guests`,
      summary: 'List the guests of a board',
      description: 'Lists its guests with their levels.',
      tags,
      access: memberAccess({ role: 'admin' }),
      params: board,
      responses: { 200: BoardGuestList },
      errors: [closedBoard, noBoard],
      handler: ({ caller, params }) => boards.listGuests(caller, params.board_id),
    }),
    route({
      name: 'put_board_guest',
      method: 'PUT',
      path: `${BOARD}/guests/{user_id}`,
      summary: 'Invite a guest to a board or change their level',
      description:
        'A `viewer` reads, a `commenter` also comments, an `editor` also creates and changes cards.',
      tags,
      access: memberAccess({ role: 'admin' }),
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
      name: 'remove_board_guest',
      method: 'DELETE',
      path: `${BOARD}/guests/{user_id}`,
      summary: 'Remove a guest from a board',
      description: 'Keeps what they wrote. Without any board or docs space left, their sessions end.',
      tags,
      access: memberAccess({ role: 'admin' }),
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

type ExportService = ReturnType<typeof createExportService>;

const ExportQuery = Type.Object({
  detail: Type.Optional(OneOf(DETAIL_LEVELS, { description: 'Fields of each card. Default: `standard`.' })),
  columns: Type.Optional(Type.String({ description: 'Names of columns, comma-separated. Default: all.' })),
});

export function exportRoutes(boards: ExportService): Route[] {
  return [
    route({
      name: 'export_board',
      method: 'GET',
      path: `${BOARD}/export`,
      summary: 'Export a board as Markdown',
      description:
        'Writes a heading per column and an item per card. The same board gives the same bytes. At most 1 MiB unless `detail=summary`.',
      mayLag: true,
      ...onBoard,
      query: ExportQuery,
      queryStatus: 400,
      headers: ['If-None-Match', 'ETag', 'Cache-Control'],
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

type MasterService = ReturnType<typeof createFindTasksService>;

export function masterRoutes(boards: MasterService): Route[] {
  return [
    route({
      name: 'find_tasks',
      method: 'GET',
      path: '/api/v1/board/master/tasks',
      agents: 'direct',
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
      summary: 'Find cards across boards',
      description:
        'Sorted by newest change. Cards match every filter, and any value of a comma-separated one.',
      mayLag: true,
      ...openToGuests,
      query: FindTasksQuery,
      queryStatus: 400,
      responses: { 200: FoundTasks },
      errors: [
        error(400, 'A filter, `with`, `limit` or `cursor` breaks its rule, or `assignee` is unknown'),
        error(403, 'A named board belongs to another workspace'),
        error(404, 'A named board does not exist'),
      ],
      handler: ({ caller, query }) => boards.findTasks(caller, query),
    }),
  ];
}
