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
      method: 'POST',
      path: '/api/v1/auth/login',
      summary: 'Sign in and open a session',
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
      method: 'POST',
      path: '/api/v1/auth/logout',
      summary: 'End the session',
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
      method: 'GET',
      path: '/api/v1/auth/session',
      summary: 'Who is signed in, where, as what',
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
      method: 'POST',
      path: '/api/v1/auth/reset-password',
      summary: 'Choose a new password with a mailed link',
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
      method: 'GET',
      path: '/api/v1/me/tokens',
      summary: 'Your personal access tokens in this workspace',
      tags: ['Sign-in and tokens'],
      access: sessionAccess(),
      responses: { 200: TokenList },
      errors: [],
      handler: async ({ caller }) => {
        const tokens = await identity.listOwnTokens(caller);
        return { tokens, total: tokens.length };
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/me/tokens',
      summary: 'Make a personal access token; its text is shown this once',
      tags: ['Sign-in and tokens'],
      access: sessionAccess(),
      body: TokenBody,
      responses: { 201: CreatedToken },
      errors: [],
      handler: ({ caller, body }) =>
        identity.createOwnToken(caller, {
          name: body.name,
          scopes: body.scopes,
          expiresAt: instantOf(body.expires_at),
        }),
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/me/tokens/{token_id}',
      summary: 'Revoke one of your tokens; it stops working at once',
      tags: ['Sign-in and tokens'],
      access: sessionAccess(),
      params: { token_id: uuidParam() },
      responses: { 204: null },
      errors: [error(404, 'No such token of yours')],
      handler: async ({ caller, params }) => {
        await identity.revokeOwnToken(caller, params.token_id);
        return noContent();
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/me/token',
      summary: 'What the credential of this request is',
      tags: ['Sign-in and tokens'],
      access: memberAccess({ role: 'guest' }),
      responses: { 200: Credential },
      errors: [],
      handler: ({ caller }) => identity.describeCredential(caller),
    }),
    route({
      method: 'POST',
      path: '/api/v1/invitations/{token}/accept',
      summary: 'Accept an invitation and become a member',
      description: 'As the invited person by session, or, for a new person, with `full_name` and `password`.',
      tags: ['Sign-in and tokens'],
      access: optionalSessionAccess(),
      params: { token: textParam() },
      body: AcceptBody,
      responses: { 200: Accepted },
      errors: [
        error(400, 'The invitation is used, expired, revoked or unknown'),
        error(401, 'The invited person has an account: sign in first'),
        error(403, 'The invitation is for another e-mail address'),
      ],
      handler: ({ caller, params, body }) =>
        identity.acceptInvitation(params.token, caller.kind === 'session' ? caller : undefined, body),
    }),
  ];
}
