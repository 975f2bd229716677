import { version } from './config/config.js';
import type { Route } from './platform/http/declaration/route.js';
import { buildDocument } from './platform/http/openapi/openapi.js';

export const describeInterface = (routes: Route[]): object =>
  buildDocument(routes, {
    title: 'Guildhall',
    version,
    description:
      'The workplace of teams that work with coding agents. Every answer carries `X-Request-Id`, the id of the request in the log.',
  });
