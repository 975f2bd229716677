import { AsyncLocalStorage } from 'node:async_hooks';

export const SCOPES = ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'] as const;
export type Scope = (typeof SCOPES)[number];

export const WRITING_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !scope.endsWith(':read'));

export const DEFAULT_SCOPE_CEILING: readonly Scope[] = SCOPES.filter((scope) => scope !== 'brand:admin');

export const MEMBER_ROLES = ['admin', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export type Role = MemberRole | 'guest';

/** Each level includes the ones before it. */
export const GUEST_LEVELS = ['viewer', 'commenter', 'editor'] as const;
export type GuestLevel = (typeof GUEST_LEVELS)[number];

/** The agent that uses a credential on behalf of its owner. */
export interface ActingAgent {
  agentId: string;
  name: string;
}

interface PersonCaller {
  userId: number;
  brandId: number;
  brandName: string;
  plan: Plan;
  role: Role;
  fullName: string;
  email: string;
  staff: boolean;
  /** Null when the person acts directly. */
  agent: ActingAgent | null;
  /** The workspace requires two-factor sign-in, and the person has not set it up. */
  mfaMissing: boolean;
  /** A token's scopes as far as the workspace still allows them, or the scopes of a session's role. */
  scopes: readonly Scope[];
  /** The scopes that the workspace allows for its tokens. */
  scopeCeiling: readonly Scope[];
  expiresAt: Date | null;
}

export interface TokenCaller extends PersonCaller {
  kind: 'pat';
  tokenId: string;
  role: MemberRole;
}

export interface SessionCaller extends PersonCaller {
  kind: 'session';
  sessionId: string;
}

export interface DeskCaller {
  kind: 'desk';
  brandId: number;
  deskId: string;
}

/** Properties by which a coder's access is limited to its own build. */
export type BuildProperty = 'build_id' | 'task_id' | 'project_id' | 'agent_id';

/**
 * A running coder. It acts for the person who started the build, and its access is limited to the objects of
 * that build.
 */
export interface BuildCaller extends PersonCaller {
  kind: 'build';
  role: MemberRole;
  own: Readonly<Record<BuildProperty, string | null>>;
  /**
   * The coder may have read text written by guests, so its memories are less trusted than memories of the
   * workspace.
   */
  guestWords: boolean;
}

export interface OperatorCaller {
  kind: 'operator';
}

interface AnonymousCaller {
  kind: 'anonymous';
}

export type MemberCaller = TokenCaller | SessionCaller | BuildCaller;
export type Caller =
  | TokenCaller
  | SessionCaller
  | BuildCaller
  | DeskCaller
  | OperatorCaller
  | AnonymousCaller;
export type CallerKind = Caller['kind'];

export const PLANS = ['free', 'team', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** 0 for callers without a workspace. */
export const workspaceOf = (caller: Caller): number => ('brandId' in caller ? caller.brandId : 0);

interface RequestContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly caller: Caller;
}

const requests = new AsyncLocalStorage<RequestContext>();

/**
 * Runs the work of a request, so that audit entries can name the request without passing it through every
 * function.
 */
export const withinRequest = <T>(request: RequestContext, work: () => T): T => requests.run(request, work);

export const currentRequest = (): RequestContext | undefined => requests.getStore();

/**
 * Names the credential by kind and id and never by its secret: `session:<id>`, `pat:<id>`, `build:<id>`,
 * `desk:<id>` or `admin_key`.
 */
export function credentialOf(caller: Caller): string | null {
  switch (caller.kind) {
    case 'pat':
      return `pat:${caller.tokenId}`;
    case 'session':
      return `session:${caller.sessionId}`;
    case 'build':
      return `build:${caller.own.build_id}`;
    case 'desk':
      return `desk:${caller.deskId}`;
    case 'operator':
      return 'admin_key';
    case 'anonymous':
      return null;
  }
}
