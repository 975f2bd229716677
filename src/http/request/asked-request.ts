import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadInput } from './route-input.js';

/** What a handler is given. */
export class AskedRequest {
  readonly caller: never;
  readonly params: ReadInput['params'];
  readonly query: never;
  readonly body: never;
  readonly file: ReadInput['file'];
  readonly spooled: ReadInput['spooled'];
  readonly bytes: AsyncIterable<Buffer>;
  readonly headers: FastifyRequest['headers'];
  readonly requestId: string;
  readonly clientAddress: string;
  prepared: unknown;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, input: ReadInput) {
    this.caller = request.caller as never;
    this.params = input.params;
    this.query = input.query as never;
    this.body = input.body as never;
    this.file = input.file;
    this.spooled = input.spooled;
    this.bytes = (request.body ?? []) as AsyncIterable<Buffer>;
    this.headers = request.headers;
    this.requestId = request.id;
    this.clientAddress = request.clientAddress;
    this.#reply = reply;
  }

  /** Costs something and is seldom asked for. */
  get signal(): AbortSignal {
    this.#signal ??= signalUntilClosed(this.#reply);
    return this.#signal;
  }
}

function signalUntilClosed(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}
