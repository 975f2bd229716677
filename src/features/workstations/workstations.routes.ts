import { Type } from 'typebox';
import { bytes } from '../../http/answers.js';
import { error, type Route, route, sessionAccess, uuidParam } from '../../http/route.js';
import {
  Environment,
  EnvironmentPatch,
  Image,
  Order,
  OrderBody,
  ReauthStatus,
  Regenerated,
  Released,
  Timeline,
  TimelineQuery,
  Workstation,
  WorkstationList,
} from './workstations.schemas.js';
import type { WorkstationService } from './workstations.service.js';
import { workstationMarkdown } from './workstations.views.js';

const MEGABYTE = 1024 * 1024;

const workstationId = { workstation_id: uuidParam() };
const notThere = error(404, 'No desk with that id in the workspace');
const storageMissing = error(503, 'Image storage not configured');
const storageUnreachable = error(502, 'The image storage cannot be reached; the picture is still there');

const CapRefusal = Type.Object({
  limit_type: Type.String(),
  current: Type.Integer(),
  limit: Type.Integer(),
  upgrade_url: Type.String(),
  message: Type.String(),
});

export function workstationRoutes(service: WorkstationService): Route[] {
  return [...deskRoutes(service), ...environmentRoutes(service), ...imageRoutes(service)];
}

const deskRoutes = (service: WorkstationService): Route[] => [
  route({
    method: 'POST',
    path: '/api/v1/workstations',
    summary: 'Order a desk',
    description: 'The token and the install commands are answered this once.',
    tags: ['Workstations'],
    access: sessionAccess(),
    body: OrderBody,
    responses: { 201: Order },
    errors: [error(403, "The plan's number of live workstations is reached", CapRefusal)],
    handler: ({ caller, body }) => service.order(caller, body),
  }),
  route({
    method: 'GET',
    path: '/api/v1/workstations',
    summary: 'List the desks of the workspace, those gone silent apart',
    tags: ['Workstations'],
    access: sessionAccess(),
    responses: { 200: WorkstationList },
    errors: [],
    handler: ({ caller }) => service.listWorkstations(caller.brandId),
  }),
  route({
    method: 'GET',
    path: '/api/v1/workstations/{workstation_id}',
    summary: 'Read a desk and its onboarding checklist',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Workstation },
    errors: [notThere],
    formats: { allowed: ['json', 'yaml', 'md'], default: 'json', markdown: workstationMarkdown },
    handler: ({ caller, params }) => service.getWorkstation(caller.brandId, params.workstation_id),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/workstations/{workstation_id}',
    summary: 'Release a desk; its token dies at once',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Released },
    errors: [notThere],
    handler: ({ caller, params }) => service.release(caller, params.workstation_id),
  }),
  route({
    method: 'POST',
    path: '/api/v1/workstations/{workstation_id}/regenerate-pat',
    summary: 'Replace a lost token; the old one dies at once',
    tags: ['Workstations'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Regenerated },
    errors: [notThere],
    handler: ({ caller, params }) => service.regenerateToken(caller, params.workstation_id),
  }),
];

const environmentRoutes = (service: WorkstationService): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/environments/credentials/reauth-status',
    summary: 'Which runtime logins on the desks have expired',
    tags: ['Environments'],
    access: sessionAccess(),
    responses: { 200: ReauthStatus },
    errors: [],
    handler: ({ caller }) => service.readReauthStatus(caller.brandId),
  }),
  route({
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}',
    summary: "Read a desk's environment record",
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Environment },
    errors: [notThere],
    handler: ({ caller, params }) => service.getEnvironment(caller.brandId, params.workstation_id),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/environments/{workstation_id}',
    summary: 'Rename, describe, pause, resume or repoint a desk',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    body: EnvironmentPatch,
    responses: { 200: Environment },
    errors: [notThere],
    handler: ({ caller, params, body }) => service.changeEnvironment(caller, params.workstation_id, body),
  }),
  route({
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/timeline',
    summary: 'Everything that happened to a desk, newest first, with the checks that led to it',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    query: TimelineQuery,
    responses: { 200: Timeline },
    errors: [notThere],
    handler: ({ caller, params, query }) =>
      service.readTimeline(caller.brandId, params.workstation_id, query.limit ?? 50, query.before ?? null),
  }),
];

const imageRoutes = (service: WorkstationService): Route[] => [
  route({
    method: 'POST',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Set a desk's photo",
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    upload: { field: 'file', maxBytes: 5 * MEGABYTE, description: 'PNG, JPG, GIF or WebP up to 5 MB' },
    responses: { 200: Image },
    errors: [
      error(400, 'Not PNG, JPG, GIF or WebP, empty, or over 5 MB'),
      notThere,
      storageUnreachable,
      storageMissing,
    ],
    handler: ({ caller, params, file }) =>
      service.images.replace(caller.brandId, params.workstation_id, file),
  }),
  route({
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Read a desk's photo",
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: { contentType: 'image/jpeg', description: 'The photo, 256 by 256' } },
    errors: [error(404, 'No such desk, or it has no photo'), storageUnreachable, storageMissing],
    handler: async ({ caller, params }) => {
      const image = await service.images.get(caller.brandId, params.workstation_id);
      return bytes(image.bytes, 'image/jpeg', { 'cache-control': 'private, no-cache' });
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Remove a desk's photo",
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Image },
    errors: [notThere],
    handler: ({ caller, params }) => service.images.remove(caller.brandId, params.workstation_id),
  }),
];
