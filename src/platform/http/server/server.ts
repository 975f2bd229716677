import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import compress from '@fastify/compress';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { ApiError, notFound, OUTAGE_RETRY_SECONDS } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { answerError, answerUnreadable } from '../answer/error-answer.js';
import { PACKED_FROM_BYTES, PACKINGS } from '../answer/packing.js';
import { securityHeaders } from '../answer/security-headers.js';
import { methodsByPath } from '../declaration/method-table.js';
import type { Route } from '../declaration/route.js';
import { authenticate } from '../request/authentication.js';
import { type Proxies, trustProxies } from '../request/client-address.js';
import { readBodies } from '../request/request-bodies.js';
import { clearSpool } from '../request/uploads.js';
import { type EndStream, stopOrderly } from './orderly-stop.js';
import { createReadyLane, type LogAnswer } from './ready-lane.js';
import { createRequestQueue, type RequestQueueOptions } from './request-queue.js';
import { countRequest, type RunnerOptions, registerRoute } from './route-runner.js';
import { createStreamPlaces } from './stream-places.js';

export interface HttpOptions
  extends Omit<RunnerOptions, 'openStreams' | 'queue' | 'streamPlaces' | 'readyLane'> {
  routes: Route[];
  logger: FastifyBaseLogger;
  /** About to stop: whoever is answered dials anew, and then reaches another node. */
  isDraining?(): boolean;
  /** How late the database is, who counts refusals, and how long a request waits at most. */
  load?: Pick<RequestQueueOptions, 'databaseWaitMs' | 'onRefused' | 'longestWaitMs'>;
  /** Addresses and networks of the proxies that are believed about where a request came from. */
  trustedProxies: readonly string[];
  /** Turns errors of lower rooms (an unreachable database) into public ones. */
  translateError(error: unknown): ApiError | undefined;
  observe(route: string, method: string, status: number, seconds: number): void;
}

/** A head that comes in drops, and a body that never ends, do not hold a connection for ever. */
const HEAD_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** Longer than the usual proxy keeps a connection, so that it is the proxy that ends one. */
const KEEP_ALIVE_MS = 72_000;
const MOST_CONNECTIONS = 10_000;
/** A connection on which nothing moves for so long, a stalled reader for example, is closed. Streams send a sign of life more often. */
const STILL_MS = 300_000;

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request came from, as far as it can be believed; `ip` is only the machine that handed it over. */
    readonly clientAddress: string;
    readonly cameByHttps: boolean;
  }
}

export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const proxies = trustProxies(options.trustedProxies);
  const guarding = guardHeaders(options.baseUrl, proxies);
  const log = requestLog(options, proxies);
  const queue = createRequestQueue({
    databaseWaitMs: () => 0,
    ...options.load,
    urgentPaths: new Set(options.routes.filter(({ urgent }) => urgent).map(({ path }) => path)),
    clientAddressOf: proxies.clientAddressOf,
    cameByProxy: proxies.cameByProxy,
    refuse: overloadAnswer(options.baseUrl),
    log: options.logger,
  });
  const counting = { queue, limit: options.limit };
  const readyLane = createReadyLane({
    readyAnswers: options.readyAnswers,
    authenticate: ({ access }, request) =>
      authenticate(
        access,
        { headers: request.headers, clientAddress: proxies.clientAddressOf(request) },
        options.authenticators,
        options.cookie,
      ),
    count: (request, caller) => countRequest(request, caller, counting),
    requestIdOf,
    guarding,
    isStopping: () => options.isDraining?.() === true || !server.server.listening,
    log,
  });
  const server = Fastify({
    serverFactory: (answer) => {
      // Refused here, in our own words and with the id of the request.
      const listener = createServer({ requireHostHeader: false }, (request, response) => {
        queue.admit(request, response, () => {
          if (!readyLane.answer(request, response)) answer(request, response);
        });
      });
      listener.on('connection', queue.noteConnection);
      listener.headersTimeout = HEAD_TIMEOUT_MS;
      listener.requestTimeout = REQUEST_TIMEOUT_MS;
      listener.keepAliveTimeout = KEEP_ALIVE_MS;
      listener.maxConnections = MOST_CONNECTIONS;
      listener.timeout = STILL_MS;
      return listener;
    },
    loggerInstance: options.logger,
    // A logger of its own for every request costs more than naming the request in the one line it writes.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    frameworkErrors: (fault, request, reply) => {
      reply.headers(guarding(request.raw));
      return answerError(fault, request, reply, options);
    },
    genReqId: requestIdOf,
    clientErrorHandler: (fault, socket) =>
      answerUnreadable(fault, socket, securityHeaders(options.baseUrl).plain),
    forceCloseConnections: 'idle',
    // A request that comes in while the server stops is still answered; its connection closes after it.
    return503OnClosing: false,
  });

  knowClients(server, proxies);
  readBodies(server);
  await server.register(compress, {
    globalCompression: true,
    globalDecompression: false,
    threshold: PACKED_FROM_BYTES,
    encodings: [...PACKINGS],
  });

  // Hooks that never wait are no promises: every request passes them.
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(guarding(request.raw));
    if (options.isDraining?.()) reply.raw.setHeader('connection', 'close');
    refuseUnclearHost(request.raw);
    done();
  });
  // An expectation that nobody knows is not met, and the request is answered like any other.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { id, routeOptions, raw } = request;
    log(raw, {
      id,
      route: routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      elapsedMs: reply.elapsedTime,
    });
    done();
  });

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

  await clearSpool(options.spoolFolder);
  const openStreams = new Set<EndStream>();
  stopOrderly(server, openStreams);
  server.addHook('onClose', async () => queue.stop());
  const streamPlaces = createStreamPlaces(() => options.load?.onRefused?.('streams'));
  const runner = { ...options, openStreams, queue, streamPlaces, readyLane };
  for (const declaration of options.routes) registerRoute(server, declaration, runner);
  return server;
}

function knowClients(server: FastifyInstance, proxies: Proxies): void {
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

/** Proxies and this service could each believe another one of two hosts. */
function refuseUnclearHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new ApiError(400, 'The Host header is missing');
  if (countHosts(rawHeaders) > 1) throw new ApiError(400, 'The request has more than one Host header');
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/** Made once, and as cheap as an answer can be: it is given when there is no time for anything else. */
function overloadAnswer(baseUrl: string): (response: ServerResponse) => void {
  const body = JSON.stringify({ detail: 'The service is overloaded; try again shortly' });
  const headers = [
    ...securityHeaders(baseUrl).plain,
    ['content-type', 'application/json; charset=utf-8'],
    ['content-length', String(Buffer.byteLength(body))],
    ['cache-control', 'no-store'],
    ['retry-after', String(OUTAGE_RETRY_SECONDS)],
  ].flat();
  return (response) => {
    response.writeHead(503, [...headers, 'x-request-id', newId()]);
    response.end(body);
  };
}

const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : newId();
};

/** What every answer carries, by how its request came. */
function guardHeaders(baseUrl: string, { cameByHttps }: Proxies) {
  const { plain, secure } = securityHeaders(baseUrl);
  const [plainly, securely] = [Object.fromEntries(plain), Object.fromEntries(secure)];
  return (request: IncomingMessage): Record<string, string> => (cameByHttps(request) ? securely : plainly);
}

/** The pattern, not the address: paths and queries can carry tokens. */
function requestLog({ observe, logger }: HttpOptions, { clientAddressOf }: Proxies): LogAnswer {
  return (request, { id: reqId, route, status, elapsedMs }) => {
    const method = request.method ?? '';
    const milliseconds = Math.round(elapsedMs * 10) / 10;
    observe(route, method, status, elapsedMs / 1000);
    logger.info({ reqId, method, route, status, milliseconds, address: clientAddressOf(request) }, 'request');
  };
}
