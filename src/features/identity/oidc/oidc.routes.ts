import { Type } from 'typebox';
import { notFound } from '../../../kernel/errors.js';
import { Answer } from '../../../platform/http/answer/answers.js';
import { error, publicAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { TAGS } from '../identity.schemas.js';
import type { DoorCookies } from '../sessions/door-cookies.js';
import { type WelcomeServices, welcomeHeaders } from '../sessions/welcome.js';
import type { createOidcService } from './oidc.service.js';
import { OIDC_PATIENCE_SECONDS, OidcRefusal } from './oidc.service.js';

interface OidcServices extends WelcomeServices {
  oidc: ReturnType<typeof createOidcService> | undefined;
}

const redirect = (location: string, headers: Record<string, string | string[]> = {}) =>
  new Answer(302, { kind: 'empty' }, { ...headers, location });

const NOT_CONFIGURED = error(404, 'Sign-in by a provider is not configured');

const Text = (description: string) => Type.Optional(Type.String({ maxLength: 4096, description }));

const CallbackQuery = Type.Object({
  code: Text('What the provider takes in exchange.'),
  state: Text('From start_oidc_sign_in.'),
  iss: Text('Who the provider is.'),
  error: Text('Why the provider did not sign them in.'),
});

export function oidcRoutes(identity: OidcServices, cookies: DoorCookies): Route[] {
  const configured = () => {
    if (!identity.oidc) throw notFound();
    return identity.oidc;
  };
  /** People see pages here, so a refusal is one too: the sign-in page, which knows the words for it. */
  const showFault = (refusal: unknown) => {
    if (!(refusal instanceof OidcRefusal)) throw refusal;
    return redirect(`/sign-in?fault=${refusal.fault}`, { 'set-cookie': cookies.endOidc() });
  };

  return [
    route({
      name: 'start_oidc_sign_in',
      method: 'GET',
      path: '/api/v1/auth/oidc/start',
      summary: 'Sign in by the provider of your organisation',
      description: 'For a browser: leads to the provider, and back to finish_oidc_sign_in.',
      tags: TAGS,
      access: publicAccess(),
      responses: { 302: null },
      errors: [NOT_CONFIGURED],
      handler: async () => {
        const oidc = configured();
        try {
          const { url, cookie } = await oidc.begin();
          return redirect(url, { 'set-cookie': cookies.oidc(cookie, OIDC_PATIENCE_SECONDS) });
        } catch (refusal) {
          return showFault(refusal);
        }
      },
    }),
    route({
      name: 'finish_oidc_sign_in',
      method: 'GET',
      path: '/api/v1/auth/oidc/callback',
      summary: 'Come back from the provider',
      description: 'For a browser: leads to the dashboard, or to the sign-in page for a code or the error.',
      tags: TAGS,
      access: publicAccess(),
      query: CallbackQuery,
      responses: { 302: null },
      errors: [NOT_CONFIGURED],
      handler: async ({ query, ...request }) => {
        const oidc = configured();
        const visitor = cookies.visitorOf(request);
        try {
          const signedIn = await oidc.finish(query, cookies.readOidc(request.headers), visitor);
          // Behind the hash, so that no server and no log on the way sees it.
          if ('challenge' in signedIn)
            return redirect(`/sign-in#challenge=${signedIn.challenge}`, { 'set-cookie': cookies.endOidc() });
          const welcome = welcomeHeaders(identity, cookies, signedIn, visitor.knownBrowser);
          return redirect('/', { 'set-cookie': [...welcome['set-cookie'], cookies.endOidc()] });
        } catch (refusal) {
          return showFault(refusal);
        }
      },
    }),
  ];
}
