import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import type { LaggingReads } from '../../../kernel/lagging-reads.js';
import type { Route } from '../declaration/route.js';
import { responseChecker } from '../request/validation.js';
import { checked, inTurns, isEventStream, openStream, withNews } from '../server/open-stream.js';
import type { EndStream } from '../server/orderly-stop.js';
import type { RequestQueue } from '../server/request-queue.js';
import { Answer, CONTENT_TYPES, type Format, render } from './answers.js';
import { secureCookies } from './security-headers.js';

export interface SenderOptions {
  /** Every answer is held against its declared schema; for tests. */
  checkResponses: boolean;
  openStreams: Set<EndStream>;
  /** Where reads that may be a moment old are done, and who is told of what is new. */
  laggingReads?: LaggingReads;
  queue: Pick<RequestQueue, 'leave'>;
}

type Sender = (reply: FastifyReply, result: unknown, format: Format | undefined) => FastifyReply;

/** Writes what the handlers of a declaration answer. */
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
        // HEAD asks for the head only: an endless body would be read for nobody.
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

/** For tests: an answer that may be kept is declared to be one. */
function requireDeclaredCaching(
  { method, path, headers = [] }: Route,
  { headers: given, content }: Answer,
): void {
  const caching = given['cache-control'];
  const isEvents = content.kind === 'stream' && isEventStream(content);
  if (caching && caching !== 'no-store' && !isEvents && !headers.includes('Cache-Control'))
    throw new Error(`${method} ${path} answers an undeclared Cache-Control`);
}

/** For tests. */
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
