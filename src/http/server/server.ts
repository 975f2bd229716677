import type { Readable } from 'node:stream';
import compress from '@fastify/compress';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { ApiError, notFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { answerError, answerUnreadable } from '../answer/error-answer.js';
import { securityHeaders } from '../answer/security-headers.js';
import { methodsByPath } from '../declaration/method-table.js';
import type { Route } from '../declaration/route.js';
import { trustProxies } from '../request/client-address.js';
import { readBodies } from '../request/request-bodies.js';
import { stopOrderly } from './orderly-stop.js';
import { type RunnerOptions, registerRoute } from './route-runner.js';

export interface HttpOptions extends Omit<RunnerOptions, 'openStreams'> {
  routes: Route[];
  logger: FastifyBaseLogger;
  /** Addresses and networks of the proxies that are believed about where a request came from. */
  trustedProxies: readonly string[];
  /** Turns errors of lower rooms (an unreachable database) into public ones. */
  translateError(error: unknown): ApiError | undefined;
  observe(route: string, method: string, status: number, seconds: number): void;
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request came from, as far as it can be believed; `ip` is only the machine that handed it over. */
    readonly clientAddress: string;
    readonly cameByHttps: boolean;
  }
}

export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const guard = headerGuard(options.baseUrl);
  const server = Fastify({
    loggerInstance: options.logger,
    // A logger of its own for every request costs more than naming the request in the one line it writes.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    frameworkErrors: (fault, request, reply) => {
      guard(request, reply);
      return answerError(fault, request, reply, options);
    },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : newId();
    },
    clientErrorHandler: (fault, socket) =>
      answerUnreadable(fault, socket, securityHeaders(options.baseUrl).plain),
    forceCloseConnections: 'idle',
    // Refused here, in our own words and with the id of the request.
    http: { requireHostHeader: false },
    // A request that comes in while the server stops is still answered; its connection closes after it.
    return503OnClosing: false,
  });

  knowClients(server, options.trustedProxies);
  readBodies(server);
  await server.register(compress, {
    globalCompression: true,
    globalDecompression: false,
    threshold: 2048,
    encodings: ['br', 'gzip'],
  });

  server.addHook('onRequest', async (request, reply) => {
    reply.raw.setHeader('x-request-id', request.id);
    guard(request, reply);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new ApiError(400, 'The Host header is missing');
  });
  // An expectation that nobody knows is not met, and the request is answered like any other.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response);
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

function knowClients(server: FastifyInstance, trustedProxies: readonly string[]): void {
  const proxies = trustProxies(trustedProxies);
  server.decorateRequest('clientAddress', {
    getter() {
      return proxies.clientAddressOf(this.raw);
    },
  });
  server.decorateRequest('cameByHttps', {
    getter() {
      return proxies.cameByHttps(this.raw);
    },
  });
}

function headerGuard(baseUrl: string): (request: FastifyRequest, reply: FastifyReply) => void {
  const { plain, secure } = securityHeaders(baseUrl);
  return (request, reply) => {
    for (const [name, value] of request.cameByHttps ? secure : plain) reply.raw.setHeader(name, value);
  };
}

function logRequests(server: FastifyInstance, options: HttpOptions): void {
  server.addHook('onResponse', async (request, reply) => {
    // The pattern, not the address: paths and queries can carry tokens.
    const route = request.routeOptions.url ?? 'unknown';
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
    options.observe(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    const { id: reqId, method, clientAddress: address } = request;
    options.logger.info({ reqId, method, route, status: reply.statusCode, milliseconds, address }, 'request');
  });
}
