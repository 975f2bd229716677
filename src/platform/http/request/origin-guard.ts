import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../../kernel/access.js';
import { forbidden } from '../../../kernel/errors.js';
import type { Route } from '../declaration/route.js';

/** A browser sends the cookie along with requests that other sites cause; those may not change anything. */
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

/** The origin that the request was sent to: the same name by another scheme is another one. */
function askedOrigin({ headers: { host }, cameByHttps }: FastifyRequest): string | undefined {
  const address = `${cameByHttps ? 'https' : 'http'}://${host}`;
  return host !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}

/** A name that a stranger's page has pointed at this machine is not ours for being the one that was asked. */
const isPublishedOrigin = (origin: string, asked: string | undefined, baseUrl: string): boolean =>
  isOwnOrigin(origin, asked !== undefined && LOOPBACK.test(asked) ? asked : undefined, baseUrl);

function isOwnOrigin(origin: string, asked: string | undefined, baseUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { origin: named } = new URL(origin);
  // `ftp:` and the like have none, which would be the same as any other that has none.
  return named !== 'null' && (named === new URL(baseUrl).origin || named === asked);
}
