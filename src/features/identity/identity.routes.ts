import { answer, noContent } from '../../http/answers.js';
import type { SessionCookie } from '../../http/authentication.js';
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
} from '../../http/route.js';
import { instantOf, Success } from '../../http/schemas.js';
import { parseIntegerId } from '../../kernel/ids.js';
import {
  AcceptBody,
  Accepted,
  CreatedToken,
  Credential,
  InvitationOffer,
  ResetBody,
  SessionInfo,
  SignedIn,
  SignInBody,
  TokenBody,
  TokenList,
} from './identity.schemas.js';
import type { IdentityService } from './identity.service.js';

const TOO_MANY = error(429, 'Too many failed attempts; `Retry-After` says when to try again');
const NO_SUCH_BRAND = -1;

export function identityRoutes(identity: IdentityService, cookie: SessionCookie): Route[] {
  const setCookie = (secret: string, maxAge: number) =>
    `${cookie.name}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${cookie.secure ? '; Secure' : ''}`;

  return [
    route({
      name: 'sign_in',
      method: 'POST',
      path: '/api/v1/auth/login',
      summary: 'Sign in and open a session',
      description: 'Sets the session cookie for the dashboard. Programs use a personal access token instead.',
      tags: ['Sign-in and tokens'],
      access: publicAccess(),
      changesSession: true,
      body: SignInBody,
      responses: { 200: SignedIn },
      errors: [error(401, 'Wrong e-mail address or password, or no workspace to sign in to'), TOO_MANY],
      handler: async ({ body, clientAddress }) => {
        const brandId =
          body.brand_id === undefined ? undefined : (parseIntegerId(String(body.brand_id)) ?? NO_SUCH_BRAND);
        const { account, workplace, secret } = await identity.signIn({
          ...body,
          brandId,
          address: clientAddress,
        });
        return answer(
          200,
          {
            user: { user_id: account.user_id, email: account.email, full_name: account.full_name },
            brand: { brand_id: workplace.brand_id, name: workplace.name },
            role: workplace.role,
          },
          { 'set-cookie': setCookie(secret, identity.sessionLifetimeSeconds) },
        );
      },
    }),
    route({
      name: 'sign_out',
      method: 'POST',
      path: '/api/v1/auth/logout',
      summary: 'End the session',
      description: 'The cookie is cleared and the session ends on every node.',
      tags: ['Sign-in and tokens'],
      access: sessionAccess({ role: 'guest' }),
      changesSession: true,
      responses: { 204: null },
      errors: [],
      handler: async ({ caller }) => {
        await identity.signOut(caller);
        return noContent({ 'set-cookie': setCookie('', 0) });
      },
    }),
    route({
      name: 'get_session',
      method: 'GET',
      path: '/api/v1/auth/session',
      summary: 'Who is signed in, where, as what',
      description: 'The person, the workspace, the role and the scopes that the role brings.',
      tags: ['Sign-in and tokens'],
      access: sessionAccess({ role: 'guest' }),
      responses: { 200: SessionInfo },
      errors: [],
      handler: ({ caller }) => ({
        user: { user_id: caller.userId, email: caller.email, full_name: caller.fullName },
        brand: { brand_id: caller.brandId, name: caller.brandName },
        role: caller.role,
        scopes: [...caller.scopes],
      }),
    }),
    route({
      name: 'reset_password',
      method: 'POST',
      path: '/api/v1/auth/reset-password',
      summary: 'Choose a new password with a mailed link',
      description:
        'With the secret of the link that send_password_reset mailed. It works once; sign in with the new password then.',
      tags: ['Sign-in and tokens'],
      access: publicAccess(),
      body: ResetBody,
      responses: { 200: Success },
      errors: [error(400, '`This link is no longer valid`'), TOO_MANY],
      handler: async ({ body, clientAddress }) => {
        await identity.resetPassword(body.token, body.password, clientAddress);
        return { success: true };
      },
    }),
    route({
      name: 'list_my_tokens',
      method: 'GET',
      path: '/api/v1/me/tokens',
      agents: 'never',
      summary: 'Your personal access tokens in this workspace',
      description: 'Names, scopes and last use; never their text.',
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
      summary: 'Make a personal access token; its text is shown this once',
      description:
        'It can do what you can do, within its scopes. Keep `token` from the answer: it cannot be read again.',
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
        }),
    }),
    route({
      name: 'revoke_my_token',
      method: 'DELETE',
      path: '/api/v1/me/tokens/{token_id}',
      agents: 'never',
      summary: 'Revoke one of your tokens; it stops working at once',
      description: 'On every node. Streams that it opened end.',
      tags: ['Sign-in and tokens'],
      access: sessionAccess(),
      params: {
        token_id: uuidParam(undefined, {
          description: 'One of your tokens, as list_my_tokens shows its token_id.',
        }),
      },
      responses: { 204: null },
      errors: [error(404, 'No such token of yours')],
      handler: async ({ caller, params }) => {
        await identity.tokens.revokeOwn(caller, params.token_id);
        return noContent();
      },
    }),
    route({
      name: 'get_credential',
      method: 'GET',
      path: '/api/v1/me/token',
      summary: 'What the credential of this request is',
      description:
        'Whose it is, in which workspace, with which role and scopes, and when it expires. Ask this first when a call is refused.',
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
      summary: 'What an invitation invites to',
      description:
        'The workspace, who invites, for which address, and as what. accept_invitation accepts it.',
      tags: ['Sign-in and tokens'],
      access: publicAccess(),
      params: {
        token: textParam(undefined, { description: 'The secret at the end of the invitation link.' }),
      },
      responses: { 200: InvitationOffer },
      errors: [error(400, 'The invitation is used, expired, revoked or unknown')],
      handler: ({ params }) => identity.invitations.describe(params.token),
    }),
    route({
      name: 'accept_invitation',
      method: 'POST',
      path: '/api/v1/invitations/{token}/accept',
      summary: 'Accept an invitation and become a member or a guest',
      description: 'As the invited person by session, or, for a new person, with `full_name` and `password`.',
      tags: ['Sign-in and tokens'],
      access: optionalSessionAccess(),
      params: {
        token: textParam(undefined, { description: 'The secret at the end of the invitation link.' }),
      },
      body: AcceptBody,
      responses: { 200: Accepted },
      errors: [
        error(400, 'The invitation is used, expired, revoked or unknown'),
        error(401, 'The invited person has an account: sign in first'),
        error(403, 'The invitation is for another e-mail address'),
      ],
      handler: ({ caller, params, body }) =>
        identity.invitations.accept(params.token, caller.kind === 'session' ? caller : undefined, body),
    }),
  ];
}
