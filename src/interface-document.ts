import { buildDocument } from './http/openapi.js';
import type { Route } from './http/route.js';
import { version } from './version.js';

/** The interface in the words of OpenAPI. */
export const describeInterface = (routes: Route[]): object =>
  buildDocument(routes, {
    title: 'Guildhall',
    version,
    description: 'The workplace of teams that work with coding agents.',
  });
