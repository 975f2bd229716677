import { noContent } from '../../platform/http/answer/answers.js';
import {
  error,
  integerParam,
  memberAccess,
  type Route,
  route,
} from '../../platform/http/declaration/route.js';
import { attachmentRoutes } from './attachments/attachments.routes.js';
import { admins, anybody, BOARD, BOARDS, board, closedBoard, noBoard, tags } from './board/route-parts.js';
import {
  Board,
  BoardGuest,
  BoardGuestList,
  BoardInput,
  BoardList,
  BoardListQuery,
  BoardPatch,
  GuestInput,
} from './boards.schemas.js';
import type { BoardService } from './boards.service.js';
import { cardRoutes } from './cards/cards.routes.js';
import { commentRoutes } from './comments/comments.routes.js';
import { exportRoutes } from './export/export.routes.js';
import { feedRoutes } from './feed/feed.routes.js';
import { masterRoutes } from './master/master.routes.js';

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
      summary: 'Make a board',
      description: 'Unless said, its columns are Backlog, In Progress, Review, Blocked and Done.',
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
      description: 'The boards you can open, oldest first: their board_id and column names.',
      mayLag: true,
      tags,
      access: anybody(),
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
      summary: 'Read a board',
      description: 'Its key, and the columns that cards move to by name.',
      tags,
      access: anybody(),
      params: board,
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
        'Sent columns replace the present ones, kept by `id` or name; one left out must hold no cards. Cards take a new status of their column.',
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
      description: 'With its cards, comments and activity. Its key is never used again.',
      tags,
      access: admins(),
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
    user_id: integerParam('User not found', { description: 'Somebody outside the workspace.' }),
  };
  return [
    route({
      name: 'list_board_guests',
      method: 'GET',
      path: `${BOARD}/guests`,
      summary: 'List the guests of a board',
      description: 'Its guests, with their level.',
      tags,
      access: admins(),
      params: board,
      responses: { 200: BoardGuestList },
      errors: [closedBoard, noBoard],
      handler: ({ caller, params }) => boards.listGuests(caller, params.board_id),
    }),
    route({
      name: 'put_board_guest',
      method: 'PUT',
      path: `${BOARD}/guests/{user_id}`,
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
      name: 'remove_board_guest',
      method: 'DELETE',
      path: `${BOARD}/guests/{user_id}`,
      summary: 'Close a board to a guest',
      description: 'What they wrote stays. With their last board or docs space their session ends.',
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
