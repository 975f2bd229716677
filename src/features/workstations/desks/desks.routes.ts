import { Type } from 'typebox';
import { answerUntil } from '../../../platform/http/answer/answers.js';
import {
  error,
  type Route,
  route,
  sessionAccess,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { Named } from '../../../platform/http/declaration/schemas.js';
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
    description: 'As list_workstations shows it.',
  }),
};
const notThere = error(404, 'Not found');

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

const ALWAYS_PAST = new Date(0);

export const deskRoutes = (desks: DeskService): Route[] => [
  route({
    name: 'order_workstation',
    method: 'POST',
    path: '/api/v1/workstations',
    creates: { secret: true, id: 'workstation_id' },
    summary: 'Order a desk',
    description: 'Token and install commands are shown this once.',
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
    summary: 'List the desks of the workspace',
    description: '`workstations` are alive or being set up, `dormant` long silent.',
    tags: ['Workstations'],
    access: sessionAccess(),
    query: WorkstationsQuery,
    ready: true,
    headers: ['If-None-Match', 'ETag'],
    responses: { 200: WorkstationList, 304: null },
    errors: [],
    handler: async ({ caller: { brandId }, query }) => {
      // When a desk was last heard of changes all the time, and is told of to nobody.
      if (query.with === 'environment')
        return answerUntil(ALWAYS_PAST, await desks.listEnvironments(brandId));
      const { list, until } = await desks.listWorkstations(brandId);
      return answerUntil(until, list);
    },
  }),
  route({
    name: 'get_workstation',
    method: 'GET',
    path: '/api/v1/workstations/{workstation_id}',
    summary: 'Read a desk and its onboarding',
    description: 'Poll it until `ready`; a failed step says why and what to do.',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    ready: true,
    headers: ['If-None-Match', 'ETag'],
    responses: { 200: Workstation, 304: null },
    errors: [notThere],
    formats: { allowed: ['json', 'yaml', 'md'], default: 'json', markdown: workstationMarkdown },
    handler: ({ caller, params }) => desks.getWorkstation(caller.brandId, params.workstation_id),
  }),
  route({
    name: 'release_workstation',
    method: 'DELETE',
    path: '/api/v1/workstations/{workstation_id}',
    summary: 'Release a desk; its token dies at once',
    description: 'For good. The machine is left as it is.',
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
    description: 'Shows token and install commands this once: run one on the machine again.',
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
    summary: 'List expired logins of the desks',
    description: 'Where the coding agent needs a new sign-in, since when.',
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
    description: 'Status, versions, addresses, last contact, whether it builds.',
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
    summary: 'Change, pause or resume a desk',
    description: 'Only sent fields change. `suspended` pauses a desk, `provisioned` resumes it.',
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
    summary: 'List what happened to a desk',
    description: 'Newest first: changes of status with reason and probes.',
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
