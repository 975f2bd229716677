import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
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
import type { SystemService } from './system.service.js';

/**
 * The build copies these from swagger-ui-dist, so that Guildhall does not depend on that package at run time.
 */
const FOLDER = new URL('./swagger-ui/', import.meta.url);

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const STARTER = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', filter: true, validatorUrl: null, persistAuthorization: false });`;
const STARTER_HASH = createHash('sha256').update(STARTER).digest('base64');

export const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Guildhall API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<noscript>The interactive page needs JavaScript; the same facts are in <a href="/openapi.json">openapi.json</a>.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script>${STARTER}</script>
</body>
</html>
`;

export const DOCS_POLICY = `default-src 'none'; script-src 'self' 'sha256-${STARTER_HASH}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

export async function readDocsAsset(
  name: string,
): Promise<{ bytes: Buffer; contentType: string } | undefined> {
  const contentType = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (!contentType) return undefined;
  return { bytes: await readFile(new URL(name, FOLDER)), contentType };
}

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
      summary: 'Check whether the database and the cache respond',
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
      summary: 'Get the name and version of the service',
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
      summary: 'Get metrics for Prometheus',
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
      summary: 'Get this interface as an OpenAPI 3.1 document',
      description: 'This document for programs.',
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
      summary: 'Show the interactive documentation',
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
      summary: 'Get a file of the documentation page',
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

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const KEPT_FOR_A_DAY = { 'cache-control': 'public, max-age=86400' };

export const securityRoutes = (system: SystemService): Route[] => [
  route({
    name: 'get_security_text',
    method: 'GET',
    path: '/.well-known/security.txt',
    summary: 'Get the security contact',
    description: 'As RFC 9116 has it.',
    tags: ['System'],
    access: publicAccess(),
    headers: ['Cache-Control'],
    responses: { 200: { contentType: 'text/plain', description: 'RFC 9116 text' } },
    errors: [],
    handler: () => text(200, system.securityText(), PLAIN_TEXT, KEPT_FOR_A_DAY),
  }),
  route({
    name: 'get_security_policy',
    method: 'GET',
    path: '/security-policy',
    summary: 'Show how to report a security vulnerability',
    description: 'The policy that `/.well-known/security.txt` links to.',
    tags: ['System'],
    access: publicAccess(),
    headers: ['Cache-Control'],
    responses: { 200: { contentType: 'text/plain', description: 'A text for people' } },
    errors: [],
    handler: () => text(200, system.securityPolicy(), PLAIN_TEXT, KEPT_FOR_A_DAY),
  }),
];
