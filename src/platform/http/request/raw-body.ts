import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../../kernel/errors.js';
import { ANY_TYPE, type RawBodyRule } from '../declaration/route.js';
import { bodyTooLarge, bodyTooLate } from './body-encoding.js';

export const wrongType = ({ contentType }: RawBodyRule) =>
  new ApiError(415, `Content-Type must be ${contentType}`);

/** The body as it comes in: nothing is taken from the line before the handler reads, and never more than is allowed. */
export function readRawBody(
  request: FastifyRequest,
  payload: Readable,
  rule: RawBodyRule,
  longestMs?: number,
): AsyncIterable<Buffer> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (rule.contentType !== ANY_TYPE && type !== rule.contentType) throw wrongType(rule);
  const encoded = request.headers['content-encoding'] !== undefined;
  if (!encoded && Number(request.headers['content-length']) > rule.maxBytes)
    throw bodyTooLarge(rule.maxBytes);
  return bounded(payload, rule.maxBytes, longestMs);
}

async function* bounded(
  payload: Readable,
  maxBytes: number,
  longestMs: number | undefined,
): AsyncGenerator<Buffer> {
  let size = 0;
  const deadline = longestMs === undefined ? undefined : startDeadline(longestMs);
  const iterator = payload.iterator({ destroyOnReturn: false });
  try {
    while (true) {
      const next = iterator.next();
      const { done, value } = await (deadline ? Promise.race([next, deadline.passed]) : next);
      if (done) return;
      const chunk = value as Buffer;
      size += chunk.length;
      if (size > maxBytes) throw bodyTooLarge(maxBytes);
      yield chunk;
    }
  } finally {
    deadline?.stop();
    // Nothing flows while an iterator reads. The rest of the body is let through, so that the sender reads the answer.
    if (!deadline?.hasPassed()) await iterator.return?.();
    payload.resume();
  }
}

function startDeadline(milliseconds: number) {
  let timer: NodeJS.Timeout | undefined;
  let hasPassed = false;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      hasPassed = true;
      reject(bodyTooLate(milliseconds));
    }, milliseconds);
  });
  return { passed, hasPassed: () => hasPassed, stop: () => clearTimeout(timer) };
}
