import type { Static, TObject, TSchema } from 'typebox';
import { Type } from 'typebox';
import type { BuildProperty, Caller, CallerKind, Role, Scope } from '../../../kernel/access.js';
import { type ApiError, notFound, unprocessable } from '../../../kernel/errors.js';
import { isUuid, parseIntegerId } from '../../../kernel/ids.js';
import type { Answer } from '../answer/answers.js';

/** Declares one endpoint. The order of checks, validation, OpenAPI and route tests are derived from it. */
interface RouteDeclaration<
  K extends CallerKind,
  P extends PathParams,
  Q extends TObject,
  B extends TSchema,
  A = unknown,
> {
  /** OpenAPI operation id, tool name and client method. Snake case, verb first. */
  name: string;
  method: Method;
  /**
   * Such as `/api/v1/board/tasks/{task_id}`. A custom verb follows a colon: `/api/v1/memory/entries:near`.
   */
  path: string;
  summary: string;
  /** Required: what it does, what it returns, and what to do next. */
  description?: string;
  tags: [string, ...string[]];
  access: Access<K>;
  params?: P;
  query?: Q;
  queryStatus?: 400 | 422;
  body?: B;
  largestBody?: number;
  upload?: UploadRule;
  /** A body that is neither JSON nor a form. The handler reads it from `bytes`. */
  rawBody?: RawBodyRule;
  /** Headers in addition to the ones that every route has. */
  headers?: readonly RouteHeader[];
  responses: Record<number, ResponseBody>;
  errors: ErrorDeclaration[];
  formats?: Formats;
  effect?: Effect;
  /**
   * The response may be a few seconds old, but never older than the caller's own writes. The handler may run
   * twice. Do not use it for reads on which a permission or a write depends.
   */
  mayLag?: true;
  /** Defaults to the tool catalog when a token may call the route. */
  agents?: AgentExposure;
  /** The coder's access to the route through the agent interface. Defaults to none. */
  openToBuilds?: BuildReach;
  pagination?: Pagination;
  /** The operation must not run twice, so the call accepts an `Idempotency-Key`. */
  creates?: Creation;
  /** Returns the changed workspace from the result of the handler, when it is not the caller's. */
  changedWorkspace?(result: never): number;
  /** The route starts or ends a session, so other origins must not call it. */
  changesSession?: boolean;
  /** Returns route-specific errors for failures of the operation. */
  translateFailure?(error: unknown): ApiError | undefined;
  /**
   * The response is the same for everyone in the workspace and depends only on settings covered by the
   * triggers of the migration `ready_answers`. Nodes keep it until one of them changes. Supports `ETag` and
   * `If-None-Match`.
   */
  ready?: true;
  /** Bypasses the request queue. The path must have no parameters. */
  urgent?: true;
  /** Pages of other origins may not call the route with any credential. */
  refusesForeignPages?: boolean;
  /** The route runs other operations, which enter the request context themselves. */
  carriesOperations?: boolean;
  /**
   * Slow work without changes, such as a request to another host, which runs before the transaction of a
   * request with an idempotency key.
   */
  prepare?(request: RouteRequest<K, P, Q, B>): Promise<A>;
  /**
   * Throws if the caller may no longer make this request, when that depends on the object in the path. A
   * stored response is returned only to callers with access. Credential, scope and role are checked before.
   */
  permit?(request: RouteRequest<K, P, Q, B>): Promise<void>;
  handler(request: RouteRequest<K, P, Q, B, A>): Promise<Answer | object> | Answer | object;
}

export type RouteHeader = 'If-Match' | 'If-None-Match' | 'Last-Event-ID' | 'ETag' | 'Cache-Control';

export type Effect = 'read' | 'write' | 'destroy';

export const effectOf = ({ effect, method }: Route): Effect =>
  effect ?? (method === 'GET' ? 'read' : method === 'DELETE' ? 'destroy' : 'write');

/**
 * `direct` is a separate tool, `catalog` is callable through the generic tools, and `never` is not for
 * agents. A direct tool may expose fewer fields with other defaults. `brief` lists the parts of the response
 * that agents get by default.
 */
type AgentExposure = 'catalog' | 'never' | 'direct' | { direct: DirectTool };

export interface DirectTool {
  fields?: readonly string[];
  defaults?: Record<string, unknown>;
  brief?: readonly string[];
}

/** The parameter for the next page, its source in the response, and the list itself. */
export type Pagination =
  | { style: 'cursor'; parameter: string; next: string; items: string }
  | { style: 'page'; parameter: 'page'; size: string; items: string; cursor?: PageCursor }
  | { style: 'before'; parameter: string; from: string; items: string | null };

/**
 * Cursor pagination for a numbered list, started with an empty cursor. It neither skips nor repeats items
 * that move.
 */
interface PageCursor {
  parameter: string;
  next: string;
}

/**
 * `secret`: a repeated call returns only the id in `id`, because the first response shows a secret.
 * `headers`: response headers derived from the data, so that a repeated response has them too.
 */
type Creation =
  | { secret?: false; headers?(data: never): Record<string, string> }
  | { secret: true; id: string };

/** Arguments that are fixed to the coder's own build. */
interface BuildReach {
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
  /** A raw body as a stream. Reading more than allowed fails with 413. */
  bytes: AsyncIterable<Buffer>;
  headers: Record<string, string | string[] | undefined>;
  requestId: string;
  /** The result of `prepare`, or undefined when it did not run. */
  prepared?: A;
  clientAddress: string;
  /** Aborted when the caller disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** Frees the request's place in the queue while it only waits. */
  releasePlace(): void;
  /** Counts, queues and authorizes another operation of the same request. */
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

export type Credential = 'pat' | 'session' | 'desk' | 'build' | 'admin-key';

export interface Access<K extends CallerKind = CallerKind> {
  credentials: Credential[];
  /** Callers without a credential are anonymous. */
  optional?: boolean;
  scopes: Scope[];
  /** One of the token's scopes must allow more than reading. */
  beyondReading?: boolean;
  role: Role;
  /** A staff session replaces the role, for routes of the platform itself. */
  orStaff?: boolean;
  /** Type information only, never set. */
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

/** Access for the agent interface: personal access tokens and coders. */
export const agentAccess = (): Access<'pat' | 'build'> => ({
  credentials: ['pat', 'build'],
  scopes: [],
  role: 'member',
});

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

export interface PathParam<T> {
  schema: TSchema;
  /** Required. */
  description?: string;
  /** `validation` is checked with query and body, and `lookup` after them, like a missing object. */
  judged: 'validation' | 'lookup';
  read(text: string): T;
}

// biome-ignore lint/suspicious/noExplicitAny: the values of different parameters have different types
export type PathParams = Record<string, PathParam<any>>;
type ParamValues<P extends PathParams> = {
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

export const LARGEST_BODY = 2 * 1024 * 1024;

/** Limit for a body without a credential. */
export const LARGEST_STRANGERS_BODY = 16 * 1024;

export interface UploadRule {
  field: string;
  maxBytes: number;
  description: string;
  /** The error for a form without the file. Defaults to a 422 that names the field. */
  missing?(): ApiError;
  /** The file is streamed to disk and passed as `spooled`, because it is too large for memory. */
  onDisk?: true;
}

export interface UploadedFile {
  bytes: Buffer;
  /** More than `maxBytes` were sent. `bytes` holds the first part. */
  tooLarge: boolean;
}

/** An uploaded file, on disk until the request is answered. */
export interface SpooledFile {
  path: string;
  name: string;
  bytes: number;
  sha256: string;
  /** More than `maxBytes` were sent. There is no file at `path`. */
  tooLarge: boolean;
}

export interface RawBodyRule {
  /** `ANY_TYPE` accepts every type. */
  contentType: string;
  maxBytes: number;
  description: string;
  /** The body is signed, and the handler verifies the signature. There is no other credential. */
  signed?: true;
}

export const ANY_TYPE = '*/*';

/** A schema for JSON, content types for anything else, or null for no body. */
export type ResponseBody =
  | TSchema
  | { contentType: string | readonly string[]; description: string; event?: TSchema }
  | null;

interface Formats {
  allowed: readonly ('json' | 'yaml' | 'md')[];
  default: 'json' | 'yaml';
  // biome-ignore lint/suspicious/noExplicitAny: the renderer knows the shape its own route answers
  markdown(data: any): string;
  /** For long responses: the same bytes in parts. Returns undefined for short ones. */
  // biome-ignore lint/suspicious/noExplicitAny: the renderer knows the shape its own route answers
  parts?(data: any, format: 'json' | 'yaml' | 'md'): Iterable<string> | undefined;
}

export interface ErrorDeclaration {
  status: number;
  description: string;
  detail?: TSchema;
  /** Whether the condition is temporary, so that the response has a `Retry-After`. */
  temporary?: boolean;
}

export const error = (status: number, description: string, detail?: TSchema): ErrorDeclaration => ({
  status,
  description,
  detail,
});
