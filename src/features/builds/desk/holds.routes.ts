import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import type { HoldService } from './holds.service.js';

const machineParams = {
  machine_id: uuidParam(undefined, { description: 'The machine: the workstation_id of its desk.' }),
};
const missingMachine = error(404, 'No such machine in the workspace');

export const holdRoutes = ({ liftHold, retryLogins }: HoldService): Route[] => [
  route({
    name: 'retry_desk_logins',
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/logins:retry',
    summary: 'Retry the refused logins of a desk',
    description: 'After somebody logged in there.',
    tags: ['Builds'],
    access: memberAccess({ beyondReading: true }),
    params: machineParams,
    responses: { 204: null },
    errors: [missingMachine],
    handler: async ({ caller, params }) => {
      await retryLogins(caller, params.machine_id);
      return noContent();
    },
  }),
  route({
    name: 'lift_desk_hold',
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/hold:lift',
    summary: 'Lift the hold of a desk',
    description: 'What waits for it is handed out at once.',
    tags: ['Builds'],
    access: memberAccess({ role: 'admin' }),
    params: machineParams,
    responses: { 204: null },
    errors: [missingMachine],
    handler: async ({ caller, params }) => {
      await liftHold(caller, params.machine_id);
      return noContent();
    },
  }),
];
