export { PASSWORD_MAIL_JOB } from './factors/forgotten.service.js';
export { memberNotFound, userNotFound } from './identity.errors.js';
export { identityJobs } from './identity.jobs.js';
export { identityRoutes } from './identity.routes.js';
export {
  Email,
  ExpiresAt,
  Password,
  ProofCode,
  ScopeCeiling,
  ScopeName,
  TokenAgent,
  tokenFields,
} from './identity.schemas.js';
export {
  createIdentityService,
  type DoorCookies,
  type GivenProof,
  type HoldProof,
  type IdentityService,
  type StillAllowed,
  type Visitor,
} from './identity.service.js';
export type { GuestAccessService, GuestPlace } from './membership/guests.service.js';
export type { InvitationRow } from './membership/invitations.service.js';
export { createDoorCookies } from './sessions/door-cookies.js';
export type { TokenWish } from './sessions/tokens.service.js';
