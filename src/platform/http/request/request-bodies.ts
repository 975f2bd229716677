import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { workspaceOf } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import { LARGEST_BODY, LARGEST_STRANGERS_BODY, type RawBodyRule, type Route } from '../declaration/route.js';
import { decodeBody, readEncoding } from './body-encoding.js';
import { parseJson, receiveBody, receiveJson } from './json-body.js';
import { readRawBody } from './raw-body.js';
import { largestUpload } from './uploads.js';

const packedByStranger = () =>
  new ApiError(415, 'A body that comes without a credential has no Content-Encoding');

const declarationOf = (request: FastifyRequest) =>
  (request.routeOptions.config as { declaration?: Route }).declaration;

/** How long a body without a credential may take to come in. */
export const STRANGERS_BODY_MS = 10_000;

/** Whoever has shown no credential is not worth much work: what they send is small and as it is. */
const isStranger = (request: FastifyRequest) => request.caller?.kind === 'anonymous';

/**
 * JSON where a route declares a body, a form where it takes a file; where it declares neither, whatever comes is let go. The
 * credential has been judged by then: nothing is read, unpacked or parsed for somebody whom the route does not serve.
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

/** Somebody who stops reading half-way would keep the others waiting. */
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

/** Whose work the body makes. */
const keyOf = ({ caller }: FastifyRequest): string => String(workspaceOf(caller));

const readRaw = (request: FastifyRequest, payload: IncomingMessage, rule: RawBodyRule) =>
  readRawBody(request, payload, rule, isStranger(request) ? STRANGERS_BODY_MS : undefined);

const isForm = ({ headers }: FastifyRequest) =>
  /^multipart\/form-data(?:;|$)/i.test(headers['content-type'] ?? '');
