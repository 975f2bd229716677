import { error, type Route, route } from '../../../http/declaration/route.js';
import type { BoardService } from '../boards.service.js';
import { anybody, tags } from '../route-parts.js';
import { MasterList, MasterQuery } from './master.schemas.js';

export function masterRoutes(boards: BoardService): Route[] {
  return [
    route({
      name: 'find_tasks',
      method: 'GET',
      path: '/api/v1/board/master/tasks',
      agents: 'direct',
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
      summary: 'Find cards across boards',
      description:
        'Find cards across boards, the newest change first. Values of one filter unite, different filters intersect; lists are comma-separated.',
      tags,
      access: anybody(),
      query: MasterQuery,
      queryStatus: 400,
      responses: { 200: MasterList },
      errors: [
        error(
          400,
          '`has_pr` is not a boolean, `since` or `due_before` is no ISO time, `assignee` names nobody, `with` no field of a card, `limit` is out of range, or `cursor` is false',
        ),
        error(403, 'A named board belongs to another workspace'),
        error(404, 'A named board does not exist'),
      ],
      handler: ({ caller, query }) => boards.listMasterTasks(caller, query),
    }),
  ];
}
