import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import { WRITING_SCOPES } from '../../../kernel/access.js';
import {
  type Credential,
  type ErrorDeclaration,
  effectOf,
  LARGEST_BODY,
  LARGEST_STRANGERS_BODY,
  type PathParams,
  type ResponseBody,
  type Route,
} from '../declaration/route.js';
import { Closed, Named } from '../declaration/schemas.js';
import { sizeInWords } from '../request/body-encoding.js';
import { type Components, createComponents, openAnswers } from './openapi-components.js';
import { describeParameters } from './parameters.js';

interface DocumentInfo {
  title: string;
  version: string;
  description: string;
}

const JSON_TYPE = 'application/json';

const ErrorBody = Named(
  'Error',
  Closed({
    detail: Type.Union([Type.String(), Type.Object({})], {
      description: 'A sentence, or an object with the facts of a structured refusal.',
    }),
  }),
);

const HEADERS = {
  Id: {
    description: 'The id of this request, as the log has it too.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'After how many seconds to try again.', schema: { type: 'integer' } },
  Challenge: { description: 'The kind of credential that is wanted.', schema: { type: 'string' } },
  Replayed: { description: '`true` when the answer repeats an earlier one.', schema: { type: 'string' } },
  Tag: { description: 'The version of what is answered, in quotes.', schema: { type: 'string' } },
  Caching: { description: 'How long caches can keep the answer.', schema: { type: 'string' } },
  Session: { description: 'The session cookie, set or cleared.', schema: { type: 'string' } },
};

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** Returns the OpenAPI 3.1 document of all routes. */
export function buildDocument(routes: Route[], info: DocumentInfo): object {
  const paths: Record<string, Record<string, object>> = {};
  const components = createComponents();
  for (const declaration of routes) {
    paths[declaration.path] ??= {};
    paths[declaration.path]![declaration.method.toLowerCase()] = describeOperation(declaration, components);
  }
  const responses = sharedErrors(components);
  const answers = openAnswers({ paths, schemas: components.list(), responses });
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.flatMap(({ tags }) => tags))].map((name) => ({ name })),
    security: securityOf(USUAL_CREDENTIALS),
    paths: Object.fromEntries(Object.entries(answers.paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        pat: { type: 'http', scheme: 'bearer', description: 'Personal access token (`guild_pat_...`)' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'guildhall_session',
          description: 'Dashboard session',
        },
        'admin-key': { type: 'apiKey', in: 'header', name: 'X-Admin-Key', description: 'Operator key' },
        build: {
          type: 'http',
          scheme: 'bearer',
          description: "A coder's own token (`guild_build_...`), for /mcp only",
        },
        desk: { type: 'http', scheme: 'bearer', description: "A desk's own token (`guild_desk_...`)" },
      },
      headers: HEADERS,
      schemas: answers.schemas,
      responses: answers.responses,
    },
  };
}

function describeOperation(declaration: Route, components: Components): object {
  const { name, summary, description, tags, access } = declaration;
  const scopes =
    access.scopes.length > 0 ? `(${access.scopes.map((scope: string) => `\`${scope}\``).join(', ')})` : '';
  const beyond = access.beyondReading
    ? `(${WRITING_SCOPES.map((scope) => `\`${scope}\``).join(' or ')})`
    : '';
  const role = access.role === 'admin' ? 'Admins only.' : '';
  const text = [description, scopes, beyond, role].filter(Boolean).join(' ');
  return {
    operationId: name,
    summary,
    ...(text && { description: text }),
    tags,
    ...forPrograms(declaration, components),
    ...describeSecurity(access),
    ...describeParameters(declaration, components),
    ...requestBody(declaration, components),
    responses: {
      ...Object.fromEntries(
        Object.entries(declaration.responses as Record<string, ResponseBody>).map(([status, body]) => [
          status,
          describeResponse(body, declaration, components),
        ]),
      ),
      ...describeErrors(declaration, components),
    },
  };
}

/** Adds extensions: reads by POST, pagination, and the payload of events. */
function forPrograms(declaration: Route, components: Components): object {
  const { method, pagination, responses } = declaration;
  const effect = effectOf(declaration);
  const event = Object.values(responses as Record<string, ResponseBody>)
    .map((body) => (body && 'event' in body ? (body.event as TSchema | undefined) : undefined))
    .find(Boolean);
  return {
    ...(effect === 'read' && method !== 'GET' && { 'x-effect': effect }),
    ...(pagination && { 'x-pagination': pagination }),
    ...(event && { 'x-event': components.refer(event) }),
  };
}

const USUAL_CREDENTIALS: Credential[] = ['pat', 'session'];

const securityOf = (credentials: Credential[], optional?: boolean): object[] => [
  ...credentials.map((credential) => ({ [credential]: [] })),
  ...(optional ? [{}] : []),
];

function describeSecurity({ credentials, optional }: Route['access']): { security?: object[] } {
  const isUsual = !optional && credentials.join() === USUAL_CREDENTIALS.join();
  return isUsual ? {} : { security: credentials.length === 0 ? [] : securityOf(credentials, optional) };
}

function requestBody({ body, upload, rawBody }: Route, components: Components): object {
  if (rawBody) {
    const { contentType, description } = rawBody;
    const schema = { type: 'string', format: 'binary' };
    return { requestBody: { required: true, description, content: { [contentType]: { schema } } } };
  }
  if (upload) {
    const schema = {
      type: 'object',
      required: [upload.field],
      properties: { [upload.field]: { type: 'string', format: 'binary', description: upload.description } },
    };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
  }
  return body
    ? {
        requestBody: {
          // Optional is the default of the standard.
          ...((body.required ?? []).length > 0 && { required: true }),
          content: { 'application/json': { schema: components.refer(body) } },
        },
      }
    : {};
}

function describeResponse(body: ResponseBody, declaration: Route, components: Components): object {
  const { formats, creates, changesSession } = declaration;
  const headers = {
    'X-Request-Id': header('Id'),
    ...(creates && { 'Idempotent-Replayed': header('Replayed') }),
    ...(declaration.headers?.includes('ETag') && { ETag: header('Tag') }),
    ...(declaration.headers?.includes('Cache-Control') && { 'Cache-Control': header('Caching') }),
    ...(changesSession && { 'Set-Cookie': header('Session') }),
  };
  if (body === null) return { description: 'Done; no body', headers };
  if ('contentType' in body) {
    const { contentType, description } = body as Exclude<ResponseBody, TSchema | null>;
    // JSON without a schema.
    const content = Object.fromEntries(
      [contentType].flat().map((type) => [type, { schema: type === JSON_TYPE ? {} : { type: 'string' } }]),
    );
    return { description, headers, content };
  }
  const allowed = formats?.allowed ?? [];
  return {
    description: 'OK',
    headers,
    content: {
      'application/json': { schema: components.refer(body) },
      // The same data as text, which needs no schema.
      ...(allowed.includes('yaml') && { 'application/yaml': {} }),
      ...(allowed.includes('md') && { 'text/markdown': {} }),
    },
  };
}

function describeErrors(declaration: Route, components: Components): Record<string, object> {
  const byStatus = new Map<number, ErrorDeclaration[]>();
  const described = new Set(
    declaration.errors.filter(({ description }) => description).map(({ status }) => status),
  );
  for (const fault of [...impliedErrors(declaration), ...declaration.errors]) {
    // The operation declares its own response for this status.
    if (fault.status in declaration.responses) continue;
    // A description of the operation replaces the implied ones of the same status.
    const isImplied = !declaration.errors.includes(fault);
    const kept = isImplied && described.has(fault.status) ? { ...fault, description: '' } : fault;
    byStatus.set(fault.status, [...(byStatus.get(fault.status) ?? []), kept]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, faults]) => [String(status), referError(status, faults, components)]),
  );
}

/** Errors share a component and may have their own description. */
function referError(status: number, faults: ErrorDeclaration[], components: Components): object {
  if (faults.some(({ detail }) => detail)) return describeError(status, faults, components);
  const description = SHARED_DESCRIPTIONS[status] ? undefined : joinDescriptions(faults);
  return {
    $ref: `#/components/responses/${sharedName(status, faults)}`,
    ...(description && { description }),
  };
}

const PLAIN_ERROR = 'Error';

/** Error components with their own headers. */
const LATER = 'Later';
const ERRORS_WITH_HEADERS: Record<number, string> = { 401: 'Challenge', 429: LATER, 503: LATER };

/** Statuses whose component describes everything. */
const SHARED_DESCRIPTIONS: Record<number, string> = {
  400: 'A parameter breaks its rule, or the body is not encoded as Content-Encoding says',
  404: 'Not found',
  413: 'Larger than it may be',
  415: 'An unknown content type or Content-Encoding',
  422: 'No JSON, an unknown key, or a value breaks its rule',
  502: 'A service that the answer depends on is not reachable',
};

function sharedName(status: number, faults: ErrorDeclaration[]): string {
  if (SHARED_DESCRIPTIONS[status]) return String(status);
  return faults.some(({ temporary }) => temporary) ? LATER : (ERRORS_WITH_HEADERS[status] ?? PLAIN_ERROR);
}

function sharedErrors(components: Components): Record<string, object> {
  const statuses = [...Object.keys(SHARED_DESCRIPTIONS).map(Number), 401, 409, 429];
  const faultOf = (status: number) => ({
    status,
    description: SHARED_DESCRIPTIONS[status] ?? 'Refused: `detail` says why',
  });
  return Object.fromEntries(
    statuses.map((status) => {
      const faults = [faultOf(status)];
      return [sharedName(status, faults), describeError(status, faults, components)];
    }),
  );
}

const joinDescriptions = (faults: ErrorDeclaration[]): string =>
  [...new Set(faults.map(({ description }) => description))].filter(Boolean).join('; ');

const describeError = (status: number, faults: ErrorDeclaration[], components: Components) => ({
  description: joinDescriptions(faults),
  headers: {
    'X-Request-Id': header('Id'),
    ...((status === 429 || status === 503 || faults.some(({ temporary }) => temporary)) && {
      'Retry-After': header('RetryAfter'),
    }),
    ...(status === 401 && { 'WWW-Authenticate': header('Challenge') }),
  },
  content: { 'application/json': { schema: components.refer(errorSchema(faults)) } },
});

function errorSchema(faults: ErrorDeclaration[]): object {
  const details = faults.flatMap(({ detail }) => (detail ? choicesOf(detail) : []));
  if (details.length === 0) return ErrorBody;
  return Closed({ detail: Type.Union([Type.String(), ...details.filter((each) => !Type.IsString(each))]) });
}

const choicesOf = (schema: TSchema): TSchema[] => (Type.IsUnion(schema) ? schema.anyOf : [schema]);

function impliedErrors({
  access,
  method,
  path,
  params,
  query,
  queryStatus,
  body,
  largestBody = LARGEST_BODY,
  upload,
  rawBody,
  formats,
  changesSession,
  refusesForeignPages,
  pagination,
  creates,
  errors,
}: Route): ErrorDeclaration[] {
  const implied: ErrorDeclaration[] = [];
  const add = (status: number, description: string) => implied.push({ status, description });
  const guarded = access.credentials.length > 0 && !access.optional;
  const asPerson = access.credentials.includes('pat') || access.credentials.includes('session');
  if (guarded) add(401, 'No credential, or malformed, expired or revoked');
  if (access.credentials.includes('admin-key')) add(429, 'Too many wrong keys from this address');
  if (asPerson || access.credentials.includes('build')) add(429, 'Too many requests of the workspace');
  if (asPerson && path.includes('{brand_id}')) add(404, '`Brand not found`');
  if (Object.keys(params ?? {}).length > 0) add(404, 'Not found');
  const isScoped = access.scopes.length > 0 || access.beyondReading;
  if (isScoped || (asPerson && access.role !== 'guest'))
    add(403, 'The token lacks the scope, or the person the role; or a session writes from another origin');
  else if (access.credentials.includes('session')) {
    if (method !== 'GET') add(403, 'A session write from another origin');
  } else if (changesSession || refusesForeignPages) add(403, 'A request from another origin');
  // The error of the body covers the parameters.
  const broken = body ? '' : 'A value breaks its rule';
  if (query || formats) add(queryStatus ?? 422, queryStatus ? 'A query parameter breaks its rule' : broken);
  if (pagination?.style === 'cursor' && !errors.some(({ status }) => status === 400))
    add(400, `\`${pagination.parameter}\` is not one that this list gave out`);
  if (creates) {
    // Operations with a 422 describe this in the parameter.
    if (!body) add(422, 'The Idempotency-Key was used otherwise');
    const running = errors.some(({ status }) => status === 409) ? '' : 'The first with the key still runs';
    implied.push({ status: 409, description: running, temporary: true });
    if (creates.secret) add(409, '`already_made`');
  }
  if (Object.values((params ?? {}) as PathParams).some(({ judged }) => judged === 'validation'))
    add(422, broken);
  if (body) add(422, 'No JSON, an unknown key, or a value breaks its rule');
  if (upload) add(422, 'No valid multipart body, or no file');
  if (body)
    add(413, `The body is larger than ${sizeInWords(guarded ? largestBody : LARGEST_STRANGERS_BODY)}`);
  if (upload) add(413, 'The body is much larger than the file may be');
  if (rawBody) add(413, `The body is larger than ${sizeInWords(rawBody.maxBytes)}`);
  const packable = access.credentials.length > 0 && (body || upload || rawBody);
  if (packable) add(400, 'Not encoded as Content-Encoding says');
  if (packable) add(415, 'An unknown content type or Content-Encoding');
  else if (body || rawBody) add(415, 'Another content type, or any Content-Encoding');
  add(503, 'The database is not reachable');
  return implied;
}
