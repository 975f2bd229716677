import { Type } from 'typebox';
import { answer, jsonStream, noContent } from '../../../platform/http/answer/answers.js';
import { error, type Route, route } from '../../../platform/http/declaration/route.js';
import {
  anybody,
  BOARD,
  board,
  closedBoard,
  closedCard,
  noBoard,
  noCard,
  TASK,
  TASKS,
  tags,
  task,
} from '../board/route-parts.js';
import { CardBatch, CardOutcomes } from './card-batch.schemas.js';
import type { createBatchService } from './card-batch.service.js';
import { namesAt } from './card-fields.js';
import type { createPatchService } from './card-patch.service.js';
import {
  CardInput,
  CardList,
  CardListQuery,
  CardPatch,
  FullCard,
  Receipt,
  ReturnQuery,
} from './cards.schemas.js';
import type { createCardService } from './cards.service.js';
import { versionTag } from './precondition.js';

type CardServices = ReturnType<typeof createCardService> &
  ReturnType<typeof createPatchService> &
  ReturnType<typeof createBatchService>;

/** Room for two full texts, however their characters are spelled. */
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
        'By column, position and id; by `cursor` by number, each once, whatever moves. `summary` shows the fewest fields, `full` adds the long texts. find_tasks filters.',
      mayLag: true,
      tags,
      access: anybody(),
      params: board,
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
      summary: 'Make a card',
      description: 'Without a column it goes to the first. Keep the `id` for update_task and add_comment.',
      tags,
      access: anybody(),
      params: board,
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
      summary: 'Read a card',
      description: 'All of it: read it before you work on it.',
      tags,
      access: anybody(),
      params: task,
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
        'Only what is sent changes, null clears. `column` (or `status`) moves it, `before` or `after` within its column. `return=receipt` answers just what changed. Take a card with `assignee_agent_id`.',
      tags,
      access: anybody(),
      params: task,
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
        'Up to 500, of any boards. Each is changed or refused by itself; its result says what changed.',
      tags,
      access: anybody(),
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
