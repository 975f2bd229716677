import { DAY } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { readCookie, type SessionCookie } from '../../../platform/http/request/authentication.js';
import { type SecretBox, SecretNotOpened } from '../../../platform/secrets/secret-box.js';

export interface ClientInfo {
  address: string;
  agent: string | null;
  knownBrowser: string | undefined;
}

const LONGEST_AGENT = 200;

/** Cuts the header to one short line, since it can contain anything. */
function describeAgent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  const line = header
    .slice(0, LONGEST_AGENT)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return line === '' ? null : line;
}

const KNOWN_FOR = 365 * DAY;

type Headers = Record<string, string | string[] | undefined>;

export type SignInCookies = ReturnType<typeof createSignInCookies>;

export function createSignInCookies(session: SessionCookie) {
  const prefix = session.secure ? '__Host-' : '';
  const names = { known: `${prefix}guildhall_known`, oidc: `${prefix}guildhall_oidc` };
  const write = (name: string, value: string, maxAge: number): string =>
    `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${session.secure ? '; Secure' : ''}`;
  const read = (headers: Headers, name: string): string | undefined =>
    typeof headers['cookie'] === 'string' ? readCookie(headers['cookie'], name) : undefined;

  return {
    session: (secret: string, maxAge: number) => write(session.name, secret, maxAge),
    endSession: () => write(session.name, '', 0),
    known: (value: string) => write(names.known, value, KNOWN_FOR),
    oidc: (value: string, maxAge: number) => write(names.oidc, value, maxAge),
    endOidc: () => write(names.oidc, '', 0),
    readOidc: (headers: Headers) => read(headers, names.oidc),

    readClient: ({ headers, clientAddress }: { headers: Headers; clientAddress: string }): ClientInfo => ({
      address: clientAddress,
      agent: describeAgent(headers['user-agent']),
      knownBrowser: read(headers, names.known),
    }),
  };
}

const SEAL_NAME = 'known-browser';
const LONGEST_COOKIE = 1024;
/** A browser that more people share forgets the oldest account. */
const MOST_ACCOUNTS = 5;

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

interface Known {
  id: string;
  /** Digests of account names, newest last. */
  accounts: string[];
}

const digest = (account: string) => sha256Hex(account).slice(0, 16);

/** Names the accounts that signed in with a browser before; grants only a separate rate limit. */
export function createKnownBrowsers(secrets: SecretBox) {
  function read(cookie: string | undefined): Known | undefined {
    if (!cookie || cookie.length > LONGEST_COOKIE) return undefined;
    try {
      return JSON.parse(secrets.open(cookie, SEAL_NAME)) as Known;
    } catch (error) {
      if (error instanceof SecretNotOpened) return undefined;
      throw error;
    }
  }

  return {
    idFor(cookie: string | undefined, account: string): string | undefined {
      const known = read(cookie);
      return known?.accounts.includes(digest(account)) ? known.id : undefined;
    },

    remember(cookie: string | undefined, account: string): string {
      const { id, accounts } = read(cookie) ?? { id: randomSecret(12), accounts: [] };
      const others = accounts.filter((each) => each !== digest(account));
      const known: Known = { id, accounts: [...others, digest(account)].slice(-MOST_ACCOUNTS) };
      return secrets.seal(JSON.stringify(known), SEAL_NAME);
    },
  };
}
