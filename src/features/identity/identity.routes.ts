import { answer, noContent } from '../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  optionalSessionAccess,
  publicAccess,
  type Route,
  route,
  sessionAccess,
  textParam,
  uuidParam,
} from '../../platform/http/declaration/route.js';
import { instantOf, Success } from '../../platform/http/declaration/schemas.js';
import type { SessionCookie } from '../../platform/http/request/authentication.js';
import {
  AcceptBody,
  Accepted,
  CreatedToken,
  Credential,
  ForgottenBody,
  InvitationOffer,
  ResetBody,
  TAGS,
  TOO_EASY,
  TOO_MANY,
  TokenBody,
  TokenList,
} from './identity.schemas.js';
import type { IdentityService } from './identity.service.js';
import { meRoutes } from './me/me.routes.js';
import { oidcRoutes } from './oidc/oidc.routes.js';
import { sessionRoutes } from './sessions/sessions.routes.js';
import { createSignInCookies, type SignInCookies } from './sessions/sign-in-cookies.js';

export function identityRoutes(identity: IdentityService, cookie: SessionCookie): Route[] {
  const cookies = createSignInCookies(cookie);
  return [
    ...sessionRoutes(identity, cookies),
    ...passwordRoutes(identity, cookies),
    ...meRoutes(identity, cookies),
    ...oidcRoutes(identity, cookies),
    route({
      name: 'list_my_tokens',
      method: 'GET',
      path: '/api/v1/me/tokens',
      agents: 'never',
      summary: 'List your tokens in this workspace',
      description: 'Returns names, scopes and last use, but never the text.',
      tags: ['Sign-in and tokens'],
      access: sessionAccess(),
      responses: { 200: TokenList },
      errors: [],
      handler: async ({ caller }) => {
        const tokens = await identity.tokens.listOwn(caller);
        return { tokens, total: tokens.length };
      },
    }),
    route({
      name: 'create_my_token',
      method: 'POST',
      path: '/api/v1/me/tokens',
      creates: { secret: true, id: 'token_id' },
      agents: 'never',
      summary: 'Create a token and show its text once',
      description: 'It can do what you can, within its scopes. A token of an agent ends with the agent.',
      tags: ['Sign-in and tokens'],
      access: sessionAccess(),
      body: TokenBody,
      responses: { 201: CreatedToken },
      errors: [],
      handler: ({ caller, body }) =>
        identity.tokens.createOwn(caller, {
          name: body.name,
          scopes: body.scopes,
          expiresAt: instantOf(body.expires_at),
          agentId: body.agent_id ?? null,
        }),
    }),
    route({
      name: 'revoke_my_token',
      method: 'DELETE',
      path: '/api/v1/me/tokens/{token_id}',
      agents: 'never',
      summary: 'Revoke one of your tokens',
      description: 'Takes effect at once on every node and ends the streams that it opened.',
      tags: ['Sign-in and tokens'],
      access: sessionAccess(),
      params: {
        token_id: uuidParam(undefined, { description: 'Yours, as list_my_tokens shows it.' }),
      },
      responses: { 204: null },
      errors: [error(404, 'Not found')],
      handler: async ({ caller, params }) => {
        await identity.tokens.revokeOwn(caller, params.token_id);
        return noContent();
      },
    }),
    route({
      name: 'get_credential',
      method: 'GET',
      path: '/api/v1/me/token',
      summary: 'Describe the credential of this request',
      description:
        'Returns its person, workspace, role, scopes and expiry. Call this first when a request is refused.',
      tags: ['Sign-in and tokens'],
      access: memberAccess({ role: 'guest' }),
      responses: { 200: Credential },
      errors: [],
      handler: ({ caller }) => identity.describeCredential(caller),
    }),
    route({
      name: 'get_invitation',
      method: 'GET',
      path: '/api/v1/invitations/{token}',
      summary: 'Get the content of an invitation',
      description: 'Returns the workspace, the inviter, the invited address and the role.',
      tags: ['Sign-in and tokens'],
      access: publicAccess(),
      params: {
        token: textParam(undefined, { description: 'The secret at the end of the invitation link.' }),
      },
      responses: { 200: InvitationOffer },
      errors: [error(400, 'Used, expired, revoked or unknown')],
      handler: ({ params }) => identity.invitations.describe(params.token),
    }),
    route({
      name: 'accept_invitation',
      method: 'POST',
      path: '/api/v1/invitations/{token}/accept',
      summary: 'Accept an invitation',
      description: 'Accepts with your session, or creates a new person with `full_name` and `password`.',
      tags: ['Sign-in and tokens'],
      access: optionalSessionAccess(),
      params: {
        token: textParam(undefined, { description: 'The secret at the end of the invitation link.' }),
      },
      body: AcceptBody,
      responses: { 200: Accepted },
      errors: [
        error(400, 'Used, expired, revoked or unknown'),
        error(401, 'The invited person has an account: sign in first'),
        error(403, 'The invitation is for another e-mail address'),
        error(409, 'Another account reads the same'),
        TOO_EASY,
      ],
      changedWorkspace: ({ brand_id }: { brand_id: number }) => brand_id,
      handler: ({ caller, params, body }) =>
        identity.invitations.accept(params.token, caller.kind === 'session' ? caller : undefined, body),
    }),
  ];
}

const passwordRoutes = (identity: IdentityService, cookies: SignInCookies): Route[] => [
  route({
    name: 'request_password_reset',
    method: 'POST',
    path: '/api/v1/auth/forgot-password',
    summary: 'Mail yourself a password reset link',
    description: 'The answer is the same whether there is an account or not.',
    tags: TAGS,
    access: publicAccess(),
    body: ForgottenBody,
    responses: { 202: Success },
    errors: [],
    handler: async ({ body, ...request }) => {
      await identity.forgotten.requestReset(body.email, cookies.readClient(request));
      return answer(202, { success: true });
    },
  }),
  route({
    name: 'reset_password',
    method: 'POST',
    path: '/api/v1/auth/reset-password',
    summary: 'Set a new password with a mailed link',
    description:
      'Takes the secret of a mailed link, which works once. Sign in with the new password afterwards.',
    tags: TAGS,
    access: publicAccess(),
    body: ResetBody,
    responses: { 200: Success },
    errors: [error(400, '`This link is no longer valid`'), TOO_EASY, TOO_MANY],
    handler: async ({ body, clientAddress }) => {
      await identity.resetPassword(body.token, body.password, clientAddress);
      return { success: true };
    },
  }),
];
