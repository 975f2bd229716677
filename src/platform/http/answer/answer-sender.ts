import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller } from '../../../kernel/access.js';
import type { LaggingReads } from '../../database/replicas/lagging-reads.js';
import { noLaggingReads } from '../../database/replicas/lagging-reads.js';
import type { Route } from '../declaration/route.js';
import { responseChecker } from '../request/validation.js';
import type { RequestQueue } from '../server/request-queue.js';
import type { StreamContent } from './answers.js';
import { Answer, CONTENT_TYPES, type Format, render } from './answers.js';
import { secureCookies } from './browser-protection.js';

export interface SenderOptions {
  /** Checks every response against its declared schema, for tests. */
  checkResponses: boolean;
  openStreams: Set<EndStream>;
  /** Routes reads to replicas, and protects readers of event streams from stale data. */
  laggingReads?: LaggingReads;
  queue: Pick<RequestQueue, 'leave'>;
}

type Sender = (reply: FastifyReply, result: unknown, format: Format | undefined) => FastifyReply;

export function answerSender(declaration: Route, options: SenderOptions): Sender {
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
        // A HEAD response has no body, and this stream may be endless.
        if (reply.request.method === 'HEAD') return reply.type(given.content.contentType).send();
        if (isEventStream(given.content)) {
          options.queue.leave(reply.request.raw);
          const events = withNews(given.content, reply.request.caller, options.laggingReads);
          return reply
            .type(given.content.contentType)
            .send(openStream(given.content, events, options.openStreams));
        }
        return reply
          .type(given.content.contentType)
          .send(openStream(given.content, check && checked(given, check), options.openStreams));
      case 'json':
        check?.(given.status, JSON.parse(given.content.json));
        return reply.type(CONTENT_TYPES.json).send(given.content.json);
      case 'data': {
        check?.(given.status, given.content.data);
        const chosen = format ?? declaration.formats?.default ?? 'json';
        const parts = declaration.formats?.parts?.(given.content.data, chosen);
        if (parts)
          return reply.type(CONTENT_TYPES[chosen]).send(Readable.from(inTurns(parts), { objectMode: false }));
        const markdown = declaration.formats?.markdown ?? (() => '');
        return reply.type(CONTENT_TYPES[chosen]).send(render(given.content.data, chosen, markdown));
      }
    }
  };
}

/** For tests: fails when a cacheable response is not declared as such. */
function requireDeclaredCaching(
  { method, path, headers = [] }: Route,
  { headers: given, content }: Answer,
): void {
  const caching = given['cache-control'];
  const isEvents = content.kind === 'stream' && isEventStream(content);
  if (caching && caching !== 'no-store' && !isEvents && !headers.includes('Cache-Control'))
    throw new Error(`${method} ${path} answers an undeclared Cache-Control`);
}

export function responseChecks(declaration: Route): (status: number, data: unknown) => void {
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

/** Ends a stream that does not end on its own. */
export type EndStream = () => void;

/** Validates streamed JSON against its schema once it is complete. */
export async function* checked(
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

const TELLS = /^data:/m;

/** A caller that receives an event requests the details next, and must not read them from a stale replica. */
async function* withNews(
  { chunks }: StreamContent,
  caller: Caller,
  laggingReads: LaggingReads = noLaggingReads,
): AsyncGenerator<string | Uint8Array> {
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string' || TELLS.test(chunk)) await laggingReads.noteNews(caller);
    yield chunk;
  }
}

async function* inTurns(parts: Iterable<string>): AsyncGenerator<string> {
  for (const part of parts) {
    yield part;
    await turn();
  }
}

const isEventStream = ({ contentType }: StreamContent) => contentType.startsWith('text/event-stream');

/** After this time a stream is closed, because a reader that stopped reading never notices its end. */
const END_GRACE_MS = 1000;

/** Registers endless streams, so that the server can end them when it stops. */
export function openStream(
  content: StreamContent,
  checkedChunks: StreamContent['chunks'] | undefined,
  openStreams: Set<EndStream>,
): Readable {
  const readable = Readable.from(checkedChunks ?? content.chunks, { objectMode: false });
  if (!isEventStream(content)) return readable;
  const endStream = () => {
    if (!content.end) return void readable.destroy();
    content.end();
    setTimeout(() => readable.destroy(), END_GRACE_MS).unref();
  };
  openStreams.add(endStream);
  readable.once('close', () => openStreams.delete(endStream));
  return readable;
}
