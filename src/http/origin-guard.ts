import type { FastifyRequest } from 'fastify';
import type { Caller } from '../kernel/access.js';
import { forbidden } from '../kernel/errors.js';
import type { Route } from './route.js';

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
  if (!isOwn(origin, request.headers.host, baseUrl)) throw foreignOrigin();
}

const foreignOrigin = () => forbidden('This request came from a page of another origin');

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** A name that a stranger's page has pointed at this machine is not ours for being the one that was asked. */
const isPublishedOrigin = (origin: string, host: string | undefined, baseUrl: string): boolean =>
  isOwnOrigin(origin, host !== undefined && LOOPBACK.test(host) ? host : undefined, baseUrl);

function isOwnOrigin(origin: string, host: string | undefined, baseUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  return new URL(origin).origin === new URL(baseUrl).origin || new URL(origin).host === host;
}
