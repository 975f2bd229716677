import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import compress from '@fastify/compress';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { ApiError, notFound, OUTAGE_RETRY_SECONDS } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { EndStream } from '../answer/answer-sender.js';
import { securityHeaders } from '../answer/browser-protection.js';
import { answerError, answerUnreadable } from '../answer/error-answer.js';
import { PACKED_FROM_BYTES, PACKINGS } from '../answer/ready-answer.js';
import { methodsByPath } from '../declaration/declaration-check.js';
import type { Route } from '../declaration/route.js';
import { authenticate } from '../request/authentication.js';
import { type Proxies, trustProxies } from '../request/client-address.js';
import { readBodies } from '../request/request-bodies.js';
import { clearSpool } from '../request/uploads.js';
import { createFastPath, type LogAnswer } from './fast-path.js';
import { createRequestQueue, type RequestQueueOptions } from './request-queue.js';
import { countRequest, createStreamPlaces, type RunnerOptions, registerRoute } from './route-runner.js';

const LONGEST_DRAIN_MS = 8_000;

/** On stop, finishes running requests and closes everything else. */
function stopOrderly(server: FastifyInstance, openStreams: Set<EndStream>): void {
  const { server: listener } = server;
  const sockets = new Set<Socket>();
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  let stopping = false;
  server.addHook('preClose', async () => {
    stopping = true;
    for (const end of openStreams) end();
    // Browsers open spare connections, which Node counts as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    setTimeout(() => listener.closeAllConnections(), LONGEST_DRAIN_MS).unref();
  });
  // A connection that was busy at the stop would otherwise stay open after its response.
  server.addHook('onResponse', (_request, _reply, done) => {
    if (stopping) setImmediate(() => listener.closeIdleConnections());
    done();
  });
}

export interface HttpOptions
  extends Omit<RunnerOptions, 'openStreams' | 'queue' | 'streamPlaces' | 'fastPath'> {
  routes: Route[];
  logger: FastifyBaseLogger;
  /** Whether the server is about to stop, so that callers reconnect to another node. */
  isDraining?(): boolean;
  /** Database latency, a counter of rejections, and the longest wait. */
  load?: Pick<RequestQueueOptions, 'databaseWaitMs' | 'onRefused' | 'longestWaitMs'>;
  trustedProxies: readonly string[];
  /** Turns errors of the platform, such as an unreachable database, into public ones. */
  translateError(error: unknown): ApiError | undefined;
  observe(route: string, method: string, status: number, seconds: number): void;
}

/** Time limits for slow headers and endless bodies. */
const HEAD_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** Longer than the usual proxy timeout, so that the proxy closes connections first. */
const KEEP_ALIVE_MS = 72_000;
const MOST_CONNECTIONS = 10_000;
/** Closes connections without traffic, such as stalled readers. Streams send heartbeats more often. */
const STILL_MS = 300_000;

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

declare module 'fastify' {
  interface FastifyRequest {
    /** The trusted client address. `ip` is only the last hop. */
    readonly clientAddress: string;
    readonly cameByHttps: boolean;
  }
}

export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const proxies = trustProxies(options.trustedProxies);
  const securityHeadersOf = chooseSecurityHeaders(options.baseUrl, proxies);
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
  const fastPath = createFastPath({
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
    securityHeadersOf,
    isStopping: () => options.isDraining?.() === true || !server.server.listening,
    log,
  });
  const server = Fastify({
    serverFactory: (answer) => {
      // Checked in `refuseUnclearHost`, which sends Guildhall's own error with a request id.
      const listener = createServer({ requireHostHeader: false }, (request, response) => {
        queue.admit(request, response, () => {
          if (!fastPath.answer(request, response)) answer(request, response);
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
    // A child logger per request costs more than adding the request id to its one line.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    frameworkErrors: (fault, request, reply) => {
      reply.headers(securityHeadersOf(request.raw));
      return answerError(fault, request, reply, options);
    },
    genReqId: requestIdOf,
    clientErrorHandler: (fault, socket) =>
      answerUnreadable(fault, socket, securityHeaders(options.baseUrl).plain),
    forceCloseConnections: 'idle',
    // Requests that arrive during the stop are still served.
    return503OnClosing: false,
  });

  decorateClient(server, proxies);
  readBodies(server);
  await server.register(compress, {
    globalCompression: true,
    globalDecompression: false,
    threshold: PACKED_FROM_BYTES,
    encodings: [...PACKINGS],
  });

  // Synchronous hooks use callbacks, which cost less than promises.
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(securityHeadersOf(request.raw));
    if (options.isDraining?.()) reply.raw.setHeader('connection', 'close');
    refuseUnclearHost(request.raw);
    done();
  });
  // Unknown expectations are ignored.
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
  const runner = { ...options, openStreams, queue, streamPlaces, fastPath };
  for (const declaration of options.routes) registerRoute(server, declaration, runner);
  return server;
}

function decorateClient(server: FastifyInstance, proxies: Proxies): void {
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

/** A proxy and this service could each use a different one of two hosts. */
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

/** Prepared once, to be as cheap as possible under overload. */
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

function chooseSecurityHeaders(baseUrl: string, { cameByHttps }: Proxies) {
  const { plain, secure } = securityHeaders(baseUrl);
  const [plainly, securely] = [Object.fromEntries(plain), Object.fromEntries(secure)];
  return (request: IncomingMessage): Record<string, string> => (cameByHttps(request) ? securely : plainly);
}

/** Logs the path pattern instead of the address, which can contain tokens. */
function requestLog({ observe, logger }: HttpOptions, { clientAddressOf }: Proxies): LogAnswer {
  return (request, { id: reqId, route, status, elapsedMs }) => {
    const method = request.method ?? '';
    const milliseconds = Math.round(elapsedMs * 10) / 10;
    observe(route, method, status, elapsedMs / 1000);
    logger.info({ reqId, method, route, status, milliseconds, address: clientAddressOf(request) }, 'request');
  };
}
