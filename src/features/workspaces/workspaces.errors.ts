import {
  badGateway,
  badRequest,
  conflict,
  forbidden,
  notFound,
  notReachable,
  tooManyRequests,
  unavailable,
  unprocessable,
} from '../../kernel/errors.js';

export const featureNotIncluded = () => conflict('This feature is not included in the workspace plan');

export const unknownRole = () => badRequest("Role must be 'admin' or 'member'");
export const nothingToUpdate = () => badRequest('No fields to update');
export const unknownTimeZone = () =>
  unprocessable('timezone must be a name of the IANA database, for example Europe/Berlin');

export const notAPhoto = () => badRequest('File must be PNG, JPG or GIF');
export const photoHasTooManyPixels = (most: number) =>
  badRequest(`File has too many pixels (max ${most / 1e6} megapixels)`);
export const photoTooLarge = () => badRequest('File too large (max 5MB)');
export const imagesNotConfigured = () => unavailable('Image storage not configured');
export const imagesUnreachable = () => badGateway(notReachable('The image storage'));

export const resetMailNotSent = () => badGateway('Failed to send password reset email');
export const proofMailNotSent = () => badGateway('Failed to send the code by e-mail');
export const noAuthAccount = () => badRequest('User has no auth account');
export const sendResetLinkInstead = () =>
  conflict("Send a reset link instead of setting this person's password.");
export const passwordNotSet = () => badGateway('Failed to set password');

export const guestNotFound = () => notFound('Guest not found');
export const alreadyMember = () => badRequest('User is already a member of this brand');
export const alreadyInvited = () => badRequest('An invitation is already pending for this email');
export const invitationNotFound = () => notFound('Invitation not found');
export const invitationMailNotSent = () => badGateway('Failed to send invitation email');
export const TOO_MANY_INVITATIONS = 'The workspace sent too many invitations; try again later';
export const boardsAnswerInvalid = () => badGateway('The boards service returned an invalid response');

export const addressNotAvailable = () => conflict('This Guildhall address is not available');
export const alreadyYourAddress = () => conflict('This is already your Guildhall address');
export const mailboxCannotBeRenamed = () => conflict('This mailbox cannot be renamed');
export const tooManyForwards = (retryAfterSeconds: number) =>
  tooManyRequests(
    'Five old addresses forward already; rename again when one of them has ended',
    retryAfterSeconds,
  );

export const notItsName = () => unprocessable('name must be the name of the workspace');
export const notAnAuditCursor = () => badRequest('cursor is not one that this endpoint issued');

export const spaceNotFound = () => notFound('Docs space not found');
export const spaceNotOpenToGuest = () => forbidden('You were not invited to this docs space');
