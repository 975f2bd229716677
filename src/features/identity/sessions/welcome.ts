import { foldAccountName } from '../../../kernel/account-names.js';
import type { DoorCookies } from './door-cookies.js';
import type { KnownBrowsers } from './known-browsers.js';
import type { SessionLifetimes } from './session-lifetimes.js';
import type { SignedIn } from './sessions.service.js';

export type OpenedSession = Extract<SignedIn, { secret: string }>;

export interface WelcomeServices {
  sessionLifetimes: SessionLifetimes;
  knownBrowsers: KnownBrowsers;
}

/** What a browser is given with a new session: the session, and that it is known from now on. */
export const welcomeHeaders = (
  identity: WelcomeServices,
  cookies: DoorCookies,
  { account, secret }: OpenedSession,
  knownBrowser: string | undefined,
) => ({
  'set-cookie': [
    cookies.session(secret, identity.sessionLifetimes.maxSeconds),
    cookies.known(identity.knownBrowsers.remember(knownBrowser, foldAccountName(account.email))),
  ],
});
