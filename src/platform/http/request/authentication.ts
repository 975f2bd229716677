import type { FastifyRequest } from 'fastify';
import {
  type BuildCaller,
  type BuildProperty,
  type Caller,
  type DeskCaller,
  type MemberCaller,
  type Scope,
  type SessionCaller,
  type TokenCaller,
  WRITING_SCOPES,
} from '../../../kernel/access.js';
import { soon } from '../../../kernel/async.js';
import { forbidden, notFound, unauthorized } from '../../../kernel/errors.js';
import { parseIntegerId } from '../../../kernel/ids.js';
import type { Access, Route } from '../declaration/route.js';

/** Verifies each kind of credential. Undefined means malformed, unknown, expired or revoked. */
export interface Authenticators {
  pat(token: string): Promise<TokenCaller | undefined> | TokenCaller | undefined;
  session(cookie: string): Promise<SessionCaller | undefined> | SessionCaller | undefined;
  desk(token: string): Promise<DeskCaller | undefined> | DeskCaller | undefined;
  build(token: string): Promise<BuildCaller | undefined> | BuildCaller | undefined;
  /** Rejects addresses that sent too many wrong keys. */
  isAdminKey(key: string, address: string): Promise<boolean> | boolean;
}

export const TOKEN_PREFIX = 'guild_pat_';
export const DESK_TOKEN_PREFIX = 'guild_desk_';
export const BUILD_TOKEN_PREFIX = 'guild_build_';

/** The prefix of a bearer token shows its kind. */
const BEARERS = [
  ['pat', TOKEN_PREFIX],
  ['desk', DESK_TOKEN_PREFIX],
  ['build', BUILD_TOKEN_PREFIX],
] as const;

export const brandNotFound = () => notFound('Brand not found');
export const adminRequired = () => forbidden('Brand admin access required');
const mfaRequired = () => forbidden('Set up two-factor sign-in first');
const membersOnly = () => forbidden('Guests can open only the boards and docs they were invited to');

export const missingScope = (scope: Scope, allowed: boolean) =>
  forbidden(
    allowed
      ? `Token lacks scope ${scope}; this workspace allows it, so a new token can carry it`
      : `Token lacks scope ${scope}, and this workspace does not allow it: a platform admin must widen its policy first`,
  );

const onlyReads = (ceiling: readonly Scope[]) => {
  const allowed = WRITING_SCOPES.filter((scope) => ceiling.includes(scope));
  const needed = `Token has only scopes that read, and this needs one of ${WRITING_SCOPES.join(', ')}`;
  return forbidden(
    allowed.length > 0
      ? `${needed}; this workspace allows ${allowed.join(', ')}, so a new token can carry it`
      : `${needed}, and this workspace allows none of them: a platform admin must widen its policy first`,
  );
};

export const holdsScopes = ({ scopes, beyondReading }: Access, held: readonly Scope[]): boolean =>
  scopes.every((scope) => held.includes(scope)) && (!beyondReading || mayDoMoreThanRead(held));

export const mayDoMoreThanRead = (held: readonly Scope[]): boolean =>
  WRITING_SCOPES.some((scope) => held.includes(scope));

export interface SessionCookie {
  name: string;
  secure: boolean;
}

/** Check 1: the caller. A bearer token takes precedence over the cookie. Synchronous for cached callers. */
export function authenticate(
  access: Access,
  request: Pick<FastifyRequest, 'headers' | 'clientAddress'>,
  authenticators: Authenticators,
  cookie: SessionCookie,
): Caller | Promise<Caller> {
  const { credentials } = access;
  if (credentials.length === 0) return ANONYMOUS;

  const adminKey = request.headers['x-admin-key'];
  if (adminKey !== undefined && credentials.includes('admin-key')) {
    const key = [adminKey].flat().join();
    return soon(authenticators.isAdminKey(key, request.clientAddress), (isRight) =>
      isRight ? ({ kind: 'operator' } as const) : fail(access),
    );
  }

  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
    for (const [kind, prefix] of BEARERS) {
      if (token.startsWith(prefix) && credentials.includes(kind))
        return soon<Caller | undefined, Caller>(
          authenticators[kind](token),
          (caller) => caller ?? fail(access),
        );
    }
    if (!access.optional) throw refuse(access);
  }

  const session = credentials.includes('session')
    ? readCookie(request.headers.cookie, cookie.name)
    : undefined;
  return soon(
    session === undefined ? undefined : authenticators.session(session),
    (caller) => caller ?? (access.optional ? ANONYMOUS : fail(access)),
  );
}

const ANONYMOUS: Caller = { kind: 'anonymous' };

const fail = (access: Access): never => {
  throw refuse(access);
};

export const notAuthenticated = (headers: Record<string, string> = {}) =>
  unauthorized('Not authenticated: the credential is missing, malformed, expired or revoked', headers);

const refuse = (access: Access) =>
  notAuthenticated(
    access.credentials.some(
      (credential) => credential === 'pat' || credential === 'desk' || credential === 'build',
    )
      ? { 'www-authenticate': 'Bearer' }
      : {},
  );

/** The account pages stay open, because two-factor sign-in is set up there. */
const OWN_ACCOUNT = /^\/api\/v1\/(?:me|auth)(?:\/|$)/;

/** Checks 2 to 4: the workspace in the path, the scopes of the token, and the role of the person. */
export function authorize(declaration: Route, caller: Caller, params: Record<string, string>): void {
  if (caller.kind === 'build') authorizeBuild(declaration, caller);
  if (caller.kind !== 'pat' && caller.kind !== 'session') return;
  const brandId = params['brand_id'];
  if (brandId !== undefined && parseIntegerId(brandId) !== caller.brandId) throw brandNotFound();
  if (caller.mfaMissing && !OWN_ACCOUNT.test(declaration.path)) throw mfaRequired();
  if (caller.kind === 'pat') requireScopes(declaration.access, caller);
  if (declaration.access.role === 'admin' && !mayAdminister(declaration.access, caller))
    throw adminRequired();
  if (declaration.access.role === 'member' && caller.role === 'guest') throw membersOnly();
}

/** Whether a member could call such a route, for routes that combine several others. */
export const admits = (access: Access, caller: MemberCaller): boolean =>
  caller.kind !== 'build' &&
  access.credentials.includes(caller.kind) &&
  (caller.kind === 'session' || holdsScopes(access, caller.scopes)) &&
  (access.role !== 'admin' || mayAdminister(access, caller)) &&
  (access.role !== 'member' || caller.role !== 'guest');

/** Limits coders to routes that are open to builds, and to the objects of their own build. */
function authorizeBuild({ access, openToBuilds }: Route, caller: BuildCaller): void {
  if (!access.credentials.includes('build') && !openToBuilds) throw notForBuilds();
  const missing = Object.values(openToBuilds?.own ?? {}).find((property) => caller.own[property] === null);
  if (missing) throw nothingOwn(missing);
  requireScopes(access, caller);
}

const notForBuilds = () => forbidden('The token of a build reaches what belongs to its build only');

const nothingOwn = (property: BuildProperty) =>
  forbidden(
    property === 'agent_id' ? 'No agent is assigned to the card of this build' : 'This build has none',
  );

function requireScopes(
  { scopes, beyondReading }: Access,
  { scopes: held, scopeCeiling }: TokenCaller | BuildCaller,
): void {
  const missing = scopes.find((scope) => !held.includes(scope));
  if (missing) throw missingScope(missing, scopeCeiling.includes(missing));
  if (beyondReading && !mayDoMoreThanRead(held)) throw onlyReads(scopeCeiling);
}

/** Staff have the rights of their membership, and more only where the route says so. */
const mayAdminister = (access: Access, caller: MemberCaller): boolean =>
  caller.role === 'admin' ||
  (access.orStaff === true && caller.kind === 'session' && caller.staff && caller.role !== 'guest');

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, ...value] = part.split('=');
    if (key?.trim() === name) return value.join('=').trim();
  }
  return undefined;
}
