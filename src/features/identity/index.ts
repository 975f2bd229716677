export type { CallerChecks } from './credentials/identity-changes.js';
export { PASSWORD_MAIL_JOB } from './factors/passwords.service.js';
export type { ProofInput, RecheckProof } from './factors/proof.service.js';
export { memberNotFound, userNotFound } from './identity.errors.js';
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
export { createIdentityService, type IdentityService, identityJobs } from './identity.service.js';
export type { GuestAccessService } from './members/members.service.js';
export type { InvitationRow } from './people/invitations.store.js';
export type { GuestResource } from './people/members.store.js';
export { type ClientInfo, createSignInCookies, type SignInCookies } from './sessions/sign-in-cookies.js';
export type { TokenInput } from './sessions/tokens.service.js';
