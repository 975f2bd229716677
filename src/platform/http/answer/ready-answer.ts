import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadyAnswer } from '../../../kernel/ready-answers.js';
import type { Route } from '../declaration/route.js';
import { responseChecks } from './answer-sender.js';
import { Answer, CONTENT_TYPES, type Format, render } from './answers.js';
import { namesTag } from './conditional.js';
import { choosePacking, PACKED_AT_ONCE_BYTES, PACKED_FROM_BYTES, type Packing, pack } from './packing.js';

type MakeReady = (result: Answer | object, format: Format | undefined) => ReadyAnswer;

/** What a handler answered, as the bytes that everybody gets who asks the same. */
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

/** What leaves for a caller: the answer, packed as they like it, or that they have it already. Its tag is a weak one for being packed. */
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

/** Packed once, when it is first asked for so. */
function packedBody(answer: ReadyAnswer, packing: Packing): Buffer {
  answer.packed ??= {};
  answer.packed[packing] ??= pack(answer.body, packing);
  return answer.packed[packing];
}

export function sendReady(request: FastifyRequest, reply: FastifyReply, answer: ReadyAnswer): FastifyReply {
  const { status, headers, body } = readyReply(request.headers, answer);
  return reply.code(status).headers(headers).send(body);
}
