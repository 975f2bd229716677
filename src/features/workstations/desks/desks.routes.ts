import { Type } from 'typebox';
import { error, type Route, route, sessionAccess, uuidParam } from '../../../http/declaration/route.js';
import { Named } from '../../../http/declaration/schemas.js';
import {
  Environment,
  EnvironmentPatch,
  Order,
  OrderBody,
  ReauthStatus,
  Regenerated,
  Released,
  Timeline,
  TimelineQuery,
  Workstation,
  WorkstationList,
  WorkstationsQuery,
} from './desks.schemas.js';
import type { createDeskService } from './desks.service.js';
import { workstationMarkdown } from './desks.views.js';
import type { createEnvironmentService } from './environments.service.js';

type DeskService = ReturnType<typeof createDeskService>;
type EnvironmentService = ReturnType<typeof createEnvironmentService>;

const workstationId = {
  workstation_id: uuidParam(undefined, {
    description: 'The desk, as list_workstations shows its workstation_id.',
  }),
};
const notThere = error(404, 'No desk with that id in the workspace');

const CapRefusal = Named(
  'WorkstationLimit',
  Type.Object({
    limit_type: Type.String(),
    current: Type.Integer(),
    limit: Type.Integer(),
    upgrade_url: Type.String(),
    message: Type.String(),
  }),
);

export const deskRoutes = (desks: DeskService): Route[] => [
  route({
    name: 'order_workstation',
    method: 'POST',
    path: '/api/v1/workstations',
    creates: { secret: true, id: 'workstation_id' },
    summary: 'Order a desk',
    description: 'The token and the install commands are answered this once.',
    tags: ['Workstations'],
    access: sessionAccess(),
    body: OrderBody,
    responses: { 201: Order },
    errors: [error(403, "The plan's number of live workstations is reached", CapRefusal)],
    handler: ({ caller, body }) => desks.orderWorkstation(caller, body),
  }),
  route({
    name: 'list_workstations',
    method: 'GET',
    path: '/api/v1/workstations',
    summary: 'List the desks of the workspace, those gone silent apart',
    description: '`workstations` are alive or being set up, `dormant` have not been heard of for long.',
    tags: ['Workstations'],
    access: sessionAccess(),
    query: WorkstationsQuery,
    responses: { 200: WorkstationList },
    errors: [],
    handler: ({ caller, query }) =>
      desks.listWorkstations(caller.brandId, { environments: query.with === 'environment' }),
  }),
  route({
    name: 'get_workstation',
    method: 'GET',
    path: '/api/v1/workstations/{workstation_id}',
    summary: 'Read a desk and its onboarding checklist',
    description: 'Poll it after order_workstation until `ready`; a step that failed says why and what to do.',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Workstation },
    errors: [notThere],
    formats: { allowed: ['json', 'yaml', 'md'], default: 'json', markdown: workstationMarkdown },
    handler: ({ caller, params }) => desks.getWorkstation(caller.brandId, params.workstation_id),
  }),
  route({
    name: 'release_workstation',
    method: 'DELETE',
    path: '/api/v1/workstations/{workstation_id}',
    summary: 'Release a desk; its token dies at once',
    description: 'The machine itself is left as it is. It cannot be undone.',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Released },
    errors: [notThere],
    handler: ({ caller, params }) => desks.releaseWorkstation(caller, params.workstation_id),
  }),
  route({
    name: 'regenerate_desk_token',
    method: 'POST',
    path: '/api/v1/workstations/{workstation_id}/regenerate-pat',
    summary: 'Replace a lost token; the old one dies at once',
    description:
      'Answers the new token and install commands this once: run one of them on the machine again.',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Regenerated },
    errors: [notThere],
    handler: ({ caller, params }) => desks.regenerateToken(caller, params.workstation_id),
  }),
];

export const environmentRoutes = (environments: EnvironmentService): Route[] => [
  route({
    name: 'get_reauth_status',
    method: 'GET',
    path: '/api/v1/environments/credentials/reauth-status',
    summary: 'Which runtime logins on the desks have expired',
    description: 'Which desks need somebody to sign in to their coding agent again, and since when.',
    tags: ['Environments'],
    access: sessionAccess(),
    responses: { 200: ReauthStatus },
    errors: [],
    handler: ({ caller }) => environments.readReauthStatus(caller.brandId),
  }),
  route({
    name: 'get_environment',
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}',
    summary: "Read a desk's environment record",
    description:
      'Everything that is known of the machine: status, versions, addresses, last contact, whether it builds.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Environment },
    errors: [notThere],
    handler: ({ caller, params }) => environments.getEnvironment(caller.brandId, params.workstation_id),
  }),
  route({
    name: 'update_environment',
    method: 'PATCH',
    path: '/api/v1/environments/{workstation_id}',
    summary: 'Rename, describe, pause, resume or repoint a desk',
    description: 'Only the fields that are sent change. `suspended` pauses a desk, `provisioned` resumes it.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    body: EnvironmentPatch,
    responses: { 200: Environment },
    errors: [notThere],
    handler: ({ caller, params, body }) =>
      environments.changeEnvironment(caller, params.workstation_id, body),
  }),
  route({
    name: 'list_desk_timeline',
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/timeline',
    pagination: { style: 'before', parameter: 'before', from: 'id', items: 'items' },
    summary: 'Everything that happened to a desk, newest first, with the checks that led to it',
    description:
      'Changes of status with the reason and the probes behind it. Go on with the `id` of the last entry as `before`.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    query: TimelineQuery,
    responses: { 200: Timeline },
    errors: [notThere],
    handler: ({ caller, params, query }) =>
      environments.readTimeline(
        caller.brandId,
        params.workstation_id,
        query.limit ?? 50,
        query.before ?? null,
      ),
  }),
];
