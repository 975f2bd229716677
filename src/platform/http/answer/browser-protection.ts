import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../../kernel/access.js';
import { forbidden } from '../../../kernel/errors.js';
import type { Route } from '../declaration/route.js';
import type { Answer } from './answers.js';

/** Two years, including subdomains. */
const STRICT_TRANSPORT = 'max-age=63072000; includeSubDomains';

/** Responses are not pages, unless a route sets its own policy. */
const NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', NO_PAGE],
  ['cross-origin-resource-policy', 'same-origin'],
];

type Headers = readonly (readonly [name: string, value: string])[];

export function securityHeaders(baseUrl: string): { plain: Headers; secure: Headers } {
  const secure: Headers = [...ALWAYS, ['strict-transport-security', STRICT_TRANSPORT]];
  return { plain: baseUrl.startsWith('https:') ? secure : ALWAYS, secure };
}

/** A cookie set over https is marked Secure even when BASE_URL is not https. */
export function secureCookies({ headers }: Answer, request: FastifyRequest): Answer['headers'] {
  const cookies = headers['set-cookie'];
  if (cookies === undefined || !request.cameByHttps) return headers;
  const secure = [cookies]
    .flat()
    .map((cookie) => (/; *secure\b/i.test(cookie) ? cookie : `${cookie}; Secure`));
  return { ...headers, 'set-cookie': secure };
}

/** Browsers send cookies with cross-site requests, which must not change anything. */
export function refuseForeignOrigin(
  declaration: Route,
  caller: Caller,
  request: FastifyRequest,
  baseUrl: string,
): void {
  if (declaration.method === 'GET') return;
  const { changesSession, refusesForeignPages } = declaration;
  if (caller.kind !== 'session' && !changesSession && !refusesForeignPages) return;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreignOrigin();
  const origin = request.headers.origin;
  if (origin === undefined) return;
  const isOwn = refusesForeignPages ? isPublishedOrigin : isOwnOrigin;
  if (!isOwn(origin, askedOrigin(request), baseUrl)) throw foreignOrigin();
}

const foreignOrigin = () => forbidden('This request came from a page of another origin');

const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** Returns the origin that the request was sent to, including its scheme. */
function askedOrigin({ headers: { host }, cameByHttps }: FastifyRequest): string | undefined {
  const address = `${cameByHttps ? 'https' : 'http'}://${host}`;
  return host !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}

/**
 * Accepts the requested origin only for loopback names, because a foreign name can resolve to this machine
 * (DNS rebinding).
 */
const isPublishedOrigin = (origin: string, asked: string | undefined, baseUrl: string): boolean =>
  isOwnOrigin(origin, asked !== undefined && LOOPBACK.test(asked) ? asked : undefined, baseUrl);

function isOwnOrigin(origin: string, asked: string | undefined, baseUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { origin: named } = new URL(origin);
  // Schemes such as `ftp:` have the opaque origin `null`.
  return named !== 'null' && (named === new URL(baseUrl).origin || named === asked);
}
