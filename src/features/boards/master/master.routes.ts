import { error, type Route, route } from '../../../platform/http/declaration/route.js';
import { anybody, tags } from '../board/route-parts.js';
import { MasterList, MasterQuery } from './master.schemas.js';
import type { createMasterService } from './master.service.js';

type MasterService = ReturnType<typeof createMasterService>;

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
        'Newest change first. Values of a filter unite, filters intersect; lists are comma-separated.',
      mayLag: true,
      tags,
      access: anybody(),
      query: MasterQuery,
      queryStatus: 400,
      responses: { 200: MasterList },
      errors: [
        error(400, 'A filter, `with`, `limit` or `cursor` breaks its rule, or `assignee` names nobody'),
        error(403, 'A named board belongs to another workspace'),
        error(404, 'A named board does not exist'),
      ],
      handler: ({ caller, query }) => boards.listMasterTasks(caller, query),
    }),
  ];
}
