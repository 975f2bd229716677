import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DeadlineExceeded, within } from '../../../kernel/async.js';
import { ApiError, notFound, unprocessable } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Route } from '../declaration/route.js';
import { wrongType } from '../request/request-bodies.js';

interface ErrorOptions {
  translateError(error: unknown): ApiError | undefined;
}

/** All errors become responses here, always as `{"detail": ...}`. */
export function answerError(
  fault: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ErrorOptions,
): FastifyReply {
  const error = toApiError(fault, request, options);
  if (error.status >= 500)
    request.log.error({ reqId: request.id, err: fault, route: request.routeOptions?.url }, 'request failed');
  reply.header('x-request-id', request.id);
  discardBody(request, reply);
  return reply
    .code(error.status)
    .headers({ 'cache-control': 'no-store', ...error.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ detail: error.detail }));
}

/** Bytes of a rejected body to read before closing the connection. */
const LARGEST_REST = 64 * 1024 * 1024;

/** Reads the rest of the body, so that the sender receives the response instead of a broken connection. */
function discardBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  reply.removeHeader('connection');
  let rest = 0;
  raw.unpipe();
  raw.on('data', (chunk: Buffer) => {
    rest += chunk.length;
    if (rest > LARGEST_REST) raw.destroy();
  });
  raw.resume();
}

function toApiError(fault: unknown, request: FastifyRequest, options: ErrorOptions): ApiError {
  if (fault instanceof ApiError) return fault;
  const { config } = request.routeOptions ?? {};
  const { declaration } = (config ?? {}) as { declaration?: Route };
  if (declaration?.rawBody && (fault as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return wrongType(declaration.rawBody);
  return (
    fromFastify(fault as { code?: string; statusCode?: number }) ??
    declaration?.translateFailure?.(fault) ??
    options.translateError(fault) ??
    new ApiError(500, 'Internal error')
  );
}

function fromFastify({ code, statusCode }: { code?: string; statusCode?: number }): ApiError | undefined {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(415, 'Content-Type must be application/json');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound();
    default:
      return code?.startsWith('FST_ERR_') && statusCode === 400
        ? unprocessable('The request could not be read')
        : undefined;
  }
}

/** Responds to bytes that are not HTTP, in the same format as other errors. */
export function answerUnreadable(
  fault: { code?: string },
  socket: Socket,
  headers: readonly (readonly [name: string, value: string])[],
): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, detail] = UNREADABLE[fault.code ?? ''] ?? [400, 'The request could not be read'];
  const body = JSON.stringify({ detail });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${newId()}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

const UNREADABLE: Record<string, [status: number, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'The head of the request is too large'],
};

export interface AnswerDeadline {
  milliseconds: number;
  late(): ApiError;
  /** Translates failures of the operation into errors of these routes. */
  translateFailure(error: unknown): ApiError | undefined;
}

export const answerWithin = (deadline: AnswerDeadline, declaration: Route): Route => ({
  ...declaration,
  translateFailure: deadline.translateFailure,
  handler: async (request) => {
    const work = Promise.resolve(request).then((asked) => declaration.handler(asked));
    return within(deadline.milliseconds, work).catch((error: unknown) => {
      throw error instanceof DeadlineExceeded ? deadline.late() : error;
    });
  },
});
