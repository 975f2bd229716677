import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { SHARED_SIDECAR } from '../workstations.errors.js';
import { UpdateList, UpdateRequest, UpdatesOfAll, UpdatesQuery } from './updates.schemas.js';
import type { MachineUpdates } from './updates.service.js';

const machineId = {
  machine_id: uuidParam(undefined, { description: 'The workstation_id of the desk on the machine.' }),
};
const notThere = error(404, 'No such machine in the workspace');

export const machineUpdateRoutes = (updates: MachineUpdates): Route[] => [
  route({
    name: 'request_machine_update',
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/updates',
    summary: 'Request an update of a machine',
    description: 'Runs when the machine has no running build. See list_machine_updates for the result.',
    tags: ['Machine updates'],
    access: memberAccess({ role: 'admin' }),
    params: machineId,
    responses: { 202: UpdateRequest },
    errors: [notThere, error(409, SHARED_SIDECAR)],
    handler: ({ caller, params }) => updates.requestOne(caller, params.machine_id),
  }),
  route({
    name: 'request_all_machine_updates',
    method: 'POST',
    path: '/api/v1/machines/updates',
    summary: 'Request an update of every machine',
    description: 'Machines that cannot be updated are listed as `failed` with the reason.',
    tags: ['Machine updates'],
    access: memberAccess({ role: 'admin' }),
    responses: { 202: UpdatesOfAll },
    errors: [],
    handler: ({ caller }) => updates.requestAll(caller),
  }),
  route({
    name: 'list_machine_updates',
    method: 'GET',
    path: '/api/v1/machines/{machine_id}/updates',
    summary: 'List the updates of a machine',
    description: 'Newest first: requester, times, versions and result.',
    tags: ['Machine updates'],
    access: memberAccess({ role: 'admin' }),
    params: machineId,
    query: UpdatesQuery,
    responses: { 200: UpdateList },
    errors: [notThere],
    handler: ({ caller, params, query }) =>
      updates.list(caller.brandId, params.machine_id, query.limit ?? 100),
  }),
];
