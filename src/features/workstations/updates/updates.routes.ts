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
  machine_id: uuidParam(undefined, { description: 'The machine: the workstation_id of its desk.' }),
};
const notThere = error(404, 'No such machine in the workspace');

export const machineUpdateRoutes = (updates: MachineUpdates): Route[] => [
  route({
    name: 'request_machine_update',
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/updates',
    summary: 'Ask for an update of a machine',
    description: 'It runs when no build does; list_machine_updates tells what became of it.',
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
    summary: 'Ask for an update of every machine',
    description: 'Those that cannot be updated are `failed`, with the reason.',
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
    summary: 'List the updates of a machine, newest first',
    description: 'Who asked, when, the versions, and how it ended.',
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
