import { Type } from 'typebox';
import { answer, noContent } from '../../http/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../http/route.js';
import { CardInput, CardPatch } from './boards.card-input.js';
import { versionTag } from './boards.precondition.js';
import {
  CardList,
  CardListQuery,
  Comment,
  CommentInput,
  CommentList,
  FullCard,
  ListQuery,
  MasterList,
  MasterQuery,
  Receipt,
  ReturnQuery,
} from './boards.schemas.js';
import type { BoardService } from './boards.service.js';

const TASK = '/api/v1/board/tasks/{task_id}';
const tags: [string] = ['Boards'];
const board = { board_id: uuidParam('Board not found') };
const task = { task_id: uuidParam('Card not found') };
const anybody = () => memberAccess({ role: 'guest' });
const closedBoard = error(
  403,
  'The board belongs to another workspace, or is not open to the guest at this level',
);
const closedCard = error(403, "The guest's level on the board does not allow it");
const noBoard = error(404, 'Board not found');
const noCard = error(404, 'Card not found');
const disagreement = error(409, 'Column and status disagree');

const tagged = (card: FullCard) => ({ etag: versionTag(card.version) });

export function boardCardRoutes(boards: BoardService): Route[] {
  return [...listRoutes(boards), ...cardRoutes(boards), ...commentRoutes(boards)];
}

function listRoutes(boards: BoardService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/board/boards/{board_id}/tasks',
      summary: 'List the cards of a board',
      description:
        'Ordered by column, position and id. `full` adds the long texts to `standard`; `summary` shows fewer fields.',
      tags,
      access: anybody(),
      params: board,
      query: CardListQuery,
      queryStatus: 400,
      responses: { 200: CardList },
      errors: [
        error(400, '`detail` is not one of summary, standard, full, or the page is out of range'),
        closedBoard,
        noBoard,
      ],
      handler: ({ caller, params, query }) =>
        boards.listCards(caller, params.board_id, query.detail ?? 'standard', query),
    }),
    route({
      method: 'GET',
      path: '/api/v1/board/master/tasks',
      summary: 'Find cards across boards',
      description:
        'Values of one filter unite, different filters intersect. `board_ids`, `board_type`, `column_names` and `status` take comma-separated values; `since` is an ISO time.',
      tags,
      access: anybody(),
      query: MasterQuery,
      queryStatus: 400,
      responses: { 200: MasterList },
      errors: [
        error(400, '`has_pr` is not a boolean, `since` is no ISO time, or `limit` is out of range'),
        error(403, 'A named board belongs to another workspace'),
        error(404, 'A named board does not exist'),
      ],
      handler: ({ caller, query }) => boards.listMasterTasks(caller, query),
    }),
  ];
}

function cardRoutes(boards: BoardService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v1/board/boards/{board_id}/tasks',
      summary: 'Make a card',
      tags,
      access: anybody(),
      params: board,
      body: CardInput,
      responses: { 201: FullCard },
      errors: [closedBoard, noBoard, disagreement],
      handler: async ({ caller, params, body }) => {
        const card = await boards.createCard(caller, params.board_id, body);
        return answer(201, card, tagged(card));
      },
    }),
    route({
      method: 'GET',
      path: TASK,
      summary: 'Read a card',
      tags,
      access: anybody(),
      params: task,
      responses: { 200: FullCard },
      errors: [closedCard, noCard],
      handler: async ({ caller, params }) => {
        const card = await boards.getCard(caller, params.task_id);
        return answer(200, card, tagged(card));
      },
    }),
    route({
      method: 'PATCH',
      path: TASK,
      summary: 'Change a card',
      description:
        'A field that is absent stays, null clears it, a value sets it. `If-Match` with the version makes the change conditional. `return=receipt` answers what changed instead of the whole card.',
      tags,
      access: anybody(),
      params: task,
      query: ReturnQuery,
      queryStatus: 400,
      body: CardPatch,
      responses: { 200: Type.Union([FullCard, Receipt]) },
      errors: [
        error(400, '`return` is neither full nor receipt'),
        closedCard,
        noCard,
        disagreement,
        error(
          412,
          'The card has another version than If-Match names; the detail lists the fields that changed since',
        ),
      ],
      handler: async ({ caller, params, query, body, headers }) => {
        const { return: _ignored, ...patch } = body;
        const ifMatch = headers['if-match'];
        const changed = await boards.changeCard(caller, params.task_id, patch, {
          ifMatch: ifMatch === undefined ? undefined : String(ifMatch),
          receiptOnly: query.return === 'receipt',
        });
        return answer(200, changed.card ?? changed.receipt, { etag: versionTag(changed.version) });
      },
    }),
    route({
      method: 'DELETE',
      path: TASK,
      summary: 'Delete a card',
      description: 'Its activity stays, and its number is never used again.',
      tags,
      access: anybody(),
      params: task,
      responses: { 204: null },
      errors: [closedCard, noCard],
      handler: async ({ caller, params }) => {
        await boards.deleteCard(caller, params.task_id);
        return noContent();
      },
    }),
  ];
}

function commentRoutes(boards: BoardService): Route[] {
  return [
    route({
      method: 'POST',
      path: `${TASK}/comments`,
      summary: 'Comment on a card',
      tags,
      access: anybody(),
      params: task,
      body: CommentInput,
      responses: { 201: Comment },
      errors: [closedCard, noCard],
      handler: ({ caller, params, body }) => boards.addComment(caller, params.task_id, body.body),
    }),
    route({
      method: 'GET',
      path: `${TASK}/comments`,
      summary: 'List the comments on a card',
      description: 'Oldest first.',
      tags,
      access: anybody(),
      params: task,
      query: ListQuery,
      queryStatus: 400,
      responses: { 200: CommentList },
      errors: [closedCard, noCard],
      handler: ({ caller, params, query }) => boards.listComments(caller, params.task_id, query),
    }),
  ];
}
