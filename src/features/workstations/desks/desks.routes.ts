import { Type } from 'typebox';
import { answerUntil, bytes } from '../../../platform/http/answer/answers.js';
import {
  error,
  type Route,
  route,
  sessionAccess,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { Closed, Named, Nullable, Uuid } from '../../../platform/http/declaration/schemas.js';
import { notAnImage } from '../workstations.errors.js';
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
import type { DeskImages } from './images.service.js';

type DeskService = ReturnType<typeof createDeskService>;
type EnvironmentService = ReturnType<typeof createEnvironmentService>;

const workstationId = {
  workstation_id: uuidParam(undefined, { description: 'The workstation_id of the desk.' }),
};
const deskMissing = error(404, 'Not found');

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
    description: 'Returns the token and the install commands. They are not shown again.',
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
    description:
      '`workstations` holds desks in contact or being set up, `dormant` those silent for over two weeks.',
    tags: ['Workstations'],
    access: sessionAccess(),
    query: WorkstationsQuery,
    ready: true,
    headers: ['If-None-Match', 'ETag'],
    responses: { 200: WorkstationList, 304: null },
    errors: [],
    handler: async ({ caller: { brandId }, query }) => {
      // Contact times change without an event, so this response must not be cached.
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
    summary: 'Get a desk and its onboarding',
    description: 'Poll this until `ready` is true. A failed step gives the reason and a hint.',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    ready: true,
    headers: ['If-None-Match', 'ETag'],
    responses: { 200: Workstation, 304: null },
    errors: [deskMissing],
    formats: { allowed: ['json', 'yaml', 'md'], default: 'json', markdown: workstationMarkdown },
    handler: ({ caller, params }) => desks.getWorkstation(caller.brandId, params.workstation_id),
  }),
  route({
    name: 'release_workstation',
    method: 'DELETE',
    path: '/api/v1/workstations/{workstation_id}',
    summary: 'Release a desk',
    description: 'Deletes the desk and revokes its token at once. The machine is not changed.',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Released },
    errors: [deskMissing],
    handler: ({ caller, params }) => desks.releaseWorkstation(caller, params.workstation_id),
  }),
  route({
    name: 'regenerate_desk_token',
    method: 'POST',
    path: '/api/v1/workstations/{workstation_id}/regenerate-pat',
    summary: 'Replace the token of a desk',
    description: 'Revokes the old token at once. Run one of the new install commands on the machine.',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Regenerated },
    errors: [deskMissing],
    handler: ({ caller, params }) => desks.regenerateToken(caller, params.workstation_id),
  }),
];

export const environmentRoutes = (environments: EnvironmentService): Route[] => [
  route({
    name: 'get_reauth_status',
    method: 'GET',
    path: '/api/v1/environments/credentials/reauth-status',
    summary: 'List expired logins of the desks',
    description: 'Coding agents that need a new sign-in, and since when.',
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
    summary: "Get a desk's environment record",
    description: 'Status, versions, addresses, last contact and whether a build runs.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Environment },
    errors: [deskMissing],
    handler: ({ caller, params }) => environments.getEnvironment(caller.brandId, params.workstation_id),
  }),
  route({
    name: 'update_environment',
    method: 'PATCH',
    path: '/api/v1/environments/{workstation_id}',
    summary: 'Update, pause or resume a desk',
    description: 'Changes only the given fields. `suspended` pauses a desk, `provisioned` resumes it.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    body: EnvironmentPatch,
    responses: { 200: Environment },
    errors: [deskMissing],
    handler: ({ caller, params, body }) =>
      environments.changeEnvironment(caller, params.workstation_id, body),
  }),
  route({
    name: 'list_desk_timeline',
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/timeline',
    pagination: { style: 'before', parameter: 'before', from: 'id', items: 'items' },
    summary: 'List the events of a desk',
    description: 'Newest first: status changes with their reason and health checks.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    query: TimelineQuery,
    responses: { 200: Timeline },
    errors: [deskMissing],
    handler: ({ caller, params, query }) =>
      environments.readTimeline(
        caller.brandId,
        params.workstation_id,
        query.limit ?? 50,
        query.before ?? null,
      ),
  }),
];

const MEGABYTE = 1024 * 1024;

const storageMissing = error(503, 'Image storage not configured');
const storageUnreachable = error(502, 'The image storage is not reachable. The photo is unchanged.');

const Image = Named('DeskImage', Closed({ env_id: Uuid, image_url: Nullable(Type.String()) }));

export const imageRoutes = (images: DeskImages): Route[] => [
  route({
    name: 'set_environment_image',
    method: 'POST',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Set a desk's photo",
    description: 'Crops the picture to 256 by 256 pixels and stores it as JPEG.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    upload: {
      field: 'file',
      maxBytes: 5 * MEGABYTE,
      description: 'PNG, JPG, GIF or WebP up to 5 MB',
      missing: notAnImage,
    },
    responses: { 200: Image },
    errors: [
      error(400, 'No file, not PNG, JPG, GIF or WebP, empty, or over 5 MB'),
      deskMissing,
      storageUnreachable,
      storageMissing,
    ],
    handler: ({ caller, params, file }) => images.replace(caller.brandId, params.workstation_id, file),
  }),
  route({
    name: 'get_environment_image',
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Get a desk's photo",
    description: 'Returns the photo as JPEG.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    headers: ['Cache-Control'],
    responses: { 200: { contentType: 'image/jpeg', description: 'The photo, 256 by 256' } },
    errors: [error(404, 'No such desk, or it has no photo'), storageUnreachable, storageMissing],
    handler: async ({ caller, params }) => {
      const image = await images.get(caller.brandId, params.workstation_id);
      return bytes(image.bytes, 'image/jpeg', { 'cache-control': 'private, no-cache' });
    },
  }),
  route({
    name: 'remove_environment_image',
    method: 'DELETE',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Remove a desk's photo",
    description: 'Returns `image_url: null`, also when there was no photo.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Image },
    errors: [deskMissing],
    handler: ({ caller, params }) => images.remove(caller.brandId, params.workstation_id),
  }),
];
