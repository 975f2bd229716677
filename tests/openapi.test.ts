import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi } from '../src/openapi-document.js';
import { startTestApp, type World } from './support/app.js';

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  /** Omitted if it equals the document's default. */
  security?: Record<string, string[]>[];
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, Described>;
  'x-effect'?: string;
  'x-pagination'?: object;
  'x-event'?: object;
}

interface Described {
  description: string;
  headers?: object;
  content?: Record<string, { schema: object }>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: { default?: unknown };
}

// JSON Schema 2020-12 and the additions of OpenAPI 3.1. Examples, defaults and enums contain no schemas.
const SUBSCHEMAS = new Set(
  `additionalProperties allOf anyOf contains else if items not oneOf prefixItems propertyNames then
  unevaluatedItems unevaluatedProperties`.split(/\s+/),
);
const NAMED_SUBSCHEMAS = new Set(['$defs', 'dependentSchemas', 'patternProperties', 'properties']);
const SCHEMA_KEYWORDS = new Set([
  ...SUBSCHEMAS,
  ...NAMED_SUBSCHEMAS,
  ...`$anchor $comment $dynamicAnchor $dynamicRef $id $ref $schema const contentEncoding contentMediaType
  default dependentRequired deprecated description discriminator enum example examples exclusiveMaximum
  exclusiveMinimum externalDocs format maxContains maximum maxItems maxLength maxProperties minContains
  minimum minItems minLength minProperties multipleOf pattern readOnly required title type uniqueItems
  writeOnly xml`.split(/\s+/),
]);

let world: World;
let document: {
  openapi: string;
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
};

beforeAll(async () => {
  world = await startTestApp();
  document = (await world.inject({ url: '/openapi.json' })).json();
});

/** Resolves a reference and merges the fields next to it. Returns anything else unchanged. */
function follow<T>(part: T): T {
  const { $ref, ...beside } = part as { $ref?: string };
  if ($ref === undefined) return part;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], document) as T;
  return { ...follow(found), ...beside };
}

afterAll(() => world.stop());

const operations = () =>
  world.app.routes.map((route) => ({
    route,
    operation: document.paths[route.path]![route.method.toLowerCase()]!,
  }));

describe('GET /openapi.json', () => {
  it('is public and a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('lists exactly the declared routes', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(world.app.routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('gives every operation a summary, a tag, a unique id and a schema for each answer', () => {
    for (const { route, operation } of operations()) {
      expect(operation.summary, operation.operationId).toMatch(/\S/);
      expect(operation.tags.length).toBeGreaterThan(0);
      for (const [status, answer] of Object.entries(operation.responses)) {
        const response = follow(answer);
        const where = `${operation.operationId} ${status}`;
        expect(response.description, where).toMatch(/\S/);
        if (route.responses[Number(status)] === null) continue;
        const schemas = Object.values(response.content ?? {}).map(({ schema }) => schema);
        expect(schemas.length, where).toBeGreaterThan(0);
      }
    }
    const names = operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('describes every operation and every parameter, and requires none that has a default', () => {
    for (const { operation } of operations()) {
      expect(operation.description, operation.operationId).toMatch(/\S/);
      for (const parameter of (operation.parameters ?? []).map(follow)) {
        const where = `${operation.operationId} ${parameter.name}`;
        expect(parameter.description, where).toMatch(/\S/);
        if (parameter.schema.default !== undefined) expect(parameter.required ?? false, where).toBe(false);
      }
    }
  });

  it('marks POSTs that only read, pagination and events with extensions', () => {
    for (const { route, operation } of operations()) {
      const reads = route.method !== 'GET' && route.effect === 'read' ? 'read' : undefined;
      expect(operation['x-effect'], operation.operationId).toBe(reads);
      expect(operation['x-pagination'], operation.operationId).toEqual(route.pagination);
      const answers = Object.values(operation.responses).map(follow);
      const isStream = answers.some(
        ({ content = {} }) => 'text/event-stream' in content && !('application/json' in content),
      );
      expect(operation['x-event'] !== undefined, operation.operationId).toBe(isStream);
    }
  });

  it('has the body that an operation declares for a status, even if the status is also a standard error', () => {
    const bodyOf = (name: string) => {
      const { operation } = operations().find(({ route }) => route.name === name)!;
      return Object.keys(follow(operation.responses['503']!).content ?? {});
    };
    expect(bodyOf('show_dashboard')).toEqual(['text/plain']);
    const health = operations().find(({ route }) => route.name === 'get_health')!.operation;
    expect(health.responses['503']).toEqual(health.responses['200']);
  });

  it('describes the format of a parameter either by a pattern or in words', () => {
    for (const { operation } of operations())
      for (const { name, schema } of (operation.parameters ?? []).map(follow))
        expect(schema, `${operation.operationId} ${name}`).not.toMatchObject({
          pattern: expect.anything(),
          description: expect.anything(),
        });
  });

  it('references a shared answer for every error without its own details', () => {
    for (const { route, operation } of operations())
      for (const [status, answer] of Object.entries(operation.responses)) {
        const declared = route.errors.filter((fault) => fault.status === Number(status));
        if (Number(status) < 400 || status in route.responses || declared.some(({ detail }) => detail))
          continue;
        expect(answer, `${operation.operationId} ${status}`).toHaveProperty('$ref');
      }
  });

  it('repeats no schema of five or more fields', () => {
    const seen = new Map<string, number>();
    const look = (value: unknown): void => {
      if (value === null || typeof value !== 'object') return;
      const { properties } = value as { properties?: object };
      const text = JSON.stringify(value);
      if (Object.keys(properties ?? {}).length >= 5) seen.set(text, (seen.get(text) ?? 0) + 1);
      Object.values(value).forEach(look);
    };
    look(document);
    expect([...seen].filter(([, times]) => times > 1)).toEqual([]);
  });

  it('has no non-standard keyword in its schemas', () => {
    const unknown = new Set<string>();
    const inspect = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [key, value] of Object.entries(schema)) {
        if (!SCHEMA_KEYWORDS.has(key) && !key.startsWith('x-')) unknown.add(key);
        if (SUBSCHEMAS.has(key)) [value].flat().forEach(inspect);
        if (NAMED_SUBSCHEMAS.has(key)) Object.values(value as object).forEach(inspect);
      }
    };
    let schemas = 0;
    const search = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      for (const [key, value] of Object.entries(part)) {
        if (key === 'schema' || key === 'schemas') {
          for (const schema of key === 'schema' ? [value] : Object.values(value as object)) {
            schemas += 1;
            inspect(schema);
          }
        } else search(value);
      }
    };
    search(document);
    expect(schemas).toBeGreaterThan(1000);
    expect([...unknown]).toEqual([]);
  });

  it('lists each error code that follows from the permissions and inputs of an operation', () => {
    for (const { route, operation } of operations()) {
      const codes = Object.keys(operation.responses).map(Number);
      const { access } = route;
      const expected = [
        ...(access.credentials.length > 0 && !access.optional ? [401] : []),
        ...(access.scopes.length > 0 || access.role === 'admin' ? [403] : []),
        ...(route.changesSession || route.refusesForeignPages ? [403] : []),
        ...(route.path.includes('{') ? [404] : []),
        ...(route.body ? [413, 415, 422] : []),
        ...(route.upload ? [415, 422] : []),
        ...(route.query ? [route.queryStatus ?? 422] : []),
        ...(route.creates ? [409, 422] : []),
        ...(route.pagination?.style === 'cursor' ? [400] : []),
        ...route.errors.map(({ status }) => status),
      ];
      for (const code of expected)
        expect(codes, `${operation.operationId} can answer ${code}`).toContain(code);
    }
  });

  it('lists the content types of answers without a schema', () => {
    const schemasOf = (name: string) => {
      const { operation } = operations().find(({ route }) => route.name === name)!;
      const content = Object.entries(follow(operation.responses['200']!).content ?? {});
      return Object.fromEntries(content.map(([type, { schema }]) => [type, schema]));
    };
    expect(schemasOf('get_openapi')).toEqual({ 'application/json': {} });
    expect(schemasOf('export_board')).toEqual({ 'text/markdown': { type: 'string' } });
    expect(schemasOf('call_mcp')).toEqual({
      'application/json': {},
      'text/event-stream': { type: 'string' },
    });
  });

  it('declares the request id on every answer', () => {
    for (const { operation } of operations())
      for (const [status, answer] of Object.entries(operation.responses))
        expect(follow(answer).headers, `${operation.operationId} ${status}`).toMatchObject({
          'X-Request-Id': { $ref: '#/components/headers/Id' },
        });
  });

  it('lists the headers that an operation reads and sends', () => {
    const headersOf = (name: string, status: string) => {
      const { operation } = operations().find(({ route }) => route.name === name)!;
      const read = (operation.parameters ?? []).map(follow).filter(({ in: place }) => place === 'header');
      const answered = Object.keys(follow(operation.responses[status]!).headers ?? {});
      return [read.map((each) => each.name), answered.filter((each) => each !== 'X-Request-Id')];
    };
    for (const name of ['get_environment_image', 'get_employee_portrait', 'get_docs_asset'])
      expect(headersOf(name, '200')).toEqual([[], ['Cache-Control']]);
    expect(headersOf('create_task', '409')).toEqual([['Idempotency-Key'], ['Retry-After']]);
    expect(headersOf('create_task', '201')).toEqual([['Idempotency-Key'], ['Idempotent-Replayed', 'ETag']]);
    expect(headersOf('get_task', '200')).toEqual([[], ['ETag']]);
    expect(headersOf('update_task', '200')).toEqual([['If-Match'], ['ETag']]);
    for (const name of ['export_board', 'get_member_photo'])
      for (const status of ['200', '304'])
        expect(headersOf(name, status)).toEqual([['If-None-Match'], ['ETag', 'Cache-Control']]);
    expect(headersOf('stream_board_activity', '200')).toEqual([['Last-Event-ID'], []]);
    expect(headersOf('sign_in', '200')).toEqual([[], ['Set-Cookie']]);
  });

  it('lists the credentials that a route accepts', () => {
    for (const { route, operation } of operations()) {
      const security = operation.security ?? document.security;
      const named = security.flatMap((requirement) => Object.keys(requirement));
      expect(named.sort()).toEqual([...route.access.credentials].sort());
    }
  });

  it('equals the document that the build generates without a database', async () => {
    expect(JSON.parse(JSON.stringify(await buildOpenApi()))).toEqual(document);
  });
});

describe('GET /docs', () => {
  it('references only its own files', async () => {
    const page = await world.inject({ url: '/docs' });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const addresses = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(2);
    for (const address of addresses) {
      if (address.startsWith('data:')) continue;
      expect(address).toMatch(/^\/[^/]/);
      expect((await world.inject({ url: address })).statusCode, address).toBe(200);
    }
  });

  it('has a content security policy that allows nothing from other origins', async () => {
    const policy = String((await world.inject({ url: '/docs' })).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|'unsafe-eval'|script-src[^;]*'unsafe-inline'/);
  });

  it('serves only the files of the page', async () => {
    for (const name of ['package.json', '..%2fpackage.json', 'constructor', '%00', 'index.html']) {
      expect((await world.inject({ url: `/docs/assets/${name}` })).statusCode, name).toBe(404);
    }
  });
});

it('the committed openapi.json equals the served one', async ({ skip }) => {
  const committed = await readFile(new URL('../openapi.json', import.meta.url), 'utf8').catch(
    () => undefined,
  );
  if (committed === undefined) return skip('openapi.json is not generated yet: npm run generate');
  const isCurrent = isDeepStrictEqual(JSON.parse(committed), document);
  expect(isCurrent, 'openapi.json is out of date: npm run generate').toBe(true);
});
