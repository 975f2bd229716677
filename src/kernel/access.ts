/** The words in which a declaration says who may call, and the callers that come of it. */

export const SCOPES = ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whoever holds one of these may do more than read. */
export const WRITING_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !scope.endsWith(':read'));

export const DEFAULT_SCOPE_CEILING: readonly Scope[] = SCOPES.filter((scope) => scope !== 'brand:admin');

export const MEMBER_ROLES = ['admin', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export type Role = MemberRole | 'guest';

/** What a guest may do on a board or in a docs space, each level with all before it. */
export const GUEST_LEVELS = ['viewer', 'commenter', 'editor'] as const;
export type GuestLevel = (typeof GUEST_LEVELS)[number];

/** The agent that acts by a credential, for the person whose it is. */
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
  /** Null: the person themselves. */
  agent: ActingAgent | null;
  /** The workspace demands two-factor sign-in, and the person has not set it up yet. */
  mfaMissing: boolean;
  /** What the caller may do with it: a token's own scopes that the workspace still allows; a session's by its role. */
  scopes: readonly Scope[];
  /** What the workspace allows its tokens at all. */
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

/** What belongs to a build and is the only thing of its kind that its coder may reach. */
export type BuildProperty = 'build_id' | 'task_id' | 'project_id' | 'agent_id';

/** A coder at work: it acts for whoever asked for the build, as long as the build lasts, on what belongs to the build. */
export interface BuildCaller extends PersonCaller {
  kind: 'build';
  role: MemberRole;
  own: Readonly<Record<BuildProperty, string | null>>;
  /** It was given words of a guest, or could read some: what it remembers is not the workspace's own. */
  guestWords: boolean;
}

export interface OperatorCaller {
  kind: 'operator';
}

export interface AnonymousCaller {
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

/** 0 for whoever has none. */
export const workspaceOf = (caller: Caller): number => ('brandId' in caller ? caller.brandId : 0);
