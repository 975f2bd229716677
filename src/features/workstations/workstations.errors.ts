import {
  badGateway,
  badRequest,
  conflict,
  forbidden,
  notFound,
  notReachable,
  unavailable,
  unprocessable,
} from '../../kernel/errors.js';
import { ENVIRONMENT_STATUSES } from './health/desk-status.js';

export const deskNotFound = () => notFound('Not found');

export const workstationLimit = (current: number, limit: number) =>
  forbidden({
    limit_type: 'workstations',
    current,
    limit,
    upgrade_url: '/dashboard/settings/plan',
    message: `This workspace has ${current} of the ${limit} workstations its plan allows`,
  });

export const statusSetByPoller = (status: string) =>
  unprocessable(
    `status ${status} is set by the poller only; send suspended to pause or provisioned to resume`,
  );
export const statusUnknown = () => unprocessable(`status must be one of: ${ENVIRONMENT_STATUSES.join(', ')}`);
export const nothingToChange = () =>
  unprocessable('Send at least one of: name, description, status, sidecar_url');
export const sidecarUrlRefused = (fault: string) => unprocessable(`sidecar_url ${fault}`);

export const notAnImage = () => badRequest('File must be PNG, JPG, GIF or WebP');
export const imageEmpty = () => badRequest('File is empty');
export const imageTooLarge = () => badRequest('File too large (max 5MB)');
export const imageHasTooManyPixels = () => badRequest('File has too many pixels (max 40 megapixels)');
export const imagesNotConfigured = () => unavailable('Image storage not configured');
export const imageStoreUnreachable = () => badGateway(notReachable('The image storage'));
export const imageNotFound = () => notFound('Not found');

export const notOurAddress = () => badRequest('url must be the address of this service');

export const tokenOfAnotherDesk = () => forbidden('This token belongs to another desk');
export const machineTaken = () => conflict('This machine already hosts another desk of this workspace');
export const meshKeyTaken = () => conflict('This key is already in use in the mesh');
export const meshFull = () => unavailable('The mesh has no free address');

export const SHARED_SIDECAR =
  'This machine shares its sidecar installation with another brand and remains operator-managed';
export const NOT_INSTALLED = 'This machine has not run its installer yet';

export const sharedSidecar = () => conflict(SHARED_SIDECAR);
export const notInstalled = () => conflict(NOT_INSTALLED);
