import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadyAnswer } from '../../kernel/ready-answers.js';
import type { Route } from '../declaration/route.js';
import { responseChecks } from './answer-sender.js';
import { Answer, CONTENT_TYPES, type Format, render } from './answers.js';
import { namesTag } from './conditional.js';

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
    if (content.kind === 'bytes') return named(Buffer.from(content.bytes), content.contentType);
    check?.(status, content.data);
    const chosen = format ?? formats?.default ?? 'json';
    return { ...named(Buffer.from(render(content.data, chosen, markdown)), CONTENT_TYPES[chosen]), until };
  };
}

const named = (bytes: Buffer, contentType: string): ReadyAnswer => ({
  bytes,
  contentType,
  etag: `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`,
});

/** Its tag is a weak one: on its way the answer may be packed. */
export function sendReady(request: FastifyRequest, reply: FastifyReply, answer: ReadyAnswer): FastifyReply {
  reply.header('cache-control', 'no-store').header('etag', `W/${answer.etag}`);
  if (namesTag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send();
  return reply.code(200).type(answer.contentType).send(answer.bytes);
}
