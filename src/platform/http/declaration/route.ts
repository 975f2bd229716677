import type { Static, TObject, TSchema } from 'typebox';
import { Type } from 'typebox';
import type { BuildProperty, Caller, CallerKind, Role, Scope } from '../../../kernel/access.js';
import { type ApiError, notFound, unprocessable } from '../../../kernel/errors.js';
import { isUuid, parseIntegerId } from '../../../kernel/ids.js';
import type { Answer } from '../answer/answers.js';

/** Everything that is true of one endpoint. The check order, validation, OpenAPI and the route tests all come from here. */
export interface RouteDeclaration<
  K extends CallerKind,
  P extends PathParams,
  Q extends TObject,
  B extends TSchema,
  A = unknown,
> {
  /** What it is called wherever programs meet it: OpenAPI, tools, the client's method. Snake case, verb first. */
  name: string;
  method: Method;
  /** `/api/v1/board/tasks/{task_id}`; a custom verb is written as it is called: `/api/v1/memory/entries:near`. */
  path: string;
  summary: string;
  /** What it is for, what comes back, what to do next. Starting fails without it. */
  description?: string;
  tags: [string, ...string[]];
  access: Access<K>;
  params?: P;
  query?: Q;
  /** The status of a refused query string. */
  queryStatus?: 400 | 422;
  body?: B;
  /** In bytes, where `LARGEST_BODY` is too little. */
  largestBody?: number;
  upload?: UploadRule;
  /** A body that is neither JSON nor a form; the handler reads it from `bytes` as it comes in. */
  rawBody?: RawBodyRule;
  /** What the route reads or answers beside what every route does. */
  headers?: readonly RouteHeader[];
  responses: Record<number, ResponseBody>;
  /** Errors beyond those that follow from access, parameters and body. */
  errors: ErrorDeclaration[];
  formats?: Formats;
  /** What a call does to the world; left out, the method tells. */
  effect?: Effect;
  /**
   * A read whose answer may be some seconds old, though never older than what the caller wrote: a list, a search, an export.
   * It may be run twice. Never for a read on which a permission or a write hangs.
   */
  mayLag?: true;
  /** How agents meet it; left out, it is found in the catalog where a token may call it at all. */
  agents?: AgentExposure;
  /** What a coder at work may do with it through the agents' door; left out, nothing. */
  openToBuilds?: BuildReach;
  /** How its answer goes on; left out, it is whole. */
  pagination?: Pagination;
  /** Makes something that must not be made twice: the call takes an `Idempotency-Key`. */
  creates?: Creation;
  /** The workspace that a call changes, read from what the handler returned, where it is not the caller's. */
  changedWorkspace?(result: never): number;
  /** The answer opens or ends a session, so a foreign page must not be able to ask for it. */
  changesSession?: boolean;
  /** What the route says of failures below it, where it has words of its own. */
  translateFailure?(error: unknown): ApiError | undefined;
  /**
   * The same for everybody in the workspace who may ask, and made of its settings alone (of what the triggers of the migration
   * `ready_answers` tell): a node has it ready until one of them changes. It answers an `ETag` and knows `If-None-Match`.
   */
  ready?: true;
  /** Goes before everything else when more comes than can be served. Its path has no parameters. */
  urgent?: true;
  /** A page of another origin may not ask at all, whatever credential it brings. */
  refusesForeignPages?: boolean;
  /** The request carries another operation, which enters the context of the request by itself if it records anything. */
  carriesOperations?: boolean;
  /** What takes long and changes nothing, such as asking another host: a request with a key has it done before its transaction. */
  prepare?(request: RouteRequest<K, P, Q, B>): Promise<A>;
  /**
   * Throws what the caller would be refused with now, where who may ask depends on the thing that the path names: a kept answer
   * is given only to who may make the request still. Credential, scope and role are judged before it in any case.
   */
  permit?(request: RouteRequest<K, P, Q, B>): Promise<void>;
  handler(request: RouteRequest<K, P, Q, B, A>): Promise<Answer | object> | Answer | object;
}

export type RouteHeader = 'If-Match' | 'If-None-Match' | 'Last-Event-ID' | 'ETag' | 'Cache-Control';

export type Effect = 'read' | 'write' | 'destroy';

export const effectOf = ({ effect, method }: Route): Effect =>
  effect ?? (method === 'GET' ? 'read' : method === 'DELETE' ? 'destroy' : 'write');

/**
 * `direct`: a tool of its own. `catalog`: found, described and called through the generic tools. `never`: not for agents.
 * A direct tool may show fewer of its fields and start from other defaults than a program would; `brief`: what of the answer
 * agents are told unless they ask for all of it.
 */
export type AgentExposure = 'catalog' | 'never' | 'direct' | { direct: DirectTool };

export interface DirectTool {
  fields?: readonly string[];
  defaults?: Record<string, unknown>;
  brief?: readonly string[];
}

/** The parameter that continues, where the answer says with what, and what it lists. */
export type Pagination =
  | { style: 'cursor'; parameter: string; next: string; items: string }
  | { style: 'page'; parameter: 'page'; size: string; items: string; cursor?: PageCursor }
  | { style: 'before'; parameter: string; from: string; items: string | null };

/** How a list of numbered pages also goes on, for whoever begins with an empty one: nothing that moves is skipped or repeated. */
export interface PageCursor {
  parameter: string;
  next: string;
}

/**
 * `secret`: the answer shows something once, so a repeated call is told the id in `id` and nothing else. `headers`: what the
 * answer says beside its data and of it, so that a repeated one says the same.
 */
export type Creation =
  | { secret?: false; headers?(data: never): Record<string, string> }
  | { secret: true; id: string };

/** Arguments that are not the coder's to choose: each is what belongs to its own build. */
export interface BuildReach {
  own: Readonly<Record<string, BuildProperty>>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

// biome-ignore lint/suspicious/noExplicitAny: a list of routes holds declarations of every shape
export type Route = RouteDeclaration<any, any, any, any, any>;

export interface RouteRequest<
  K extends CallerKind,
  P extends PathParams,
  Q extends TObject,
  B extends TSchema,
  A = unknown,
> {
  caller: Extract<Caller, { kind: K }>;
  params: ParamValues<P>;
  query: Static<Q>;
  body: Static<B>;
  file: UploadedFile | undefined;
  spooled: SpooledFile | undefined;
  /** Of a raw body, as it comes in; reading more than the declaration allows is a 413. */
  bytes: AsyncIterable<Buffer>;
  headers: Record<string, string | string[] | undefined>;
  requestId: string;
  /** What `prepare` found out; undefined where it was not needed before the handler. */
  prepared?: A;
  clientAddress: string;
  /** Aborted when the caller goes away or the server stops. */
  readonly signal: AbortSignal;
  /** Gives the request's place in the queue back while it only waits, for news for example. */
  releasePlace(): void;
  /** For a further operation that the same request carries: counts it, waits for a place and checks the rights, as for a request of its own. */
  countAgain(): Promise<void>;
}

export function route<
  K extends CallerKind,
  P extends PathParams = Record<never, never>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TObject<Record<never, never>>,
  A = unknown,
>(declaration: RouteDeclaration<K, P, Q, B, A>): Route {
  return declaration;
}

// --- who may call -----------------------------------------------------------------------------

export type Credential = 'pat' | 'session' | 'desk' | 'build' | 'admin-key';

export interface Access<K extends CallerKind = CallerKind> {
  /** Accepted credentials; an empty list is a public route. */
  credentials: Credential[];
  /** A caller without any of the credentials is let in as anonymous. */
  optional?: boolean;
  /** Scopes that a token must hold, all of them. */
  scopes: Scope[];
  /** A token that may only read does not do: one of its scopes has to be of another kind. */
  beyondReading?: boolean;
  role: Role;
  /** The session of a staff person of the workspace stands in for the role: the route is the platform's own. */
  orStaff?: boolean;
  /** Only the type of the caller; never set. */
  readonly caller?: K;
}

interface MemberRule {
  scope?: Scope | Scope[];
  beyondReading?: boolean;
  role?: Role;
  orStaff?: boolean;
}

const listScopes = (scope: MemberRule['scope']): Scope[] => (scope === undefined ? [] : [scope].flat());

export const publicAccess = (): Access<'anonymous'> => ({ credentials: [], scopes: [], role: 'guest' });

export const memberAccess = (rule: MemberRule = {}): Access<'pat' | 'session'> => ({
  credentials: ['pat', 'session'],
  scopes: listScopes(rule.scope),
  role: rule.role ?? 'member',
  ...(rule.beyondReading && { beyondReading: true }),
  ...(rule.orStaff && { orStaff: true }),
});

/** The agents' door: whoever holds a personal access token, and coders at work. */
export const agentAccess = (): Access<'pat' | 'build'> => ({
  credentials: ['pat', 'build'],
  scopes: [],
  role: 'member',
});

/** What only a coder at work may do. */
export const buildAccess = (): Access<'build'> => ({ credentials: ['build'], scopes: [], role: 'member' });

export const sessionAccess = (rule: { role?: Role } = {}): Access<'session'> => ({
  credentials: ['session'],
  scopes: [],
  role: rule.role ?? 'member',
});

export const optionalSessionAccess = (): Access<'session' | 'anonymous'> => ({
  credentials: ['session'],
  optional: true,
  scopes: [],
  role: 'guest',
});

export const operatorAccess = (): Access<'operator'> => ({
  credentials: ['admin-key'],
  scopes: [],
  role: 'guest',
});

export const sessionOrOperatorAccess = (): Access<'session' | 'operator'> => ({
  credentials: ['session', 'admin-key'],
  scopes: [],
  role: 'member',
});

export const deskAccess = (): Access<'desk'> => ({ credentials: ['desk'], scopes: [], role: 'guest' });

export const memberOrDeskAccess = (): Access<'pat' | 'session' | 'desk'> => ({
  credentials: ['pat', 'session', 'desk'],
  scopes: [],
  role: 'member',
});

// --- path parameters --------------------------------------------------------------------------

export interface PathParam<T> {
  schema: TSchema;
  /** What the parameter names, for whoever reads the interface; starting fails without it. */
  description?: string;
  /** `validation`: judged with query and body; `lookup`: judged after them, like a thing that is not there. */
  judged: 'validation' | 'lookup';
  read(text: string): T;
}

// biome-ignore lint/suspicious/noExplicitAny: the values of different parameters have different types
export type PathParams = Record<string, PathParam<any>>;
export type ParamValues<P extends PathParams> = {
  [K in keyof P]: P[K] extends PathParam<infer T> ? T : never;
};

const readOrThrow = <T>(value: T | undefined, error: () => ApiError): T => {
  if (value === undefined) throw error();
  return value;
};

interface ParamWords {
  description?: string;
}

export const uuidParam = (
  missing = 'Not found',
  { description, schema = Type.String({ format: 'uuid' }) }: ParamWords & { schema?: TSchema } = {},
): PathParam<string> => ({
  schema,
  description,
  judged: 'lookup',
  read: (text) => readOrThrow(isUuid(text) ? text.toLowerCase() : undefined, () => notFound(missing)),
});

export const strictUuidParam = (name: string, { description }: ParamWords = {}): PathParam<string> => ({
  schema: Type.String({ format: 'uuid' }),
  description,
  judged: 'validation',
  read: (text) =>
    readOrThrow(isUuid(text) ? text.toLowerCase() : undefined, () => unprocessable(`${name} must be a UUID`)),
});

export const integerParam = (missing = 'Not found', { description }: ParamWords = {}): PathParam<number> => ({
  schema: Type.Integer({ minimum: 1 }),
  description,
  judged: 'lookup',
  read: (text) => readOrThrow(parseIntegerId(text), () => notFound(missing)),
});

export const textParam = (
  schema: TSchema = Type.String(),
  { description }: ParamWords = {},
): PathParam<string> => ({ schema, description, judged: 'validation', read: (text) => text });

export const oneOfParam = <const T extends string>(
  name: string,
  values: readonly T[],
  { description }: ParamWords = {},
): PathParam<T> => ({
  schema: Type.String({ enum: [...values] }),
  description,
  judged: 'validation',
  read: (text) =>
    readOrThrow(
      values.find((value) => value === text),
      () => unprocessable(`${name} must be one of: ${values.join(', ')}`),
    ),
});

// --- bodies, uploads, answers -----------------------------------------------------------------

/** In bytes, of a JSON body. */
export const LARGEST_BODY = 2 * 1024 * 1024;

/** Of one that comes without a credential. */
export const LARGEST_STRANGERS_BODY = 16 * 1024;

export interface UploadRule {
  field: string;
  maxBytes: number;
  description: string;
  /** What a form without the file is told; a 422 that names the field when it is left out. */
  missing?(): ApiError;
  /** It is too large for memory: it goes to the disk as it comes in, and the handler finds it under `spooled`. */
  onDisk?: true;
}

export interface UploadedFile {
  bytes: Buffer;
  /** More than `maxBytes` were sent; `bytes` holds the beginning. */
  tooLarge: boolean;
}

/** A file of a form on the disk of this node, until the request is answered. */
export interface SpooledFile {
  path: string;
  /** As the sender calls it. */
  name: string;
  bytes: number;
  sha256: string;
  /** More than `maxBytes` were sent; there is nothing at `path` then. */
  tooLarge: boolean;
}

export interface RawBodyRule {
  /** `ANY_TYPE`: whatever the sender calls it. */
  contentType: string;
  maxBytes: number;
  description: string;
  /** It proves by itself who sent it, which the handler judges: it comes without another credential. */
  signed?: true;
}

export const ANY_TYPE = '*/*';

/** A schema for JSON, content types for anything else (of an event stream with what an event carries), null for no body. */
export type ResponseBody =
  | TSchema
  | { contentType: string | readonly string[]; description: string; event?: TSchema }
  | null;

export interface Formats {
  allowed: readonly ('json' | 'yaml' | 'md')[];
  default: 'json' | 'yaml';
  // biome-ignore lint/suspicious/noExplicitAny: the renderer knows the shape its own route answers
  markdown(data: any): string;
  /** For answers that can be long: the same bytes in pieces, written one at a time; undefined when it is not long. */
  // biome-ignore lint/suspicious/noExplicitAny: the renderer knows the shape its own route answers
  parts?(data: any, format: 'json' | 'yaml' | 'md'): Iterable<string> | undefined;
}

export interface ErrorDeclaration {
  status: number;
  description: string;
  detail?: TSchema;
  /** It says with `Retry-After` when to try again. */
  passes?: boolean;
}

export const error = (status: number, description: string, detail?: TSchema): ErrorDeclaration => ({
  status,
  description,
  detail,
});
