import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { workspaceOf } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import {
  ANY_TYPE,
  LARGEST_BODY,
  LARGEST_STRANGERS_BODY,
  type RawBodyRule,
  type Route,
} from '../declaration/route.js';
import { bodyTooLarge, bodyTooLate, decodeBody, readEncoding } from './body-encoding.js';
import { parseJson, receiveBody, receiveJson } from './json-body.js';
import { largestUpload } from './uploads.js';

export const wrongType = ({ contentType }: RawBodyRule) =>
  new ApiError(415, `Content-Type must be ${contentType}`);

function readRawBody(
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
    // Discards the rest of the body, so that the sender receives the response.
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

const packedByStranger = () =>
  new ApiError(415, 'A body that comes without a credential has no Content-Encoding');

const declarationOf = (request: FastifyRequest) =>
  (request.routeOptions.config as { declaration?: Route }).declaration;

/** Time limit for bodies without a credential. */
const STRANGERS_BODY_MS = 10_000;

/** Bodies without a credential must be small and not encoded. */
const isStranger = (request: FastifyRequest) => request.caller?.kind === 'anonymous';

/**
 * Parses JSON or forms as declared and discards undeclared bodies. The credential has been checked by then,
 * so nothing is parsed for callers that the route rejects.
 */
export function readBodies(server: FastifyInstance): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { body, upload, rawBody } = declarationOf(request) ?? {};
    const limit = upload ? largestUpload(upload) : rawBody?.maxBytes;
    const encoding = body || limit ? judgeEncoding(request) : undefined;
    const unpacked =
      encoding && limit
        ? unpackUntilAnswered(reply, decodeBody(payload as IncomingMessage, encoding, limit, keyOf(request)))
        : payload;
    done(null, unpacked);
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    readJson(request, payload),
  );
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { body, upload, rawBody } = declarationOf(request) ?? {};
    if (rawBody) return readRaw(request, payload, rawBody);
    if (body && request.headers['content-length'] !== '0') {
      throw new ApiError(415, 'Content-Type must be application/json');
    }
    if (upload && isForm(request)) return payload;
    payload.resume();
    return undefined;
  });
}

function judgeEncoding(request: FastifyRequest): string | undefined {
  const given = request.headers['content-encoding'];
  if (isStranger(request) && given !== undefined && given.trim().toLowerCase() !== 'identity')
    throw packedByStranger();
  return readEncoding(given);
}

/** Stops decoding when the response closes, because a stalled client would keep its place in the queue. */
function unpackUntilAnswered(reply: FastifyReply, decoded: ReturnType<typeof decodeBody>) {
  reply.raw.once('close', () => decoded.destroy());
  return decoded;
}

async function readJson(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  const declaration = declarationOf(request);
  if (!declaration) return void payload.resume();
  if (declaration.rawBody) return readRaw(request, payload, declaration.rawBody);
  const isKept = declaration.creates && request.headers['idempotency-key'] !== undefined;
  const rule = {
    limit: isStranger(request) ? LARGEST_STRANGERS_BODY : (declaration.largestBody ?? LARGEST_BODY),
    length: Number(request.headers['content-length'] ?? 0),
    encoding: declaration.body ? readEncoding(request.headers['content-encoding']) : undefined,
    longestMs: isStranger(request) ? STRANGERS_BODY_MS : undefined,
  };
  if (!declaration.body) {
    const bytes = await receiveBody(payload, rule);
    if (isKept) request.bodyBytes = bytes;
    return undefined;
  }
  const received = await receiveJson(payload, rule);
  await request.whenComplete?.();
  const { bytes, value } = await parseJson(received, rule, keyOf(request));
  if (isKept) request.bodyBytes = bytes;
  return value;
}

const keyOf = ({ caller }: FastifyRequest): string => String(workspaceOf(caller));

const readRaw = (request: FastifyRequest, payload: IncomingMessage, rule: RawBodyRule) =>
  readRawBody(request, payload, rule, isStranger(request) ? STRANGERS_BODY_MS : undefined);

const isForm = ({ headers }: FastifyRequest) =>
  /^multipart\/form-data(?:;|$)/i.test(headers['content-type'] ?? '');
