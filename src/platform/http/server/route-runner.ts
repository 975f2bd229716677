import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { type Caller, withinRequest, workspaceOf } from '../../../kernel/access.js';
import { soon } from '../../../kernel/async.js';
import { notFound, tooManyRequests } from '../../../kernel/errors.js';
import { beginSpan, isTraced, type Span } from '../../../kernel/tracing.js';
import type { ReadyAnswers } from '../../cache/ready-answers.js';
import { noLaggingReads } from '../../database/replicas/lagging-reads.js';
import { answerSender, type SenderOptions } from '../answer/answer-sender.js';
import { Answer, CONTENT_TYPES, type Format, render } from '../answer/answers.js';
import { refuseForeignOrigin } from '../answer/browser-protection.js';
import { readyMaker, sendReady } from '../answer/ready-answer.js';
import { effectOf, type ResponseBody, type Route } from '../declaration/route.js';
import type {
  AnswerOnce,
  MadeAnswer,
  RepeatableRequest,
  RepeatedAnswer,
} from '../idempotency/idempotency.js';
import {
  type Authenticators,
  authenticate,
  authorize,
  type SessionCookie,
} from '../request/authentication.js';
import { inputPlaces, type NameFinder, nameResolver } from '../request/names.js';
import {
  HandlerRequest,
  inputReader,
  type RawInput,
  type ReadInput,
  type SentFile,
} from '../request/route-input.js';
import { withUpload } from '../request/uploads.js';
import type { FastPath } from './fast-path.js';
import { hasBody, type RequestQueue } from './request-queue.js';

const MOST_STREAMS = 50;
const RETRY_SECONDS = 10;

/** Limits the event streams of a person per node. */
export function createStreamPlaces(onRefused: () => void = () => {}, most = MOST_STREAMS) {
  const taken = new Map<number, number>();
  return {
    /** Call the returned function to free the place. */
    take(userId: number): () => void {
      const places = taken.get(userId) ?? 0;
      if (places >= most) {
        onRefused();
        throw tooManyRequests(`You follow ${most} streams already; end one first`, RETRY_SECONDS);
      }
      taken.set(userId, places + 1);
      return () => {
        const rest = (taken.get(userId) ?? 0) - 1;
        if (rest > 0) taken.set(userId, rest);
        else taken.delete(userId);
      };
    },
  };
}

type StreamPlaces = ReturnType<typeof createStreamPlaces>;

export interface RunnerOptions extends SenderOptions {
  authenticators: Authenticators;
  baseUrl: string;
  cookie: SessionCookie;
  answerOnce: AnswerOnce;
  readyAnswers: ReadyAnswers;
  queue: RequestQueue;
  fastPath: Pick<FastPath, 'remember'>;
  streamPlaces: StreamPlaces;
  /** Runs the handlers of urgent routes on reserved connections. */
  urgently?<T>(work: () => T): T;
  /** Throws a 429 when the workspace or the credential exceeds its limit. */
  limit?(caller: WorkspaceCaller): void;
  /** Resolves names in requests to ids. */
  names?: NameFinder;
  spoolFolder: string;
}

type WorkspaceCaller = Extract<Caller, { brandId: number }>;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** Kept only to recognize repeated requests. */
    bodyBytes?: Buffer;
    span?: Span;
    /** The changed workspace, if it is not the caller's. */
    changedWorkspace?: number;
    /**
     * Called when the body is complete. Waits for a place and checks the caller's rights again, because they
     * may have ended. Undefined for a request without a body.
     */
    whenComplete?(): Promise<void>;
  }
}

/**
 * Registers a route with the fixed order of checks: credential, workspace, scope, role, input, then the
 * handler.
 */
export function registerRoute(server: FastifyInstance, declaration: Route, options: RunnerOptions): void {
  const readInput = inputReader(declaration);
  const resolveNames = options.names && nameResolver(inputPlaces(declaration), options.names);
  const send = answerSender(declaration, options);
  const makeReady = declaration.ready ? readyMaker(declaration, options.checkResponses) : undefined;
  // Reads record nothing and need no context.
  const entersContext = declaration.method !== 'GET' && !declaration.carriesOperations;
  const isEventRoute = answersEvents(declaration);
  const { queue, laggingReads = noLaggingReads } = options;
  const hasReplicas = laggingReads !== noLaggingReads;
  const mayLag = declaration.mayLag && hasReplicas;
  const announcesWrites = hasReplicas && effectOf(declaration) !== 'read' && !declaration.carriesOperations;
  const setApart = (declaration.urgent && options.urgently) || plainly;
  const around = <T>({ span }: FastifyRequest, work: () => T): T =>
    setApart(span ? () => span.run(work) : work);

  const hasParams = declaration.path.includes('{');
  // Separate, because bursts of webhook deliveries must not delay sign-ins.
  const purpose = declaration.rawBody?.signed ? 'deliveries' : '';

  const identify = (request: FastifyRequest): Caller | Promise<Caller> =>
    around(request, () => authenticate(declaration.access, request, options.authenticators, options.cookie));

  const judge = (request: FastifyRequest, caller: Caller): void => {
    request.caller = caller;
    countRequest(request.raw, caller, options);
    refuseForeignOrigin(declaration, caller, request, options.baseUrl);
    authorize(declaration, caller, request.params as Record<string, string>);
  };

  const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await queue.enter(request.raw, reply.raw, purpose);
    request.caller = await identify(request);
    authorize(declaration, request.caller, request.params as Record<string, string>);
  };

  /**
   * Authorizes a request before its body arrives, so that nothing is read for callers that the route rejects.
   */
  const judgeHead = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Looking up an unknown caller needs the database, so it waits for a place.
    if (declaration.access.credentials.length > 0 && !queue.isKnown(request.raw))
      await queue.enter(request.raw, reply.raw);
    try {
      judge(request, await identify(request));
    } finally {
      queue.leave(request.raw);
    }
    let entered: Promise<void> | undefined;
    request.whenComplete = () => {
      entered ??= enter(request, reply);
      return entered;
    };
  };

  server.route({
    method: declaration.method,
    url: fastifyPath(declaration.path),
    config: { declaration } as object,
    onRequest: (request, reply, done) => {
      if (isTraced()) request.span = followRequest(declaration, request, reply);
      // An empty path parameter never matches.
      if (hasParams && Object.values(request.params as Record<string, string>).includes('')) throw notFound();
      if (!declaration.urgent && hasBody(request.raw)) return judgeHead(request, reply);
      const caller = identify(request);
      if (caller instanceof Promise) return caller.then((found) => judge(request, found));
      judge(request, caller);
      return done();
    },
    ...(mayChange(declaration) && { onSend: forgetBeforeAnswering(options.readyAnswers) }),
    handler: (request, reply) => {
      const { upload } = declaration;
      const answered = upload
        ? withUpload(request, upload, options.spoolFolder, (readFile) => respond(request, reply, readFile))
        : respond(request, reply);
      // There is nothing to await once the response has been sent.
      return answered instanceof Promise ? answered : undefined;
    },
  });

  function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    readFile?: () => Promise<SentFile>,
  ): FastifyReply | Promise<FastifyReply> {
    const { caller } = request;
    const sent: RawInput = {
      params: request.params as Record<string, string>,
      query: request.query as Record<string, unknown>,
      body: request.body,
      ...(readFile && { readFile }),
    };
    const raw = resolveNames && 'brandId' in caller ? resolveNames(caller.brandId, sent) : sent;
    const input = soon(raw, readInput);
    const { whenComplete } = request;
    if (!whenComplete) return soon(input, (read) => act(request, reply, read));
    // A raw body is read by the handler, which frees its place while reading: see `bytesOf`.
    const ready = declaration.rawBody ? () => queue.enter(request.raw, reply.raw, purpose) : whenComplete;
    return soon(input, (read) => ready().then(() => act(request, reply, read)));
  }

  function act(request: FastifyRequest, reply: FastifyReply, input: ReadInput) {
    const handlerRequest = new HandlerRequest(request, reply, input, {
      bytes: bytesOf(request),
      releasePlace: () => queue.leave(request.raw),
      countAgain: async () => {
        queue.leave(request.raw);
        countRequest(request.raw, request.caller, options);
        await enter(request, reply);
      },
    });
    if (isEventRoute && 'userId' in request.caller)
      reply.raw.once('close', options.streamPlaces.take(request.caller.userId));
    const handle = () => around(request, () => declaration.handler(handlerRequest));
    const work = () => (mayLag ? laggingReads.read(request.caller, async () => handle()) : handle());
    const result = () => (entersContext ? withinRequest(handlerRequest, work) : work());
    const repeatable = findRepeatable(declaration, request);
    if (repeatable) return actOnce(repeatable, request, reply, handlerRequest, result);
    const format = chooseFormat(declaration, input.query, input.body);
    if (makeReady) {
      rememberAddress(request);
      const make = () => soon(result(), (given) => makeReady(given, format));
      const ready = options.readyAnswers.find(workspaceOf(request.caller), request.raw.url ?? '', make);
      return soon(ready, (answer) => sendReady(request, reply, answer));
    }
    const given = announcesWrites ? thenNoteNews(request.caller, async () => result()) : result();
    return soon(given, (answer) => {
      if (declaration.changedWorkspace)
        request.changedWorkspace = declaration.changedWorkspace(answer as never);
      return send(reply, answer, format);
    });
  }

  async function* bytesOf(request: FastifyRequest): AsyncGenerator<Buffer> {
    queue.leave(request.raw);
    yield* (request.body ?? []) as AsyncIterable<Buffer>;
    await request.whenComplete?.();
  }

  function rememberAddress({ raw, params, routeOptions }: FastifyRequest) {
    options.fastPath.remember(raw.url ?? '', {
      declaration,
      route: routeOptions.url ?? 'unknown',
      params: params as Record<string, string>,
    });
  }

  async function actOnce(
    repeatable: RepeatableRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    handlerRequest: HandlerRequest,
    result: () => Promise<Answer | object> | Answer | object,
  ): Promise<FastifyReply> {
    const { prepare, permit } = declaration;
    const make = async (prepared: unknown) => {
      handlerRequest.prepared = prepared;
      return keepable(declaration, await result());
    };
    const answered = await thenNoteNews(request.caller, () =>
      options.answerOnce(repeatable, {
        make,
        ...(prepare && { prepare: () => prepare(handlerRequest) }),
        ...(permit && { permit: () => permit(handlerRequest) }),
      }),
    );
    return sendOnce(declaration, reply, answered);
  }

  /**
   * Runs before the response is sent, because the next request may reach another node. Failed requests are
   * included, because they may have written too.
   */
  async function thenNoteNews<T>(caller: Caller, write: () => Promise<T>): Promise<T> {
    if (!announcesWrites) return write();
    try {
      return await write();
    } finally {
      await laggingReads.noteNews(caller);
    }
  }
}

export function countRequest(
  request: IncomingMessage,
  caller: Caller,
  { queue, limit }: Pick<RunnerOptions, 'queue' | 'limit'>,
): void {
  queue.attribute(request, caller);
  if ('brandId' in caller) limit?.(caller);
}

const mayChange = (declaration: Route): boolean =>
  effectOf(declaration) !== 'read' || declaration.carriesOperations === true;

/**
 * Ensures that the caller sees its own changes on this node before the notification arrives. Only the
 * operator can change every workspace.
 */
const forgetBeforeAnswering =
  (readyAnswers: ReadyAnswers): onSendHookHandler =>
  ({ caller, changedWorkspace }, _reply, payload, done) => {
    if (changedWorkspace !== undefined) readyAnswers.forget(changedWorkspace);
    if (caller?.kind === 'operator') readyAnswers.forget();
    else if (caller && 'brandId' in caller) readyAnswers.forget(caller.brandId);
    done(null, payload);
  };

/** Records the path pattern instead of the address, which can contain tokens. */
function followRequest(
  { method, path }: Route,
  { id, headers }: FastifyRequest,
  reply: FastifyReply,
): Span | undefined {
  const span = beginSpan(`${method} ${path}`, {
    kind: 'server',
    traceparent: [headers['traceparent']].flat()[0],
    attributes: { 'http.request.method': method, 'http.route': path },
    shared: { 'guildhall.request_id': id },
  });
  if (!span) return undefined;
  reply.raw.once('close', () => {
    const { statusCode } = reply.raw;
    span.end({ attributes: { 'http.response.status_code': statusCode }, failed: statusCode >= 500 });
  });
  return span;
}

const answersEvents = ({ responses }: Route): boolean =>
  Object.values(responses as Record<string, ResponseBody>).some(
    (body) => body && 'contentType' in body && [body.contentType].flat().includes('text/event-stream'),
  );

const plainly = <T>(work: () => T): T => work();

const fastifyPath = (path: string): string => path.replaceAll(':', '::').replace(/\{([^}]+)\}/g, ':$1');

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

const chooseFormat = (
  { formats }: Route,
  query: Record<string, unknown>,
  body: unknown,
): Format | undefined =>
  (query['format'] ?? (formats && (body as { format?: unknown }).format)) as Format | undefined;

/** Returns the response of a creating route in the form that is stored. */
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
