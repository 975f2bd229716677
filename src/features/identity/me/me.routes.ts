import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  sessionAccess,
} from '../../../platform/http/declaration/route.js';
import type { createMfaService } from '../factors/mfa.service.js';
import {
  Me,
  MePatch,
  PasswordProof,
  RecoveryCodes,
  TAGS,
  TOO_EASY,
  TOO_MANY,
  TotpConfirmation,
  TotpSecret,
} from '../identity.schemas.js';
import type { SignInCookies } from '../sessions/sign-in-cookies.js';
import type { createMeService } from './me.service.js';

interface OwnServices {
  me: ReturnType<typeof createMeService>;
  mfa: ReturnType<typeof createMfaService>;
}

export const meRoutes = (identity: OwnServices, cookies: SignInCookies): Route[] => [
  route({
    name: 'get_me',
    method: 'GET',
    path: '/api/v1/me',
    summary: 'Get your account',
    description: 'Returns your role here, your other workspaces and how you sign in.',
    tags: TAGS,
    access: memberAccess({ role: 'guest' }),
    responses: { 200: Me },
    errors: [],
    handler: ({ caller }) => identity.me.describe(caller),
  }),
  route({
    name: 'change_me',
    method: 'PATCH',
    path: '/api/v1/me',
    summary: 'Change your name or your password',
    description:
      'Omitted fields keep their value. A new password ends your other sessions, not your tokens. A wrong current one counts as a failed sign-in.',
    tags: TAGS,
    access: sessionAccess({ role: 'guest' }),
    body: MePatch,
    responses: { 200: Me },
    errors: [error(400, '`No fields to update`, or the current password is wrong'), TOO_EASY, TOO_MANY],
    handler: ({ caller, body, ...request }) => identity.me.change(caller, body, cookies.readClient(request)),
  }),
  route({
    name: 'begin_totp',
    method: 'POST',
    path: '/api/v1/me/mfa/totp',
    summary: 'Start setting up two-factor sign-in',
    description: 'Nothing changes before confirm_totp. Another call returns another secret.',
    tags: TAGS,
    access: sessionAccess({ role: 'guest' }),
    responses: { 200: TotpSecret },
    errors: [error(409, 'It is set up already')],
    handler: ({ caller }) => identity.mfa.begin(caller),
  }),
  route({
    name: 'confirm_totp',
    method: 'POST',
    path: '/api/v1/me/mfa/totp/confirm',
    summary: 'Finish setting up two-factor sign-in',
    description:
      'Sign-in asks for a code then. Each recovery code replaces one once; they are shown this once.',
    tags: TAGS,
    access: sessionAccess({ role: 'guest' }),
    body: TotpConfirmation,
    responses: { 200: RecoveryCodes },
    errors: [
      error(400, 'The code is wrong'),
      error(409, 'Two-factor sign-in is already set up, or its setup was not started'),
    ],
    handler: async ({ caller, body }) => ({ recovery_codes: await identity.mfa.confirm(caller, body.code) }),
  }),
  route({
    name: 'remove_totp',
    method: 'DELETE',
    path: '/api/v1/me/mfa/totp',
    summary: 'Remove two-factor sign-in',
    description:
      'Also removes the recovery codes. Workspaces that require two factors refuse you afterwards.',
    tags: TAGS,
    access: sessionAccess({ role: 'guest' }),
    body: PasswordProof,
    responses: { 204: null },
    errors: [error(400, 'The password or the code is wrong'), error(404, 'It is not set up'), TOO_MANY],
    handler: async ({ caller, body, ...request }) => {
      await identity.mfa.remove(caller, body, cookies.readClient(request));
      return noContent();
    },
  }),
];
