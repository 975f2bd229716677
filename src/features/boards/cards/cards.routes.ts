import { Type } from 'typebox';
import { answer, jsonStream, noContent } from '../../../platform/http/answer/answers.js';
import { error, type Route, route } from '../../../platform/http/declaration/route.js';
import {
  BOARD,
  closedBoard,
  closedCard,
  noBoard,
  noCard,
  onBoard,
  onCard,
  openToGuests,
  TASK,
  TASKS,
} from '../boards.schemas.js';
import { namesAt } from './card-fields.js';
import { type createBatchService, type createPatchService, versionTag } from './card-patch.service.js';
import {
  CardBatch,
  CardInput,
  CardList,
  CardListQuery,
  CardOutcomes,
  CardPatch,
  FullCard,
  Receipt,
  ReturnQuery,
} from './cards.schemas.js';
import type { createCardService } from './cards.service.js';

type CardServices = ReturnType<typeof createCardService> &
  ReturnType<typeof createPatchService> &
  ReturnType<typeof createBatchService>;

/** Two texts of 1 MiB with escaped characters. */
const LARGEST_CARD = 5 * 1024 * 1024;

const disagreement = error(409, 'Column and status disagree');

const tagged = (card: FullCard) => ({ etag: versionTag(card.version) });

export function cardRoutes(boards: CardServices): Route[] {
  return [
    route({
      name: 'list_board_tasks',
      method: 'GET',
      path: `${BOARD}/tasks`,
      agents: { direct: { defaults: { detail: 'summary' } } },
      pagination: {
        style: 'page',
        parameter: 'page',
        size: 'per_page',
        items: 'items',
        cursor: { parameter: 'cursor', next: 'next_cursor' },
      },
      summary: 'List the cards of a board',
      description:
        'Sorted by column, position and id. With `cursor` sorted by number: each card comes exactly once. `summary` shows the fewest fields, `full` adds long texts. find_tasks filters.',
      mayLag: true,
      ...onBoard,
      query: CardListQuery,
      queryStatus: 400,
      responses: { 200: CardList },
      errors: [
        error(400, '`detail`, `with`, `page`, `per_page` or `cursor` breaks its rule'),
        closedBoard,
        noBoard,
      ],
      handler: async ({ caller, params, query }) => {
        const page = await boards.listCards(caller, params.board_id, query.detail ?? 'standard', query);
        return Symbol.asyncIterator in page ? jsonStream(page) : page;
      },
    }),
    route({
      name: 'create_task',
      method: 'POST',
      path: `${BOARD}/tasks`,
      creates: { headers: tagged },
      agents: {
        direct: {
          fields: [
            'title',
            'task_type',
            'instructions',
            'column',
            'priority',
            'labels',
            'assignee_agent_id',
            'project_id',
            'agent_context',
            'parent_id',
            'blocked_by',
            'due_at',
          ],
          brief: namesAt('summary'),
        },
      },
      summary: 'Create a card',
      description: 'Goes to the first column by default. Keep the `id` for update_task and add_comment.',
      ...onBoard,
      body: CardInput,
      largestBody: LARGEST_CARD,
      headers: ['ETag'],
      responses: { 201: FullCard },
      errors: [closedBoard, noBoard, disagreement],
      permit: ({ caller, params, body }) => boards.permitCard(caller, params.board_id, body),
      handler: async ({ caller, params, body }) => {
        const card = await boards.createCard(caller, params.board_id, body);
        return answer(201, card, tagged(card));
      },
    }),
    route({
      name: 'get_task',
      openToBuilds: { own: { task_id: 'task_id' } },
      method: 'GET',
      path: TASK,
      agents: 'direct',
      summary: 'Get a card',
      description: 'Returns all fields. Read it before you work on it.',
      ...onCard,
      headers: ['ETag'],
      responses: { 200: FullCard },
      errors: [closedCard, noCard],
      handler: async ({ caller, params }) => {
        const card = await boards.getCard(caller, params.task_id);
        return answer(200, card, tagged(card));
      },
    }),
    route({
      name: 'update_task',
      method: 'PATCH',
      path: TASK,
      agents: {
        direct: {
          fields: [
            'title',
            'column',
            'status',
            'instructions',
            'result',
            'priority',
            'labels',
            'branch',
            'commit_sha',
            'pr_number',
            'pr_url',
            'pr_state',
            'checks_state',
            'progress_percent',
            'error_message',
            'assignee_agent_id',
            'before',
            'after',
            'return',
          ],
          defaults: { return: 'receipt' },
        },
      },
      summary: 'Change, move or assign a card',
      description:
        'Changes only what you send; null clears. `column` (or `status`) moves it, `before` or `after` within its column. `return=receipt` returns only the changes. Take a card with `assignee_agent_id`.',
      ...onCard,
      query: ReturnQuery,
      queryStatus: 400,
      body: CardPatch,
      largestBody: LARGEST_CARD,
      headers: ['If-Match', 'ETag'],
      responses: { 200: Type.Union([FullCard, Receipt]) },
      errors: [
        error(400, '`return` is neither full nor receipt'),
        closedCard,
        noCard,
        disagreement,
        error(412, 'Not the version of If-Match; `detail` lists what changed since'),
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
      name: 'update_tasks',
      method: 'POST',
      path: `${TASKS}:batch`,
      summary: 'Change many cards at once',
      description:
        'Changes up to 500 cards of any boards, each on its own. Each result has the changes or the refusal.',
      ...openToGuests,
      body: CardBatch,
      responses: { 200: CardOutcomes },
      errors: [],
      handler: ({ caller, body }) => boards.changeCards(caller, body.tasks),
    }),
    route({
      name: 'delete_task',
      method: 'DELETE',
      path: TASK,
      summary: 'Delete a card',
      description: 'Keeps its activity. Its number is never used again.',
      ...onCard,
      responses: { 204: null },
      errors: [closedCard, noCard],
      handler: async ({ caller, params }) => {
        await boards.deleteCard(caller, params.task_id);
        return noContent();
      },
    }),
  ];
}
