import type { TSchema } from 'typebox';
import type { BuildCaller, TokenCaller } from '../../kernel/access.js';
import { forbidden, unprocessable } from '../../kernel/errors.js';
import {
  type DirectTool,
  effectOf,
  type PathParams,
  type Route,
} from '../../platform/http/declaration/route.js';
import { holdsScopes } from '../../platform/http/request/authentication.js';
import { argumentPlaces, type Places } from '../../platform/http/request/names.js';
import { type InputReader, inputReader, type RawInput } from '../../platform/http/request/route-input.js';

export const TOOLSETS = ['boards', 'memory', 'lessons', 'builds', 'profiles', 'workspace'] as const;
export type Toolset = (typeof TOOLSETS)[number];

export type AgentCaller = TokenCaller | BuildCaller;

/** The tools that a caller asked for; absent means all. */
export interface Narrowing {
  toolsets: ReadonlySet<Toolset> | undefined;
  readOnly: boolean;
}

export interface AgentOperation {
  name: string;
  route: Route;
  toolset: Toolset;
  effect: 'read' | 'write' | 'destroy';
  direct: DirectTool | undefined;
  /** Where its arguments may contain names instead of ids. */
  places: Places | undefined;
  sortArguments: ReturnType<typeof argumentSorter>;
  readInput: InputReader;
}

const TOOLSET_OF_TAG: Record<string, Toolset> = {
  Boards: 'boards',
  Memory: 'memory',
  'Lessons near code': 'lessons',
  Projects: 'lessons',
  Builds: 'builds',
  'Coder profiles': 'profiles',
};

/** Every operation that a token or a running coder may call, unless the route is excluded for agents. */
export function listOperations(routes: readonly Route[]): AgentOperation[] {
  return routes
    .filter(({ access, agents }) => isForAgents(access) && agents !== 'never')
    .map((route) => ({
      name: route.name,
      route,
      toolset: TOOLSET_OF_TAG[route.tags[0]] ?? 'workspace',
      effect: effectOf(route),
      direct: directOf(route),
      places: argumentPlaces(route),
      sortArguments: argumentSorter(route),
      readInput: inputReader(route),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The summary and the description complement each other, so agents get both. */
export const explain = ({ summary, description }: Route): string =>
  description ? `${summary}. ${description}` : summary;

const isForAgents = ({ credentials }: Route['access']): boolean =>
  credentials.includes('pat') || credentials.includes('build');

function directOf({ agents }: Route): AgentOperation['direct'] {
  if (agents === 'direct') return {};
  return typeof agents === 'object' ? agents.direct : undefined;
}

/** A token lists only the tools that it may call. */
export const isOpenTo = (operation: AgentOperation, caller: AgentCaller): boolean =>
  caller.kind === 'build' ? isOpenToBuild(operation, caller) : isOpenToToken(operation, caller);

const isOpenToBuild = ({ route: { access, openToBuilds } }: AgentOperation, caller: BuildCaller): boolean =>
  (access.credentials.includes('build') || openToBuilds !== undefined) &&
  Object.values(openToBuilds?.own ?? {}).every((property) => caller.own[property] !== null) &&
  holdsScopes(access, caller.scopes);

const isOpenToToken = ({ route }: AgentOperation, caller: TokenCaller): boolean =>
  route.access.credentials.includes('pat') &&
  holdsScopes(route.access, caller.scopes) &&
  (route.access.role !== 'admin' || caller.role === 'admin');

export const isWanted = (operation: AgentOperation, { toolsets, readOnly }: Narrowing): boolean =>
  (!toolsets || toolsets.has(operation.toolset)) && (!readOnly || operation.effect === 'read');

export type Arguments = Record<string, unknown>;

interface ObjectSchema {
  properties?: Record<string, TSchema>;
  required?: string[];
  additionalProperties?: unknown;
}

/** The arguments of an operation: path, query and body in one flat list. */
interface ArgumentSchema {
  type: 'object';
  properties: Record<string, TSchema>;
  required?: string[];
  additionalProperties: false;
}

/** The workspace comes from the token, and the format is fixed. */
const GIVEN = new Set(['brand_id', 'format']);

const pathNames = ({ path }: Route): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);

export function describeArguments(route: Route): ArgumentSchema {
  const params = (route.params ?? {}) as PathParams;
  const query = (route.query ?? {}) as ObjectSchema;
  const body = (route.body ?? {}) as ObjectSchema;
  const inPath = pathNames(route).filter((name) => !GIVEN.has(name));
  const inQuery = Object.keys(query.properties ?? {}).filter((name) => !GIVEN.has(name));
  const inBody = Object.keys(body.properties ?? {}).filter((name) => !GIVEN.has(name));
  // An argument that exists in both query and body goes into the query.
  const properties: Record<string, TSchema> = {
    ...Object.fromEntries(inPath.map((name) => [name, describeParam(params[name])])),
    ...Object.fromEntries(inBody.map((name) => [name, body.properties![name]!])),
    ...Object.fromEntries(inQuery.map((name) => [name, query.properties![name]!])),
  };
  const required = [
    ...inPath,
    ...[...(query.required ?? []), ...(body.required ?? [])].filter(
      (name) =>
        name in properties && (properties[name] as { default?: unknown } | undefined)?.default === undefined,
    ),
  ];
  return {
    type: 'object',
    properties: withoutExtensions(properties) as Record<string, TSchema>,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const describeParam = (param: PathParams[string] | undefined): TSchema =>
  ({ ...param?.schema, ...(param?.description && { description: param.description }) }) as TSchema;

function withoutExtensions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtensions);
  if (value === null || typeof value !== 'object') return value;
  const isIdOrName = 'names' in value && typeof value.names === 'string';
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isIdOrName || !['names', 'format', 'rule'].includes(key))
      .filter(([key, each]) => key !== 'formerly' || typeof each !== 'string')
      .map(([key, each]) => [key, withoutExtensions(each)]),
  );
}

/** Moves each argument to the part of the request that reads it, and rejects unknown names. */
function argumentSorter(route: Route): (caller: { brandId: number }, args: Arguments) => RawInput {
  const inPath = new Set(pathNames(route));
  const ofQuery = (route.query as ObjectSchema | undefined)?.properties ?? {};
  const inQuery = new Set(Object.keys(ofQuery));
  const formerNames = new Map(
    Object.entries(ofQuery).flatMap(([name, { formerly }]: [string, { formerly?: string }]) =>
      formerly === undefined ? [] : [[formerly, name]],
    ),
  );
  const body = route.body as ObjectSchema | undefined;
  const inBody = body?.properties ?? {};
  const takesAnyBody = body !== undefined && body.additionalProperties !== false;

  const unknownArgument = (name: string) =>
    unknownField(name, Object.keys(describeArguments(route).properties));

  return (caller, args) => {
    const params: Record<string, string> = {};
    const query: Record<string, unknown> = {};
    const content: Record<string, unknown> = {};
    for (const [given, value] of Object.entries(args)) {
      if (GIVEN.has(given)) throw unknownArgument(given);
      const name = formerNames.get(given) ?? given;
      if (name !== given && args[name] !== undefined) continue;
      if (inPath.has(name)) params[name] = toText(name, value);
      else if (inQuery.has(name)) query[name] = Array.isArray(value) ? value.join(',') : value;
      else if (takesAnyBody || Object.hasOwn(inBody, name)) content[name] = value;
      else throw unknownArgument(given);
    }
    for (const name of inPath) {
      if (name === 'brand_id') params[name] = String(caller.brandId);
      else if (params[name] === undefined) throw unprocessable(`${name} is required`);
    }
    return { params, query, body: content };
  };
}

/** Sets the arguments that the build determines and ignores any others for them. */
export function withOwn({ openToBuilds }: Route, caller: BuildCaller, args: Arguments): Arguments {
  const own: Arguments = {};
  for (const [name, property] of Object.entries(openToBuilds?.own ?? {})) {
    own[name] = caller.own[property];
    if (args[name] !== undefined && !isSame(args[name], own[name])) throw notOwn(name);
  }
  return { ...args, ...own };
}

const isSame = (given: unknown, own: unknown): boolean =>
  String(given).toLowerCase() === String(own).toLowerCase();

const notOwn = (name: string) => forbidden(`${name} must be the one that belongs to this build`);

/** Lists the known fields, because an agent cannot look them up. */
export const unknownField = (name: string, known: readonly string[]) =>
  unprocessable(`${name} is not a known field; ${describeKnown(known)}`);

export const describeKnown = (known: readonly string[]): string =>
  known.length === 0 ? 'there are none' : `the fields are: ${known.join(', ')}`;

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw unprocessable(`${name} must be a string`);
}

/** A malformed message, reported as a protocol error; an operation's own errors are returned as answers. */
export class InvalidParams extends Error {
  readonly code = -32602;
}

export const unknownTool = (name: string) => new InvalidParams(`Unknown tool: ${name}`);

export const unknownResource = () => new InvalidParams('No resource has this address; see the templates');
