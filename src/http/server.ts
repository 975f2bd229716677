import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import compress from '@fastify/compress';
import multipart from '@fastify/multipart';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { ApiError, notFound } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import type { Authenticators, SessionCookie } from './authentication.js';
import { answerError, answerUnreadable } from './error-answer.js';
import { parseJsonBody } from './json-body.js';
import { methodsByPath } from './method-table.js';
import { stopOrderly } from './orderly-stop.js';
import type { Route } from './route.js';
import { registerRoute } from './route-runner.js';

export interface HttpOptions {
  routes: Route[];
  authenticators: Authenticators;
  baseUrl: string;
  cookie: SessionCookie;
  logger: FastifyBaseLogger;
  /** Turns errors of lower rooms (an unreachable database) into public ones. */
  translateError(error: unknown, path: string): ApiError | undefined;
  observe(route: string, method: string, status: number, seconds: number): void;
  /** Every answer is held against its declared schema; for tests. */
  checkResponses: boolean;
}

export interface RunnerOptions extends HttpOptions {
  openStreams: Set<Readable>;
}

const BODY_LIMIT = 2 * 1024 * 1024;
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const server = Fastify({
    loggerInstance: options.logger,
    // A logger of its own for every request costs more than naming the request in the one line it writes.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    frameworkErrors: (fault, request, reply) => answerError(fault, request, reply, options),
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : newId();
    },
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: 'idle',
    // A request that comes in while the server stops is still answered; its connection closes after it.
    return503OnClosing: false,
    trustProxy: 'loopback',
  });

  readBodies(server);
  await server.register(compress, { global: true, threshold: 2048, encodings: ['br', 'gzip'] });
  await server.register(multipart, { throwFileSizeLimit: false });

  server.addHook('onRequest', async (request, reply) => {
    reply.raw.setHeader('x-request-id', request.id);
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    reply.raw.setHeader('referrer-policy', 'no-referrer');
  });
  logRequests(server, options);

  server.setErrorHandler((fault, request, reply) => answerError(fault, request, reply, options));
  const methodsOf = methodsByPath(options.routes);
  server.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request.url.split('?', 1)[0]!);
    const fault =
      methods.length > 0
        ? new ApiError(405, 'Method not allowed', { allow: methods.join(', ') })
        : notFound();
    return answerError(fault, request, reply, options);
  });

  const openStreams = new Set<Readable>();
  stopOrderly(server, openStreams);
  for (const declaration of options.routes) registerRoute(server, declaration, { ...options, openStreams });
  return server;
}

const declarationOf = (request: FastifyRequest) =>
  (request.routeOptions.config as { declaration?: Route }).declaration;

/** JSON where a route declares a body; where it declares none, whatever comes is let go. */
function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: string | Buffer) =>
      declarationOf(request)?.body ? parseJsonBody(Buffer.from(body)) : undefined,
  );
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (declarationOf(request)?.body && request.headers['content-length'] !== '0') {
      throw new ApiError(415, 'Content-Type must be application/json');
    }
    payload.resume();
    return undefined;
  });
}

function logRequests(server: FastifyInstance, options: HttpOptions): void {
  server.addHook('onResponse', async (request, reply) => {
    // The pattern, not the address: paths and queries can carry tokens.
    const route = request.routeOptions.url ?? 'unknown';
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
    options.observe(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    const { id: reqId, method } = request;
    options.logger.info({ reqId, method, route, status: reply.statusCode, milliseconds }, 'request');
  });
}
