import { DAY } from '../../../kernel/clock.js';
import { readCookie, type SessionCookie } from '../../../platform/http/request/authentication.js';
import { describeAgent, type Visitor } from './visitor.js';

const KNOWN_FOR = 365 * DAY;

type Headers = Record<string, string | string[] | undefined>;

export type DoorCookies = ReturnType<typeof createDoorCookies>;

/** What sign-in leaves in a browser and finds there again. Scripts see none of it, and other sites do not send it along. */
export function createDoorCookies(session: SessionCookie) {
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

    visitorOf: ({ headers, clientAddress }: { headers: Headers; clientAddress: string }): Visitor => ({
      address: clientAddress,
      agent: describeAgent(headers['user-agent']),
      knownBrowser: read(headers, names.known),
    }),
  };
}
