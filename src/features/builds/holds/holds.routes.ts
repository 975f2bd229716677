import { noContent } from '../../../http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../../http/declaration/route.js';
import type { HoldService } from './holds.service.js';

export const holdRoutes = ({ liftHold }: HoldService): Route[] => [
  route({
    name: 'lift_desk_hold',
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/hold:lift',
    summary: 'Lift the hold of a desk',
    description: 'What waits for it is handed out at once.',
    tags: ['Builds'],
    access: memberAccess({ role: 'admin' }),
    params: {
      machine_id: uuidParam(undefined, { description: 'The machine: the workstation_id of its desk.' }),
    },
    responses: { 204: null },
    errors: [error(404, 'No such machine in the workspace')],
    handler: async ({ caller, params }) => {
      await liftHold(caller, params.machine_id);
      return noContent();
    },
  }),
];
