import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller } from '../../kernel/access.js';
import { notFound } from '../../kernel/errors.js';
import type { AnswerOnce, MadeAnswer, RepeatableRequest, RepeatedAnswer } from '../../kernel/repeatable.js';
import { withinRequest } from '../../kernel/request-context.js';
import { Answer, CONTENT_TYPES, type Format, render } from '../answer/answers.js';
import { secureCookies } from '../answer/security-headers.js';
import type { PathParams, Route, RouteRequest } from '../declaration/route.js';
import {
  type Authenticators,
  authenticate,
  authorize,
  type SessionCookie,
} from '../request/authentication.js';
import { refuseForeignOrigin } from '../request/origin-guard.js';
import { inputReader, type ReadInput } from '../request/route-input.js';
import { readUpload } from '../request/uploads.js';
import { responseChecker } from '../request/validation.js';

export interface RunnerOptions {
  authenticators: Authenticators;
  baseUrl: string;
  cookie: SessionCookie;
  /** Every answer is held against its declared schema; for tests. */
  checkResponses: boolean;
  answerOnce: AnswerOnce;
  openStreams: Set<Readable>;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** Kept only where a repetition of the request has to be told from another one. */
    bodyBytes?: Buffer;
  }
}

/** Puts one declaration behind the fixed order of checks: credential, workspace, scope, role, input, then the handler. */
export function registerRoute(server: FastifyInstance, declaration: Route, options: RunnerOptions): void {
  const readInput = inputReader(declaration);
  const send = answerSender(declaration, options);
  // Reads record nothing, so they are spared the cost of the context.
  const entersContext = declaration.method !== 'GET' && !declaration.carriesOperations;

  server.route({
    method: declaration.method,
    url: fastifyPath(declaration.path),
    config: { declaration } as object,
    onRequest: async (request) => {
      // A path that ends where a name should stand is none of ours, whoever asks.
      if (Object.values(request.params as Record<string, string>).includes('')) throw notFound();
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
      const { upload } = declaration;
      const input = await readInput({
        params: request.params as Record<string, string>,
        query: request.query as Record<string, unknown>,
        body: request.body,
        ...(upload && { readFile: () => readUpload(request, upload) }),
      });
      const asked = requestFor(request, reply, input);
      const work = () => declaration.handler(asked);
      const act = async () => (entersContext ? withinRequest(asked, work) : work());
      const format = chooseFormat(declaration, input.query, input.body);
      const repeatable = findRepeatable(declaration, request);
      if (!repeatable) return send(reply, await act(), format);
      const { prepare, permit } = declaration;
      const make = async (prepared: unknown) => {
        asked.prepared = prepared;
        return keepable(declaration, await act());
      };
      const answered = await options.answerOnce(repeatable, {
        make,
        ...(prepare && { prepare: () => prepare(asked) }),
        ...(permit && { permit: () => permit(asked) }),
      });
      return sendOnce(declaration, reply, answered);
    },
  });
}

type AnyRequest = RouteRequest<never, PathParams, never, never>;

/** What a handler is given. The address and the signal cost something and are seldom asked for. */
function requestFor(request: FastifyRequest, reply: FastifyReply, input: ReadInput): AnyRequest {
  let signal: AbortSignal | undefined;
  return {
    caller: request.caller as never,
    params: input.params,
    query: input.query as never,
    body: input.body as never,
    file: input.file,
    bytes: (request.body ?? []) as AsyncIterable<Buffer>,
    headers: request.headers,
    requestId: request.id,
    get clientAddress() {
      return request.clientAddress;
    },
    get signal() {
      signal ??= signalUntilClosed(reply);
      return signal;
    },
  };
}

function signalUntilClosed(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

const fastifyPath = (path: string): string => path.replaceAll(':', '::').replace(/\{([^}]+)\}/g, ':$1');

/** The request as something that may be asked twice, when the route creates something and the caller named a key. */
function findRepeatable({ creates, method }: Route, request: FastifyRequest): RepeatableRequest | undefined {
  const key = request.headers['idempotency-key'];
  const { caller } = request;
  if (!creates || key === undefined || (caller.kind !== 'pat' && caller.kind !== 'session')) return undefined;
  const requestHash = createHash('sha256')
    .update(`${method} ${request.raw.url}\n`)
    .update(request.bodyBytes ?? '')
    .digest('hex');
  return { brandId: caller.brandId, userId: caller.userId, key: String(key), requestHash };
}

/** Named in the address or, where the declared body has a field for it, there. */
const chooseFormat = (
  { formats }: Route,
  query: Record<string, unknown>,
  body: unknown,
): Format | undefined =>
  (query['format'] ?? (formats && (body as { format?: unknown }).format)) as Format | undefined;

/** What a creating route answered, in the form in which it can be answered again. */
function keepable({ creates, responses }: Route, result: Answer | object): MadeAnswer {
  const success = Number(Object.keys(responses).find((status) => Number(status) < 300));
  const { status, content } =
    result instanceof Answer ? result : new Answer(success, { kind: 'data', data: result });
  if (content.kind !== 'data') throw new Error('A route that creates something answers with data');
  const data = content.data as Record<string, unknown>;
  return {
    status,
    contentType: CONTENT_TYPES.json,
    bytes: Buffer.from(render(data, 'json', () => '')),
    ...(creates?.secret && { onlyId: { name: creates.id, value: String(data[creates.id]) } }),
  };
}

function sendOnce(
  { creates }: Route,
  reply: FastifyReply,
  { status, contentType, bytes, replayed }: RepeatedAnswer,
): FastifyReply {
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (creates && !creates.secret && creates.headers)
    reply.headers(creates.headers(JSON.parse(bytes.toString()) as never));
  return reply.code(status).header('cache-control', 'no-store').type(contentType).send(bytes);
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
    if (check) requireDeclaredCaching(declaration, given);
    reply.headers(secureCookies(given, reply.request));
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
          .send(openStream(check ? checked(given, check) : given.content.chunks, options.openStreams));
      case 'data': {
        check?.(given.status, given.content.data);
        const chosen = format ?? declaration.formats?.default ?? 'json';
        const parts = declaration.formats?.parts?.(given.content.data, chosen);
        if (parts)
          return reply.type(CONTENT_TYPES[chosen]).send(openStream(inTurns(parts), options.openStreams));
        const markdown = declaration.formats?.markdown ?? (() => '');
        return reply.type(CONTENT_TYPES[chosen]).send(render(given.content.data, chosen, markdown));
      }
    }
  };
}

/** For tests: an answer that may be kept is declared to be one. */
function requireDeclaredCaching(
  { method, path, headers = [] }: Route,
  { headers: given, content }: Answer,
): void {
  const caching = given['cache-control'];
  const isEvents = content.kind === 'stream' && content.contentType.startsWith('text/event-stream');
  if (caching && caching !== 'no-store' && !isEvents && !headers.includes('Cache-Control'))
    throw new Error(`${method} ${path} answers an undeclared Cache-Control`);
}

/** JSON that is written in pieces, held against its schema when it is whole. */
async function* checked(
  { status, content }: Answer,
  check: (status: number, data: unknown) => void,
): AsyncGenerator<string | Uint8Array> {
  if (content.kind !== 'stream') return;
  const parts: Buffer[] = [];
  const isJson = content.contentType === CONTENT_TYPES.json;
  for await (const chunk of content.chunks) {
    if (isJson) parts.push(Buffer.from(chunk as Uint8Array));
    yield chunk;
  }
  if (isJson) check(status, JSON.parse(Buffer.concat(parts).toString()));
}

/** Whoever else waits comes between two pieces. */
async function* inTurns(parts: Iterable<string>): AsyncGenerator<string> {
  for (const part of parts) {
    yield part;
    await turn();
  }
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
