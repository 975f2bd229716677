import { Type } from 'typebox';
import { notFound, OUTAGE_RETRY_SECONDS, retryAfter } from '../../kernel/errors.js';
import { answer, bytes, text } from '../../platform/http/answer/answers.js';
import {
  error,
  operatorAccess,
  publicAccess,
  type Route,
  route,
  textParam,
} from '../../platform/http/declaration/route.js';
import { Closed, Named, OneOf, Timestamp } from '../../platform/http/declaration/schemas.js';
import { DOCS_HTML, DOCS_POLICY, readDocsAsset } from './docs-page.js';
import type { SystemService } from './system.service.js';

const ServiceState = OneOf(['connected', 'unreachable']);
const Health = Named(
  'Health',
  Closed({
    status: OneOf(['healthy', 'degraded', 'draining']),
    timestamp: Timestamp,
    services: Closed({ database: ServiceState, redis: ServiceState }),
  }),
);
const Info = Named(
  'ServiceInfo',
  Closed({
    name: Type.String(),
    version: Type.String(),
    environment: Type.String(),
    docs_url: Type.String(),
  }),
);

export function systemRoutes(system: SystemService): Route[] {
  return [
    route({
      name: 'get_health',
      method: 'GET',
      path: '/api/v1/system/health',
      summary: 'Whether the database and the cache answer',
      description: '503 with the same body when something is out of reach or the node is about to stop.',
      tags: ['System'],
      access: publicAccess(),
      urgent: true,
      responses: { 200: Health, 503: Health },
      errors: [],
      handler: async () => {
        const health = await system.readHealth();
        return health.status === 'healthy' ? health : answer(503, health, retryAfter(OUTAGE_RETRY_SECONDS));
      },
    }),
    route({
      name: 'get_info',
      method: 'GET',
      path: '/api/v1/system/info',
      summary: 'Name and version of the service',
      description: '`docs_url` leads to this documentation.',
      tags: ['System'],
      access: publicAccess(),
      ready: true,
      headers: ['If-None-Match', 'ETag'],
      responses: { 200: Info, 304: null },
      errors: [],
      handler: () => system.info,
    }),
    route({
      name: 'get_metrics',
      method: 'GET',
      path: '/metrics',
      summary: 'Figures for Prometheus',
      description: 'Of this node, in the text format of Prometheus.',
      tags: ['System'],
      access: operatorAccess(),
      responses: { 200: { contentType: 'text/plain', description: 'Prometheus text format' } },
      errors: [],
      handler: async () => text(200, await system.renderMetrics(), system.metricsContentType),
    }),
    route({
      name: 'get_openapi',
      method: 'GET',
      path: '/openapi.json',
      summary: 'This interface as an OpenAPI 3.1 document',
      description: 'The document that you are reading, for programs.',
      tags: ['System'],
      access: publicAccess(),
      headers: ['Cache-Control'],
      responses: { 200: { contentType: 'application/json', description: 'OpenAPI document' } },
      errors: [],
      handler: () =>
        text(200, system.openApiText(), 'application/json; charset=utf-8', { 'cache-control': 'no-cache' }),
    }),
    route({
      name: 'show_docs',
      method: 'GET',
      path: '/docs',
      summary: 'Interactive documentation',
      description: 'This document as a page to read and try out.',
      tags: ['System'],
      access: publicAccess(),
      responses: {
        200: { contentType: 'text/html', description: 'A page that works without any other network' },
      },
      errors: [],
      handler: () =>
        text(200, DOCS_HTML, 'text/html; charset=utf-8', {
          'content-security-policy': DOCS_POLICY,
          'x-frame-options': 'DENY',
          'cross-origin-opener-policy': 'same-origin',
        }),
    }),
    route({
      name: 'get_docs_asset',
      method: 'GET',
      path: '/docs/assets/{name}',
      summary: 'A file of the documentation page',
      description: 'Only for the page at `/docs`.',
      tags: ['System'],
      access: publicAccess(),
      params: {
        name: textParam(undefined, { description: 'The file, as the page refers to it.' }),
      },
      headers: ['Cache-Control'],
      responses: { 200: { contentType: 'application/octet-stream', description: 'The file' } },
      errors: [error(404, 'Not found')],
      handler: async ({ params }) => {
        const asset = await readDocsAsset(params.name);
        if (!asset) throw notFound();
        return bytes(asset.bytes, asset.contentType, { 'cache-control': 'public, max-age=86400' });
      },
    }),
  ];
}
