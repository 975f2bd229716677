import { error, memberAccess, type Route, route, uuidParam } from '../../http/route.js';
import type { MachineUpdateService } from './machine-updates.service.js';
import { SHARED_SIDECAR } from './workstations.errors.js';
import { UpdateList, UpdateRequest, UpdatesOfAll, UpdatesQuery } from './workstations.schemas.js';

const machineId = { machine_id: uuidParam() };
const notThere = error(404, 'No such machine in the workspace');

export const machineUpdateRoutes = (updates: MachineUpdateService): Route[] => [
  route({
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/updates',
    summary: 'Ask for an update of a machine, carried out when no build runs on it',
    tags: ['Machine updates'],
    access: memberAccess({ role: 'admin' }),
    params: machineId,
    responses: { 202: UpdateRequest },
    errors: [notThere, error(409, SHARED_SIDECAR)],
    handler: ({ caller, params }) => updates.requestOne(caller, params.machine_id),
  }),
  route({
    method: 'POST',
    path: '/api/v1/machines/updates',
    summary: 'Ask for an update of every machine of the workspace',
    tags: ['Machine updates'],
    access: memberAccess({ role: 'admin' }),
    responses: { 202: UpdatesOfAll },
    errors: [],
    handler: ({ caller }) => updates.requestAll(caller),
  }),
  route({
    method: 'GET',
    path: '/api/v1/machines/{machine_id}/updates',
    summary: 'What became of the updates of a machine, newest first',
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
