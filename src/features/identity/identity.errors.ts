import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  unauthorized,
  unprocessable,
} from '../../kernel/errors.js';

export const signInRefused = () => unauthorized('E-mail address or password is wrong');
export const wrongCode = () => unauthorized('This code is wrong or was used before');
export const challengeEnded = () => unauthorized('This sign-in has ended; sign in again');
export const codeNotConfirmed = () => badRequest('This code is wrong or was used before');
export const totpAlreadySet = () => conflict('Two-factor sign-in is set up already');
export const totpNotBegun = () => conflict('Ask for a secret before you confirm it');
export const totpNotSet = () => notFound('Two-factor sign-in is not set up');
export const wrongPassword = () => badRequest('The password is wrong');
export const wrongProof = () => badRequest('This code is wrong, has expired or was used before');
export const passwordInstead = () => conflict('You have a password, which is asked for instead of a code');
export const proofCodeRequired = () =>
  unprocessable('code is required; POST /api/v1/me/proof mails you one, or sign in at your provider again');
export const TOO_MANY_PROOFS = 'Too many codes were asked for; try again later';
export const passwordTooEasy = () => unprocessable('This password is too easy to guess');
export const nothingToChange = () => badRequest('No fields to update');
export const workspaceNotFound = () => notFound('Brand not found');
export const sessionNotFound = () => notFound('Not found');
export const linkNoLongerValid = () => badRequest('This link is no longer valid');
export const invitationNoLongerValid = () => badRequest('This invitation is no longer valid');
export const invitationForAnother = () => forbidden('This invitation is for another e-mail address');
export const addressTaken = () => conflict('An account exists whose e-mail address reads the same');
export const signInToAccept = () => unauthorized('Sign in as the invited person to accept this invitation');
export const tokenNotFound = () => notFound('Not found');
export const scopeOutsideCeiling = (scope: string, brandId: number) =>
  unprocessable(
    `scopes: ${scope} is not allowed by this workspace; the operator can allow it with scope_ceiling in PATCH /api/v1/admin/brands/${brandId}`,
  );
export const agentUnknown = () => unprocessable('agent_id must name an agent of this workspace');
export const expiryInThePast = () => unprocessable('expires_at must lie in the future');
export const fieldRequired = (field: string) => unprocessable(`${field} is required`);
export const TOO_MANY_ATTEMPTS = 'Too many failed attempts; try again later';

export const userNotFound = () => notFound('User not found');
export const memberNotFound = () => notFound('Member not found');
export const memberCannotBeGuest = () => conflict('User is already a member of this brand');
export const lastAdminDemoted = () => conflict('The last workspace admin cannot be changed to a member');
export const lastAdminRemoved = () => conflict('The last workspace admin cannot be removed');
export const lastAdminErased = (workspaces: string[]) =>
  conflict(`You are the last admin of ${nameSome(workspaces)}; make someone else an admin first`);

const MOST_NAMED = 5;
const nameSome = (names: string[]): string =>
  names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(', ')} and others` : names.join(', ');
