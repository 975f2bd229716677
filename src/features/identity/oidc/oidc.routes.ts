import { Type } from 'typebox';
import { notFound } from '../../../kernel/errors.js';
import { Answer } from '../../../platform/http/answer/answers.js';
import { error, publicAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { TAGS } from '../identity.schemas.js';
import { type SessionCookieServices, sessionHeaders } from '../sessions/sessions.service.js';
import type { SignInCookies } from '../sessions/sign-in-cookies.js';
import { type createOidcService, OIDC_LIFETIME_SECONDS, OidcRefusal } from './oidc.service.js';

interface OidcServices extends SessionCookieServices {
  oidc: ReturnType<typeof createOidcService> | undefined;
}

const redirect = (location: string, headers: Record<string, string | string[]> = {}) =>
  new Answer(302, { kind: 'empty' }, { ...headers, location });

const NOT_CONFIGURED = error(404, 'Sign-in by a provider is not configured');

const Text = (description: string) => Type.Optional(Type.String({ maxLength: 4096, description }));

const CallbackQuery = Type.Object({
  code: Text('The authorization code of the provider.'),
  state: Text('From start_oidc_sign_in.'),
  iss: Text('The issuer of the provider.'),
  error: Text('Why the provider did not sign them in.'),
});

export function oidcRoutes(identity: OidcServices, cookies: SignInCookies): Route[] {
  const configured = () => {
    if (!identity.oidc) throw notFound();
    return identity.oidc;
  };
  /** Browsers open this address, so errors redirect to the sign-in page. */
  const showFault = (refusal: unknown) => {
    if (!(refusal instanceof OidcRefusal)) throw refusal;
    return redirect(`/sign-in?fault=${refusal.fault}`, { 'set-cookie': cookies.endOidc() });
  };

  return [
    route({
      name: 'start_oidc_sign_in',
      method: 'GET',
      path: '/api/v1/auth/oidc/start',
      summary: "Start signing in at your organization's provider",
      description: 'For a browser: leads to the provider, and back to finish_oidc_sign_in.',
      tags: TAGS,
      access: publicAccess(),
      responses: { 302: null },
      errors: [NOT_CONFIGURED],
      handler: async () => {
        const oidc = configured();
        try {
          const { url, cookie } = await oidc.begin();
          return redirect(url, { 'set-cookie': cookies.oidc(cookie, OIDC_LIFETIME_SECONDS) });
        } catch (refusal) {
          return showFault(refusal);
        }
      },
    }),
    route({
      name: 'finish_oidc_sign_in',
      method: 'GET',
      path: '/api/v1/auth/oidc/callback',
      summary: 'Finish signing in at the provider',
      description: 'For a browser: leads to the dashboard, or to the sign-in page for a code or the error.',
      tags: TAGS,
      access: publicAccess(),
      query: CallbackQuery,
      responses: { 302: null },
      errors: [NOT_CONFIGURED],
      handler: async ({ query, ...request }) => {
        const oidc = configured();
        const client = cookies.readClient(request);
        try {
          const signedIn = await oidc.finish(query, cookies.readOidc(request.headers), client);
          // In the fragment, so that it appears in no server log.
          if ('challenge' in signedIn)
            return redirect(`/sign-in#challenge=${signedIn.challenge}`, { 'set-cookie': cookies.endOidc() });
          const headers = sessionHeaders(identity, cookies, signedIn, client.knownBrowser);
          return redirect('/', { 'set-cookie': [...headers['set-cookie'], cookies.endOidc()] });
        } catch (refusal) {
          return showFault(refusal);
        }
      },
    }),
  ];
}
