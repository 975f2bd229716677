import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import type { Credential, ErrorDeclaration, PathParams, ResponseBody, Route } from './route.js';
import { Closed } from './schemas.js';

interface DocumentInfo {
  title: string;
  version: string;
  description: string;
}

const Detail = Type.Union([Type.String(), Type.Object({})]);

/** The OpenAPI 3.1 document of the declared routes: nothing is described by hand a second time. */
export function buildDocument(routes: Route[], info: DocumentInfo): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const declaration of routes) {
    paths[declaration.path] ??= {};
    paths[declaration.path]![declaration.method.toLowerCase()] = describeOperation(declaration);
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags: [...new Set(routes.flatMap(({ tags }) => tags))].map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
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
        desk: { type: 'http', scheme: 'bearer', description: "A desk's own token (`guild_desk_...`)" },
      },
      schemas: { Error: Closed({ detail: Detail }) },
    },
  };
}

function describeOperation(declaration: Route): object {
  const { summary, description, tags, access, formats } = declaration;
  const scopes =
    access.scopes.length > 0
      ? `Scopes: ${access.scopes.map((scope: string) => `\`${scope}\``).join(', ')}.`
      : '';
  const role = access.role === 'admin' ? 'A workspace admin only.' : '';
  const text = [description, scopes, role].filter(Boolean).join(' ');
  return {
    operationId: operationId(declaration),
    summary,
    ...(text && { description: text }),
    tags,
    security: access.credentials.length === 0 ? [] : securityOf(access.credentials, access.optional),
    parameters: [...pathParameters(declaration), ...queryParameters(declaration)],
    ...requestBody(declaration),
    responses: {
      ...Object.fromEntries(
        Object.entries(declaration.responses as Record<string, ResponseBody>).map(([status, body]) => [
          status,
          describeResponse(body, formats?.allowed),
        ]),
      ),
      ...describeErrors(declaration),
    },
  };
}

const securityOf = (credentials: Credential[], optional: boolean | undefined): object[] => [
  ...credentials.map((credential) => ({ [credential]: [] })),
  ...(optional ? [{}] : []),
];

/** `PATCH /api/v1/board/tasks/{task_id}` becomes `patch_board_tasks_by_task_id`. */
const operationId = ({ method, path }: Route): string =>
  `${method.toLowerCase()}_${path
    .replace('/api/v1/', '/')
    .replace(/\{([^}]+)\}/g, 'by_$1')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}`;

function pathParameters({ path, params = {} }: Route): object[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: (params as PathParams)[name!]?.schema ?? Type.Integer({ minimum: 1 }),
  }));
}

function queryParameters({ query, formats }: Route): object[] {
  const properties: [string, TSchema][] = Object.entries(query?.properties ?? {});
  const required: string[] = query?.required ?? [];
  const declared = properties.map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  if (!formats) return declared;
  return [
    ...declared,
    { name: 'format', in: 'query', required: false, schema: { type: 'string', enum: formats.allowed } },
  ];
}

function requestBody({ body, upload }: Route): object {
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
          required: (body.required ?? []).length > 0,
          content: { 'application/json': { schema: body } },
        },
      }
    : {};
}

function describeResponse(body: ResponseBody, formats: readonly string[] = []): object {
  if (body === null) return { description: 'Done; no body' };
  if ('contentType' in body)
    return {
      description: body.description,
      content: { [String(body.contentType)]: { schema: { type: 'string' } } },
    };
  return {
    description: 'Success',
    content: {
      'application/json': { schema: body },
      ...(formats.includes('yaml') && { 'application/yaml': { schema: { type: 'string' } } }),
      ...(formats.includes('md') && { 'text/markdown': { schema: { type: 'string' } } }),
    },
  };
}

function describeErrors(declaration: Route): Record<string, object> {
  const byStatus = new Map<number, ErrorDeclaration[]>();
  for (const fault of [...impliedErrors(declaration), ...declaration.errors]) {
    byStatus.set(fault.status, [...(byStatus.get(fault.status) ?? []), fault]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, faults]) => [
        String(status),
        {
          description: [...new Set(faults.map(({ description }) => description))].join('; '),
          content: { 'application/json': { schema: errorSchema(faults) } },
        },
      ]),
  );
}

function errorSchema(faults: ErrorDeclaration[]): object {
  const details = faults.flatMap(({ detail }) => (detail ? [detail] : []));
  if (details.length === 0) return { $ref: '#/components/schemas/Error' };
  return Closed({ detail: Type.Union([Type.String(), ...details]) });
}

/** What follows from the declaration itself. */
function impliedErrors({
  access,
  path,
  params,
  query,
  queryStatus,
  body,
  upload,
  formats,
}: Route): ErrorDeclaration[] {
  const implied: ErrorDeclaration[] = [];
  const add = (status: number, description: string) => implied.push({ status, description });
  const guarded = access.credentials.length > 0 && !access.optional;
  const asPerson = access.credentials.includes('pat') || access.credentials.includes('session');
  if (guarded) add(401, 'No credential, or malformed, expired or revoked');
  if (asPerson && path.includes('{brand_id}')) add(404, '`Brand not found`');
  if (Object.keys(params ?? {}).length > 0) add(404, 'Not found');
  if (access.scopes.length > 0) add(403, 'The token lacks the scope');
  if (access.role === 'admin') add(403, '`Brand admin access required`');
  else if (asPerson && access.role === 'member') add(403, 'Guests can open only their boards and docs');
  if (access.credentials.includes('session')) add(403, 'A session write from a page of another origin');
  if (query || formats) add(queryStatus ?? 422, 'A query parameter breaks its rule');
  if (Object.values((params ?? {}) as PathParams).some(({ judged }) => judged === 'validation'))
    add(422, 'A path parameter breaks its rule');
  if (body) add(422, 'The body is no JSON, has an unknown key, or a field breaks its rule');
  if (upload) add(422, 'The multipart body is not valid or the file is missing');
  if (body) add(413, 'The body is larger than 2 MiB');
  if (body || upload) add(415, 'Another content type');
  add(500, 'Unexpected');
  add(503, 'The database is not reachable');
  return implied;
}
