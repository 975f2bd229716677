import type { Route } from '../http/declaration/route.js';
import { buildDocument } from '../http/openapi/openapi.js';
import { version } from '../start/version.js';

/** The interface in the words of OpenAPI. */
export const describeInterface = (routes: Route[]): object =>
  buildDocument(routes, {
    title: 'Guildhall',
    version,
    description:
      'The workplace of teams that work with coding agents. Every answer carries `X-Request-Id`, the id of the request in the log.',
  });
