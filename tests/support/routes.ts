import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import type { TSchema } from 'typebox';
import { newToken, sha256Hex } from '../../src/kernel/secrets.js';
import type { Route } from '../../src/platform/http/declaration/route.js';
import { ADMIN_KEY, type World } from './app.js';

export interface Visit {
  headers?: Record<string, string>;
  payload?: InjectOptions['payload'];
  /** The path value of `{brand_id}`. */
  brandId?: number | string;
  /** The path value of every other parameter. */
  id?: string;
  query?: Record<string, string | string[]>;
}

export const describeRoute = ({ method, path }: Route): string => `${method} ${path}`;

/** Fills in every parameter of the path, by default with values that the declaration accepts. */
export function addressOf({ path, params = {} }: Route, { brandId = 1, id }: Visit): string {
  return path.replace(/\{([^}]+)\}/g, (_, name) => {
    if (name === 'brand_id') return String(brandId);
    if (id !== undefined) return id;
    if (path.includes('/coder-profiles/')) return 'claude.coding';
    const { enum: allowed } = (params[name]?.schema ?? {}) as Schema;
    return String(allowed?.[0] ?? crypto.randomUUID());
  });
}

export function ask({ inject }: World, route: Route, visit: Visit): Promise<Response> {
  const { headers, payload, query } = visit;
  return inject({ method: route.method, url: addressOf(route, visit), headers, payload, query });
}

/** Returns a function that looks up the statuses of a route in the served OpenAPI document. */
export async function readDeclaredStatuses({ inject }: World): Promise<(route: Route) => number[]> {
  const { paths } = (await inject({ url: '/openapi.json' })).json();
  return ({ path, method }) => Object.keys(paths[path][method.toLowerCase()].responses).map(Number);
}

/** Creates a desk that has never contacted the service, and returns its token. */
export async function orderDesk({ db, clock }: World, brandId: number): Promise<string> {
  const token = newToken('guild_desk_');
  const deskId = crypto.randomUUID();
  await db
    .insertInto('desks')
    .values({
      desk_id: deskId,
      brand_id: brandId,
      short_id: deskId.slice(0, 8),
      name: 'Desk',
      runtime: 'codex',
      workspace_path: '/srv/desk',
      token_hash: sha256Hex(token),
      status: 'provisioned',
      poll_slot: 0,
      created_at: clock.now(),
      updated_at: clock.now(),
    })
    .execute();
  return token;
}

/** Returns a credential that the route accepts. */
export function headersFor(
  { access }: Route,
  given: { bearer: { authorization: string }; cookie: string; desk: { authorization: string } },
): Record<string, string> {
  if (access.credentials.includes('admin-key')) return { 'x-admin-key': ADMIN_KEY };
  if (access.credentials.includes('pat')) return given.bearer;
  if (access.credentials.includes('session')) return { cookie: given.cookie };
  return access.credentials.includes('desk') ? given.desk : {};
}

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  format?: string;
  pattern?: string;
}

/** A body with only the required fields, valid by the schema alone. */
export const exampleBody = ({ body }: Route): Record<string, unknown> =>
  (exampleOf((body ?? {}) as Schema) ?? {}) as Record<string, unknown>;

export function exampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => exampleOf(schema.items ?? {}));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleText(schema);
  }
}

function exampleText({ format, minLength = 0 }: Schema): string {
  if (format === 'uuid') return crypto.randomUUID();
  if (format === 'date-time') return '2030-01-01T00:00:00Z';
  if (format === 'uri') return 'https://example.test/';
  return 'example'.padEnd(minLength, 'x');
}

export const propertiesOf = (schema: TSchema | undefined): [string, Schema][] =>
  Object.entries(((schema as Schema | undefined)?.properties ?? {}) as Record<string, Schema>);

export interface TextField {
  name: string;
  longest: number | undefined;
  /** The schema prescribes the format: an id, a time or a pattern. */
  restricted: boolean;
  /** Returns the value with the text in this field. */
  put(value: Record<string, unknown>, text: string): Record<string, unknown>;
}

/** Returns every place of a declared object that takes a text, including those inside lists and objects. */
export const textFieldsOf = (schema: TSchema | undefined): TextField[] =>
  propertiesOf(schema).flatMap(([name, property]) =>
    placesOfText(property).map(({ path, wrap, ...field }) => ({
      ...field,
      name: `${name}${path}`,
      put: (value, text) => ({ ...value, [name]: wrap(text) }),
    })),
  );

interface Place extends Pick<TextField, 'longest' | 'restricted'> {
  path: string;
  wrap(text: string): unknown;
}

function placesOfText(schema: Schema): Place[] {
  if (schema.anyOf) return schema.anyOf.flatMap(placesOfText);
  if (schema.enum || schema.const !== undefined) return [];
  const types = [schema.type].flat();
  if (types.includes('string'))
    return [
      {
        path: '',
        longest: schema.maxLength,
        restricted: schema.format !== undefined || schema.pattern !== undefined,
        wrap: (text) => text,
      },
    ];
  if (types.includes('array'))
    return placesOfText(schema.items ?? {}).map(({ path, wrap, ...field }) => ({
      ...field,
      path: `[]${path}`,
      wrap: (text) => [wrap(text)],
    }));
  if (!types.includes('object')) return [];
  const example = exampleOf(schema) as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    placesOfText(property).map(({ path, wrap, ...field }) => ({
      ...field,
      path: `.${name}${path}`,
      wrap: (text) => ({ ...example, [name]: wrap(text) }),
    })),
  );
}
