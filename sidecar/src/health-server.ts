import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  HEALTH_PATH,
  type Health,
  isNonce,
  isProof,
  MESSAGE_LIMIT_BYTES,
  NONCE_HEADER,
  PROOF_HEADER,
  prove,
  UPDATE_PATH,
} from './protocol.js';

export interface HealthServerOptions {
  key: string;
  readHealth(): Health;
  /** Returns the HTTP status: 202 when accepted, 4xx when refused. */
  acceptUpdate(body: string): number;
  onContact(): void;
}

/**
 * Every answer proves that this desk has its token, and every action requires the same proof from the caller.
 */
export function createHealthServer(options: HealthServerOptions): Server {
  const server = createServer((request, response) => {
    answer(request, response, options).catch(() => reply(response, 500, { detail: 'Internal error' }));
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HealthServerOptions,
): Promise<void> {
  const path = request.url?.split('?')[0];
  if (request.method === 'GET' && path === HEALTH_PATH) return answerHealth(request, response, options);
  if (request.method === 'POST' && path === UPDATE_PATH) return answerUpdate(request, response, options);
  reply(response, 404, { detail: 'Not found' });
}

function answerHealth(
  request: IncomingMessage,
  response: ServerResponse,
  options: HealthServerOptions,
): void {
  const nonce = request.headers[NONCE_HEADER];
  if (!isNonce(nonce)) {
    reply(response, 400, { detail: 'A nonce of 32 hex digits is needed' });
    return;
  }
  options.onContact();
  reply(response, 200, options.readHealth(), { [PROOF_HEADER]: prove(options.key, nonce) });
}

async function answerUpdate(
  request: IncomingMessage,
  response: ServerResponse,
  options: HealthServerOptions,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return reply(response, 413, { detail: 'The order is too large' });
  if (!isProof(request.headers[PROOF_HEADER], options.key, body))
    return reply(response, 401, { detail: 'The proof is missing or wrong' });
  const status = options.acceptUpdate(body.toString());
  reply(response, status, status < 300 ? { accepted: true } : { detail: 'The order was refused' });
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MESSAGE_LIMIT_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(JSON.stringify(body));
}
