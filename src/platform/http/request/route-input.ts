import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { soon } from '../../../kernel/async.js';
import { notFound } from '../../../kernel/errors.js';
import type { PathParams, Route, SpooledFile, UploadedFile } from '../declaration/route.js';
import { bodyValidator, queryValidator } from './validation.js';

export interface RawInput {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  readFile?(): Promise<SentFile>;
}

export interface SentFile {
  file?: UploadedFile;
  spooled?: SpooledFile;
}

export interface ReadInput extends SentFile {
  params: Record<string, never>;
  query: Record<string, unknown>;
  body: unknown;
}

/** Validates the input of a route in a fixed order, for both HTTP and agent tools. */
export type InputReader = (raw: RawInput) => ReadInput | Promise<ReadInput>;

export function inputReader(declaration: Route): InputReader {
  const readQuery = queryReader(declaration);
  const checkBody = declaration.body ? bodyValidator(declaration.body) : undefined;
  const params = Object.entries((declaration.params ?? {}) as PathParams);

  return (raw) => {
    const values = readParams(params, raw.params, 'validation');
    const query = readQuery(raw.query);
    return soon(raw.readFile?.(), (sent) => {
      const body = checkBody ? (raw.body === undefined ? {} : raw.body) : {};
      checkBody?.(body);
      Object.assign(values, readParams(params, raw.params, 'lookup'));
      return { params: values, query, body, ...sent };
    });
  };
}

function queryReader(declaration: Route): (raw: Record<string, unknown>) => Record<string, unknown> {
  const { formats, query } = declaration;
  if (!query && !formats) return () => ({});
  const format = formats && { format: Type.Optional(Type.String({ enum: [...formats.allowed] })) };
  const { pagination, queryStatus } = declaration;
  return queryValidator(Type.Object({ ...query?.properties, ...format }), {
    status: queryStatus ?? 422,
    cursor: pagination?.style === 'cursor' ? pagination.parameter : undefined,
  });
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
    // Text that cannot be stored matches nothing.
    if (text.includes('\0') || !text.isWellFormed()) throw notFound();
    values[name] = value as never;
  }
  return values;
}

/** The functions of the runner that are available to a handler. */
export interface Running {
  bytes: AsyncIterable<Buffer>;
  releasePlace(): void;
  countAgain(): Promise<void>;
}

export class HandlerRequest {
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

  /** A getter, because rights may end during a request. */
  get caller(): never {
    return this.#request.caller as never;
  }

  /** Created on first use, because it is expensive and rarely used. */
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
