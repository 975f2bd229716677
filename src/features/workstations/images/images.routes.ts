import { Type } from 'typebox';
import { bytes } from '../../../platform/http/answer/answers.js';
import {
  error,
  type Route,
  route,
  sessionAccess,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { Closed, Named, Nullable, Uuid } from '../../../platform/http/declaration/schemas.js';
import type { DeskImages } from '../desks/images.service.js';
import { notAnImage } from '../workstations.errors.js';

const MEGABYTE = 1024 * 1024;

const workstationId = {
  workstation_id: uuidParam(undefined, {
    description: 'As list_workstations shows it.',
  }),
};
const notThere = error(404, 'Not found');
const storageMissing = error(503, 'Image storage not configured');
const storageUnreachable = error(502, 'The image storage is not reachable; the photo stays');

const Image = Named('DeskImage', Closed({ env_id: Uuid, image_url: Nullable(Type.String()) }));

export const imageRoutes = (images: DeskImages): Route[] => [
  route({
    name: 'set_environment_image',
    method: 'POST',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Set a desk's photo",
    description: 'Cut to 256 by 256, kept as JPEG.',
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
      notThere,
      storageUnreachable,
      storageMissing,
    ],
    handler: ({ caller, params, file }) => images.replace(caller.brandId, params.workstation_id, file),
  }),
  route({
    name: 'get_environment_image',
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/image',
    summary: "Read a desk's photo",
    description: 'The bytes of the photo.',
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
    description: 'Answers `image_url: null`.',
    tags: ['Environments'],
    access: sessionAccess(),
    params: workstationId,
    responses: { 200: Image },
    errors: [notThere],
    handler: ({ caller, params }) => images.remove(caller.brandId, params.workstation_id),
  }),
];
