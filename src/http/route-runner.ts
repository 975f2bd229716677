import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import type { Caller } from '../kernel/access.js';
import { ApiError, notFound } from '../kernel/errors.js';
import { withinRequest } from '../kernel/request-context.js';
import { Answer, CONTENT_TYPES, type Format, render } from './answers.js';
import { authenticate, authorize } from './authentication.js';
import { refuseForeignOrigin } from './origin-guard.js';
import type { PathParams, Route, RouteRequest } from './route.js';
import type { RunnerOptions } from './server.js';
import { readUpload } from './uploads.js';
import { bodyValidator, queryValidator, responseChecker } from './validation.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Puts one declaration behind the fixed order of checks: credential, workspace, scope, role, input, then the handler. */
export function registerRoute(server: FastifyInstance, declaration: Route, options: RunnerOptions): void {
  const readQuery = queryReader(declaration);
  const checkBody = declaration.body ? bodyValidator(declaration.body) : undefined;
  const send = answerSender(declaration, options);
  const params = Object.entries((declaration.params ?? {}) as PathParams);

  server.route({
    method: declaration.method,
    url: fastifyPath(declaration.path),
    config: { declaration } as object,
    onRequest: async (request) => {
      request.caller = await authenticate(
        declaration.access,
        request,
        options.authenticators,
        options.cookie,
      );
      refuseForeignOrigin(declaration, request.caller, request, options.baseUrl);
      authorize(declaration, request.caller, request.params as Record<string, string>);
    },
    handler: async (request, reply) => {
      const values = readParams(params, request.params as Record<string, string>, 'validation');
      const query = readQuery(request.query as Record<string, unknown>);
      const file = declaration.upload ? await readUpload(request, declaration.upload) : undefined;
      const body = checkBody ? readBody(request, checkBody) : {};
      Object.assign(values, readParams(params, request.params as Record<string, string>, 'lookup'));
      const work = () => declaration.handler(new HandlerRequest(request, reply, values, query, body, file));
      // Reads record nothing, so they are spared the cost of the context.
      const result = await (declaration.method === 'GET' ? work() : withinRequest(request.id, work));
      return send(reply, result, query['format'] as Format | undefined);
    },
  });
}

class HandlerRequest implements RouteRequest<never, PathParams, never, never> {
  #signal: AbortSignal | undefined;
  readonly caller: never;
  readonly query: never;
  readonly body: never;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    readonly params: Record<string, never>,
    query: unknown,
    body: unknown,
    readonly file: RouteRequest<never, PathParams, never, never>['file'],
  ) {
    this.caller = request.caller as never;
    this.query = query as never;
    this.body = body as never;
  }

  get headers() {
    return this.request.headers;
  }

  get requestId() {
    return this.request.id;
  }

  get clientAddress() {
    return this.request.ip;
  }

  get signal(): AbortSignal {
    if (!this.#signal) {
      const controller = new AbortController();
      this.reply.raw.once('close', () => controller.abort());
      this.#signal = controller.signal;
    }
    return this.#signal;
  }
}

const fastifyPath = (path: string): string => path.replaceAll(':', '::').replace(/\{([^}]+)\}/g, ':$1');

function queryReader(declaration: Route): (raw: Record<string, unknown>) => Record<string, unknown> {
  const { formats, query } = declaration;
  if (!query && !formats) return () => ({});
  const format = formats && { format: Type.Optional(Type.String({ enum: [...formats.allowed] })) };
  return queryValidator(Type.Object({ ...query?.properties, ...format }), declaration.queryStatus ?? 422);
}

function readBody(request: FastifyRequest, check: (body: unknown) => void): unknown {
  if (request.isMultipart()) throw new ApiError(415, 'Content-Type must be application/json');
  const body = request.body === undefined ? {} : request.body;
  check(body);
  return body;
}

function readParams(
  params: [string, PathParams[string]][],
  raw: Record<string, string>,
  judged: 'validation' | 'lookup',
) {
  const values: Record<string, never> = {};
  for (const [name, param] of params) {
    if (param.judged !== judged) continue;
    const text = raw[name] ?? '';
    const value = param.read(text);
    // Whatever the parameter's own rule lets through, text that cannot be stored names nothing.
    if (text.includes('\0') || !text.isWellFormed()) throw notFound();
    values[name] = value as never;
  }
  return values;
}

type Sender = (reply: FastifyReply, result: unknown, format: Format | undefined) => FastifyReply;

function answerSender(declaration: Route, options: RunnerOptions): Sender {
  const successes = Object.keys(declaration.responses)
    .map(Number)
    .filter((status) => status < 300);
  const onlySuccess = successes.length === 1 ? successes[0] : undefined;
  const check = options.checkResponses ? responseChecks(declaration) : undefined;

  return (reply, result, format) => {
    const given =
      result instanceof Answer ? result : new Answer(onlySuccess ?? 200, { kind: 'data', data: result });
    reply.code(given.status);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    reply.headers(given.headers);
    switch (given.content.kind) {
      case 'empty':
        return reply.send();
      case 'bytes':
        return reply.type(given.content.contentType).send(given.content.bytes);
      case 'stream':
        // HEAD asks for the head only: an endless body would be read for nobody.
        if (reply.request.method === 'HEAD') return reply.type(given.content.contentType).send();
        return reply
          .type(given.content.contentType)
          .send(openStream(given.content.chunks, options.openStreams));
      case 'data': {
        check?.(given.status, given.content.data);
        const chosen = format ?? declaration.formats?.default ?? 'json';
        const markdown = declaration.formats?.markdown ?? (() => '');
        return reply.type(CONTENT_TYPES[chosen]).send(render(given.content.data, chosen, markdown));
      }
    }
  };
}

/** Streams that are still open hold up an orderly stop, so the server knows them. */
function openStream(chunks: AsyncIterable<string | Uint8Array>, openStreams: Set<Readable>): Readable {
  const readable = Readable.from(chunks, { objectMode: false });
  openStreams.add(readable);
  readable.once('close', () => openStreams.delete(readable));
  return readable;
}

function responseChecks(declaration: Route): (status: number, data: unknown) => void {
  const checkers = new Map(
    Object.entries(declaration.responses)
      .filter(([, body]) => body && !('contentType' in body))
      .map(([status, body]) => [Number(status), responseChecker(body as TSchema)]),
  );
  return (status, data) => {
    const check = checkers.get(status);
    const where = `${declaration.method} ${declaration.path}`;
    if (!check) throw new Error(`${where} answered an undeclared ${status}`);
    const fault = check(JSON.parse(JSON.stringify(data)));
    if (fault) throw new Error(`${where} answered ${status} against its schema: ${fault}`);
  };
}
