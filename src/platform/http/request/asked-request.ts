import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadInput } from './route-input.js';

/** What the runner of a route gives a request beside its input. */
export interface Running {
  bytes: AsyncIterable<Buffer>;
  releasePlace(): void;
  countAgain(): Promise<void>;
}

/** What a handler is given. */
export class AskedRequest {
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
  readonly releasePlace: () => void;
  readonly countAgain: () => Promise<void>;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, input: ReadInput, running: Running) {
    this.params = input.params;
    this.query = input.query as never;
    this.body = input.body as never;
    this.file = input.file;
    this.spooled = input.spooled;
    this.bytes = running.bytes;
    this.headers = request.headers;
    this.requestId = request.id;
    this.clientAddress = request.clientAddress;
    this.releasePlace = running.releasePlace;
    this.countAgain = running.countAgain;
    this.#request = request;
    this.#reply = reply;
  }

  /** As it is now: rights may end while a request lasts. */
  get caller(): never {
    return this.#request.caller as never;
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
