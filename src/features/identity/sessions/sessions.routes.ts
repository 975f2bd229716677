import { Type } from 'typebox';
import { parseIntegerId } from '../../../kernel/ids.js';
import { answer, noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  publicAccess,
  type Route,
  route,
  sessionAccess,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import {
  CodeBody,
  CodeWanted,
  OwnSessions,
  SessionInfo,
  SignedInAnswer,
  SignInBody,
  SwitchBody,
  TAGS,
  TOO_MANY,
} from '../identity.schemas.js';
import type { createChallengeService } from './challenges.service.js';
import {
  type createSessionService,
  type OpenedSession,
  type SessionCookieServices,
  sessionHeaders,
} from './sessions.service.js';
import type { SignInCookies } from './sign-in-cookies.js';

interface SessionServices extends SessionCookieServices {
  challenges: ReturnType<typeof createChallengeService>;
  sessions: ReturnType<typeof createSessionService>;
}

const UNKNOWN_BRAND = -1;

export const sessionRoutes = (identity: SessionServices, cookies: SignInCookies): Route[] => [
  ...signInRoutes(identity, cookies),
  ...ownSessionRoutes(identity, cookies),
];

function signInRoutes(identity: SessionServices, cookies: SignInCookies): Route[] {
  const respond = (opened: OpenedSession, knownBrowser: string | undefined) =>
    answer(200, describeSignIn(opened), sessionHeaders(identity, cookies, opened, knownBrowser));

  return [
    route({
      name: 'sign_in',
      method: 'POST',
      path: '/api/v1/auth/login',
      summary: 'Sign in and open a session',
      description:
        'Sets the session cookie; with two factors, answer_sign_in_challenge comes first. Programs use a personal access token.',
      tags: TAGS,
      access: publicAccess(),
      changesSession: true,
      body: SignInBody,
      responses: { 200: Type.Union([SignedInAnswer, CodeWanted]) },
      errors: [error(401, 'Wrong address or password, or no workspace'), TOO_MANY],
      handler: async ({ body, ...request }) => {
        const brandId =
          body.brand_id === undefined ? undefined : (parseIntegerId(String(body.brand_id)) ?? UNKNOWN_BRAND);
        const client = cookies.readClient(request);
        const signedIn = await identity.sessions.signIn({ ...body, brandId, client });
        return 'challenge' in signedIn
          ? { mfa_required: true, challenge: signedIn.challenge }
          : respond(signedIn, client.knownBrowser);
      },
    }),
    route({
      name: 'answer_sign_in_challenge',
      method: 'POST',
      path: '/api/v1/auth/mfa',
      summary: 'Finish a sign-in with a code',
      description:
        'With a code of your authenticator, or a recovery code. A code works once; five wrong ones end the challenge.',
      tags: TAGS,
      access: publicAccess(),
      changesSession: true,
      body: CodeBody,
      responses: { 200: SignedInAnswer },
      errors: [error(401, 'The code is wrong or used, or the challenge has ended'), TOO_MANY],
      handler: async ({ body, ...request }) => {
        const client = cookies.readClient(request);
        const opened = await identity.challenges.answer(body.challenge, body.code, client);
        return respond(opened, client.knownBrowser);
      },
    }),
    route({
      name: 'sign_out',
      method: 'POST',
      path: '/api/v1/auth/logout',
      summary: 'Sign out',
      description: 'Ends the session on every node.',
      tags: TAGS,
      access: sessionAccess({ role: 'guest' }),
      changesSession: true,
      responses: { 204: null },
      errors: [],
      handler: async ({ caller }) => {
        await identity.sessions.signOut(caller);
        return noContent({ 'set-cookie': cookies.endSession() });
      },
    }),
    route({
      name: 'get_session',
      method: 'GET',
      path: '/api/v1/auth/session',
      summary: 'Get the current session',
      description: 'Returns the person, the workspace, the role and its scopes.',
      tags: TAGS,
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
      name: 'switch_workspace',
      method: 'POST',
      path: '/api/v1/auth/switch',
      summary: 'Switch to another workspace of yours',
      description: 'Opens a session of that workspace and ends this one.',
      tags: TAGS,
      access: sessionAccess({ role: 'guest' }),
      changesSession: true,
      body: SwitchBody,
      responses: { 200: SignedInAnswer },
      errors: [error(404, '`Brand not found`: no workspace of yours')],
      handler: async ({ caller, body, ...request }) => {
        const client = cookies.readClient(request);
        const brandId = parseIntegerId(String(body.brand_id));
        const opened = await identity.sessions.switchWorkspace(caller, brandId, client);
        return respond(opened, client.knownBrowser);
      },
    }),
  ];
}

const describeSignIn = ({ account, workspace }: OpenedSession) => ({
  user: { user_id: account.user_id, email: account.email, full_name: account.full_name },
  brand: { brand_id: workspace.brand_id, name: workspace.name },
  role: workspace.role,
});

function ownSessionRoutes(identity: SessionServices, cookies: SignInCookies): Route[] {
  return [
    route({
      name: 'list_my_sessions',
      method: 'GET',
      path: '/api/v1/me/sessions',
      summary: 'List your sessions',
      description: 'Of all workspaces, newest first. You have at most 50.',
      tags: TAGS,
      access: sessionAccess({ role: 'guest' }),
      responses: { 200: OwnSessions },
      errors: [],
      handler: async ({ caller }) => {
        const sessions = await identity.sessions.listOwn(caller);
        return { sessions, total: sessions.length };
      },
    }),
    route({
      name: 'end_my_other_sessions',
      method: 'DELETE',
      path: '/api/v1/me/sessions',
      summary: 'End all your other sessions',
      description: 'Ends all your sessions but this one, on every node.',
      tags: TAGS,
      access: sessionAccess({ role: 'guest' }),
      responses: { 204: null },
      errors: [],
      handler: async ({ caller }) => {
        await identity.sessions.endOthers(caller);
        return noContent();
      },
    }),
    route({
      name: 'end_my_session',
      method: 'DELETE',
      path: '/api/v1/me/sessions/{session_id}',
      summary: 'End one of your sessions',
      description: 'Takes effect at once on every node. Ending the current one signs you out.',
      tags: TAGS,
      access: sessionAccess({ role: 'guest' }),
      params: {
        session_id: uuidParam(undefined, { description: 'Yours, as list_my_sessions shows it.' }),
      },
      responses: { 204: null },
      errors: [error(404, 'Not found')],
      handler: async ({ caller, params }) => {
        await identity.sessions.endOwn(caller, params.session_id);
        return noContent(
          params.session_id === caller.sessionId ? { 'set-cookie': cookies.endSession() } : undefined,
        );
      },
    }),
  ];
}
