import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.js';
import { ANY_TYPE, type RawBodyRule } from '../declaration/route.js';
import { bodyTooLarge } from './body-encoding.js';

export const wrongType = ({ contentType }: RawBodyRule) =>
  new ApiError(415, `Content-Type must be ${contentType}`);

/** The body as it comes in: nothing is taken from the line before the handler reads, and never more than is allowed. */
export function readRawBody(
  request: FastifyRequest,
  payload: Readable,
  rule: RawBodyRule,
): AsyncIterable<Buffer> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (rule.contentType !== ANY_TYPE && type !== rule.contentType) throw wrongType(rule);
  const encoded = request.headers['content-encoding'] !== undefined;
  if (!encoded && Number(request.headers['content-length']) > rule.maxBytes)
    throw bodyTooLarge(rule.maxBytes);
  return bounded(payload, rule.maxBytes);
}

async function* bounded(payload: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw bodyTooLarge(maxBytes);
      yield chunk as Buffer;
    }
  } finally {
    // Whoever still sends is let finish, so that it reads the answer, and the line is free for what it asks next. Nothing
    // flows while an iterator reads, so this comes after it.
    payload.resume();
  }
}
