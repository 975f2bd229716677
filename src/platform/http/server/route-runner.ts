import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { type Caller, workspaceOf } from '../../../kernel/access.js';
import { notFound } from '../../../kernel/errors.js';
import { noLaggingReads } from '../../../kernel/lagging-reads.js';
import type { ReadyAnswers } from '../../../kernel/ready-answers.js';
import type {
  AnswerOnce,
  MadeAnswer,
  RepeatableRequest,
  RepeatedAnswer,
} from '../../../kernel/repeatable.js';
import { withinRequest } from '../../../kernel/request-context.js';
import { soon } from '../../../kernel/soon.js';
import { beginSpan, isTraced, type Span } from '../../../kernel/tracing.js';
import { answerSender, type SenderOptions } from '../answer/answer-sender.js';
import { Answer, CONTENT_TYPES, type Format, render } from '../answer/answers.js';
import { readyMaker, sendReady } from '../answer/ready-answer.js';
import { effectOf, type ResponseBody, type Route } from '../declaration/route.js';
import { AskedRequest } from '../request/asked-request.js';
import {
  type Authenticators,
  authenticate,
  authorize,
  type SessionCookie,
} from '../request/authentication.js';
import { inputPlaces, type NameFinder, nameResolver } from '../request/names.js';
import { refuseForeignOrigin } from '../request/origin-guard.js';
import { inputReader, type RawInput, type ReadInput, type SentFile } from '../request/route-input.js';
import { withUpload } from '../request/uploads.js';
import type { ReadyLane } from './ready-lane.js';
import { hasBody, type RequestQueue } from './request-queue.js';
import type { StreamPlaces } from './stream-places.js';

export interface RunnerOptions extends SenderOptions {
  authenticators: Authenticators;
  baseUrl: string;
  cookie: SessionCookie;
  answerOnce: AnswerOnce;
  readyAnswers: ReadyAnswers;
  queue: RequestQueue;
  readyLane: Pick<ReadyLane, 'remember'>;
  streamPlaces: StreamPlaces;
  /** What urgent routes do is done with connections that are kept free for it. */
  urgently?<T>(work: () => T): T;
  /** Throws a 429 when the workspace or the credential has asked for too much. */
  limit?(caller: WorkspaceCaller): void;
  /** Who knows the ids of things that requests call by name. */
  names?: NameFinder;
  /** Where files that are sent lie until their request is answered. */
  spoolFolder: string;
}

export type WorkspaceCaller = Extract<Caller, { brandId: number }>;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** Kept only where a repetition of the request has to be told from another one. */
    bodyBytes?: Buffer;
    /** Only while traces are gathered. */
    span?: Span;
    /** The workspace that the request changed, where it is not the caller's. */
    changedWorkspace?: number;
    /**
     * Called once the body is there: waits for a place and checks the caller's rights again, because they may have ended while the
     * body came in. Undefined for a request without a body.
     */
    whenComplete?(): Promise<void>;
  }
}

/** Puts one declaration behind the fixed order of checks: credential, workspace, scope, role, input, then the handler. */
export function registerRoute(server: FastifyInstance, declaration: Route, options: RunnerOptions): void {
  const readInput = inputReader(declaration);
  const resolveNames = options.names && nameResolver(inputPlaces(declaration), options.names);
  const send = answerSender(declaration, options);
  const makeReady = declaration.ready ? readyMaker(declaration, options.checkResponses) : undefined;
  // Reads record nothing, so they are spared the cost of the context.
  const entersContext = declaration.method !== 'GET' && !declaration.carriesOperations;
  const isFollowed = answersEvents(declaration);
  const { queue, laggingReads = noLaggingReads } = options;
  const hasReplicas = laggingReads !== noLaggingReads;
  const mayLag = declaration.mayLag && hasReplicas;
  const isTold = hasReplicas && effectOf(declaration) !== 'read' && !declaration.carriesOperations;
  const setApart = (declaration.urgent && options.urgently) || plainly;
  const around = <T>({ span }: FastifyRequest, work: () => T): T =>
    setApart(span ? () => span.run(work) : work);

  const hasParams = declaration.path.includes('{');
  // Deliveries of webhooks come in bursts, and nobody who signs in should wait behind them.
  const purpose = declaration.rawBody?.signed ? 'deliveries' : '';

  const identify = (request: FastifyRequest): Caller | Promise<Caller> =>
    around(request, () => authenticate(declaration.access, request, options.authenticators, options.cookie));

  /** Checks 1 to 4. */
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

  /** Judges the head of a request whose body still comes in: nothing more is read for a caller whom the route does not serve. */
  const judgeHead = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // To look up a caller takes the database.
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
      // A path that ends where a name should stand is none of ours, whoever asks.
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
      // What has been sent already is not waited for.
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
    // A handler that reads a body as it comes in gives its place back for that time; see `bytesOf`.
    const ready = declaration.rawBody ? () => queue.enter(request.raw, reply.raw, purpose) : whenComplete;
    return soon(input, (read) => ready().then(() => act(request, reply, read)));
  }

  function act(request: FastifyRequest, reply: FastifyReply, input: ReadInput) {
    const asked = new AskedRequest(request, reply, input, {
      bytes: bytesOf(request),
      releasePlace: () => queue.leave(request.raw),
      countAgain: async () => {
        queue.leave(request.raw);
        countRequest(request.raw, request.caller, options);
        await enter(request, reply);
      },
    });
    if (isFollowed && 'userId' in request.caller)
      reply.raw.once('close', options.streamPlaces.take(request.caller.userId));
    const handle = () => around(request, () => declaration.handler(asked));
    const work = () => (mayLag ? laggingReads.read(request.caller, async () => handle()) : handle());
    const result = () => (entersContext ? withinRequest(asked, work) : work());
    const repeatable = findRepeatable(declaration, request);
    if (repeatable) return actOnce(repeatable, request, reply, asked, result);
    const format = chooseFormat(declaration, input.query, input.body);
    if (makeReady) {
      rememberAddress(request);
      const make = () => soon(result(), (given) => makeReady(given, format));
      const ready = options.readyAnswers.find(workspaceOf(request.caller), request.raw.url ?? '', make);
      return soon(ready, (answer) => sendReady(request, reply, answer));
    }
    const given = isTold ? thenTold(request.caller, async () => result()) : result();
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
    options.readyLane.remember(raw.url ?? '', {
      declaration,
      route: routeOptions.url ?? 'unknown',
      params: params as Record<string, string>,
    });
  }

  async function actOnce(
    repeatable: RepeatableRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    asked: AskedRequest,
    result: () => Promise<Answer | object> | Answer | object,
  ): Promise<FastifyReply> {
    const { prepare, permit } = declaration;
    const make = async (prepared: unknown) => {
      asked.prepared = prepared;
      return keepable(declaration, await result());
    };
    const answered = await thenTold(request.caller, () =>
      options.answerOnce(repeatable, {
        make,
        ...(prepare && { prepare: () => prepare(asked) }),
        ...(permit && { permit: () => permit(asked) }),
      }),
    );
    return sendOnce(declaration, reply, answered);
  }

  /** Before the answer, because the next question may come to another node. One that failed may have written all the same. */
  async function thenTold<T>(caller: Caller, write: () => Promise<T>): Promise<T> {
    if (!isTold) return write();
    try {
      return await write();
    } finally {
      await laggingReads.noteNews(caller);
    }
  }
}

/** Counts the request for the caller's workspace and credential. */
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
 * A caller finds its own changes on this node at once, before the notification of them arrives. Only the operator may change every
 * workspace; an anonymous request changes at most the one that its answer names.
 */
const forgetBeforeAnswering =
  (readyAnswers: ReadyAnswers): onSendHookHandler =>
  ({ caller, changedWorkspace }, _reply, payload, done) => {
    if (changedWorkspace !== undefined) readyAnswers.forget(changedWorkspace);
    if (caller?.kind === 'operator') readyAnswers.forget();
    else if (caller && 'brandId' in caller) readyAnswers.forget(caller.brandId);
    done(null, payload);
  };

/** The pattern, not the address: paths and queries can carry tokens. */
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
