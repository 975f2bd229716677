// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface Health {
  status: 'healthy' | 'degraded' | 'draining';
  timestamp: string;
  services: {
    database: 'connected' | 'unreachable';
    redis: 'connected' | 'unreachable';
  };
}

export interface ServiceInfo {
  name: string;
  version: string;
  environment: string;
  docs_url: string;
}

export interface GetDocsAssetArguments {
  /** The file, as the page refers to it. */
  name: string;
}

export interface SystemMethods {
  /**
   * Get the security contact.
   * As RFC 9116 has it.
   */
  getSecurityText(fields?: NoArguments, options?: CallOptions): Promise<string>;

  /**
   * Check whether the database and the cache respond.
   * 503 with the same body when something is out of reach or the node is about to stop.
   */
  getHealth(fields?: NoArguments, options?: CallOptions): Promise<Health>;

  /**
   * Get the name and version of the service.
   * `docs_url` leads to this documentation.
   */
  getInfo(fields?: NoArguments, options?: CallOptions): Promise<ServiceInfo>;

  /**
   * Show the interactive documentation.
   * This document as a page to read and try out.
   */
  showDocs(fields?: NoArguments, options?: CallOptions): Promise<string>;

  /**
   * Get a file of the documentation page.
   * Only for the page at `/docs`.
   */
  getDocsAsset(fields: GetDocsAssetArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Get metrics for Prometheus.
   * Of this node, in the text format of Prometheus.
   */
  getMetrics(fields?: NoArguments, options?: CallOptions): Promise<string>;

  /**
   * Get this interface as an OpenAPI 3.1 document.
   * This document for programs.
   */
  getOpenapi(fields?: NoArguments, options?: CallOptions): Promise<unknown>;

  /**
   * Show how to report a security vulnerability.
   * The policy that `/.well-known/security.txt` links to.
   */
  getSecurityPolicy(fields?: NoArguments, options?: CallOptions): Promise<string>;
}

export const system = {
  getSecurityText: { method: 'GET', path: '/.well-known/security.txt', answer: 'text' },
  getHealth: { method: 'GET', path: '/api/v1/system/health' },
  getInfo: { method: 'GET', path: '/api/v1/system/info' },
  showDocs: { method: 'GET', path: '/docs', answer: 'text' },
  getDocsAsset: { method: 'GET', path: '/docs/assets/{name}', answer: 'bytes' },
  getMetrics: { method: 'GET', path: '/metrics', answer: 'text', operator: true },
  getOpenapi: { method: 'GET', path: '/openapi.json' },
  getSecurityPolicy: { method: 'GET', path: '/security-policy', answer: 'text' },
} as const satisfies Record<string, Operation>;
