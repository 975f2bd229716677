import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadyAnswer } from '../../cache/ready-answers.js';
import type { Route } from '../declaration/route.js';
import { responseChecks } from './answer-sender.js';
import { Answer, CONTENT_TYPES, type Format, render } from './answers.js';

/** Whether `If-None-Match` matches the tag, alone, in a list, weak, or as `*`. */
export const namesTag = (header: string | string[] | undefined, etag: string): boolean =>
  header !== undefined &&
  String(header)
    .split(',')
    .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

/** Compressing shorter responses saves almost nothing. */
export const PACKED_FROM_BYTES = 2048;

/** Longer responses are compressed as a stream, so that they do not block the event loop. */
const PACKED_AT_ONCE_BYTES = 128 * 1024;

type Packing = 'br' | 'gzip';
export const PACKINGS: readonly Packing[] = ['br', 'gzip'];

const QUALITY = 4;

const packers: Record<Packing, (text: string) => Buffer> = {
  br: (text) =>
    brotliCompressSync(text, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      },
    }),
  gzip: (text) => gzipSync(text),
};

export const pack = (text: string, packing: Packing): Buffer => packers[packing](text);

function choosePacking(headers: IncomingHttpHeaders): Packing | undefined {
  const accepted = String(headers['accept-encoding'] ?? '').toLowerCase();
  if (accepted === '' || headers['x-no-compression'] !== undefined) return undefined;
  const weights = new Map(
    accepted.split(',').map((each) => {
      const [name = '', weight] = each.split(';');
      return [name.trim(), Number(/q=([\d.]+)/.exec(weight ?? '')?.[1] ?? 1)] as const;
    }),
  );
  return PACKINGS.find((packing) => (weights.get(packing) ?? weights.get('*') ?? 0) > 0);
}

type MakeReady = (result: Answer | object, format: Format | undefined) => ReadyAnswer;

/** Renders the result of a handler for all callers with the same request. */
export function readyMaker(declaration: Route, checkResponses: boolean): MakeReady {
  const { method, path, formats } = declaration;
  const check = checkResponses ? responseChecks(declaration) : undefined;
  const markdown = formats?.markdown ?? (() => '');

  return (result, format) => {
    const { status, content, until } =
      result instanceof Answer ? result : new Answer(200, { kind: 'data', data: result });
    if (status !== 200 || (content.kind !== 'data' && content.kind !== 'bytes'))
      throw new Error(`${method} ${path} is to be ready and answers with something else than data`);
    if (content.kind === 'bytes') return named(Buffer.from(content.bytes).toString(), content.contentType);
    check?.(status, content.data);
    const chosen = format ?? formats?.default ?? 'json';
    return { ...named(render(content.data, chosen, markdown), CONTENT_TYPES[chosen]), until };
  };
}

const named = (body: string, contentType: string): ReadyAnswer => ({
  body,
  contentType,
  etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"`,
});

interface ReadyReply {
  status: 200 | 304;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/**
 * Returns the response in an encoding that the caller accepts, or a 304. The tag is weak because of the
 * compression.
 */
export function readyReply(asked: IncomingHttpHeaders, answer: ReadyAnswer): ReadyReply {
  const etag = `W/${answer.etag}`;
  if (namesTag(asked['if-none-match'], answer.etag))
    return { status: 304, headers: { 'cache-control': 'no-store', etag } };
  const length = Buffer.byteLength(answer.body);
  const packing = length >= PACKED_FROM_BYTES && !isPackedOnItsWay(answer) ? choosePacking(asked) : undefined;
  const packed = packing && packedBody(answer, packing);
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    etag,
    'content-type': answer.contentType,
    'content-length': String(packed?.length ?? length),
  };
  if (packing) {
    headers['content-encoding'] = packing;
    headers['vary'] = 'accept-encoding';
  }
  return { status: 200, headers, body: packed ?? answer.body };
}

export const isPackedOnItsWay = ({ body }: ReadyAnswer): boolean => body.length > PACKED_AT_ONCE_BYTES;

function packedBody(answer: ReadyAnswer, packing: Packing): Buffer {
  answer.packed ??= {};
  answer.packed[packing] ??= pack(answer.body, packing);
  return answer.packed[packing];
}

export function sendReady(request: FastifyRequest, reply: FastifyReply, answer: ReadyAnswer): FastifyReply {
  const { status, headers, body } = readyReply(request.headers, answer);
  return reply.code(status).headers(headers).send(body);
}
