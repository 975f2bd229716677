// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface AcceptedInvitation {
  brand_id: number;
  role: 'admin' | 'member' | 'guest';
}

export interface Credential {
  kind: 'pat' | 'session';
  user_id: number;
  brand_id: number;
  role: 'admin' | 'member' | 'guest';
  scopes: ('brand:read' | 'brand:admin' | 'memory:read' | 'memory:write' | 'code:read')[];
  expires_at: string | null;
  last_used_at: string | null;
}

export interface NewToken {
  token_id: string;
  name: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  token: string;
}

export interface Session {
  user: SessionUser;
  brand: SessionWorkspace;
  role: 'admin' | 'member' | 'guest';
  scopes: ('brand:read' | 'brand:admin' | 'memory:read' | 'memory:write' | 'code:read')[];
}

export interface SessionUser {
  user_id: number;
  email: string;
  full_name: string;
}

export interface SessionWorkspace {
  brand_id: number;
  name: string;
}

export interface SignedIn {
  user: SessionUser;
  brand: SessionWorkspace;
  role: 'admin' | 'member' | 'guest';
}

export interface TokenList {
  tokens: {
    token_id: string;
    name: string;
    scopes: string[];
    created_at: string;
    expires_at: string | null;
    last_used_at: string | null;
  }[];
  total: number;
}

export interface SignInArguments {
  /** The address you sign in with. */
  email: string;
  /** Your password. */
  password: string;
  /** The workspace to sign in to, when you belong to several. */
  brand_id?: number;
}

export interface ResetPasswordArguments {
  /** The secret at the end of the mailed link. */
  token: string;
  /** The new password, at least 8 characters. */
  password: string;
}

export interface AcceptInvitationArguments {
  /** The secret at the end of the invitation link. */
  token: string;
  /** Your name; needed when you have no account yet. */
  full_name?: string;
  /** The password of your new account, at least 8 characters. */
  password?: string;
}

export interface CreateMyTokenArguments {
  /** What tells it from your other tokens, such as the program that uses it. */
  name: string;
  /** What it may do; each must be within what the workspace allows. */
  scopes: ('brand:read' | 'brand:admin' | 'memory:read' | 'memory:write' | 'code:read')[];
  /** When it stops working; null or left out: never. */
  expires_at?: string | null;
}

export interface RevokeMyTokenArguments {
  /** One of your tokens, as list_my_tokens shows its token_id. */
  token_id: string;
}

export interface SignInAndTokensMethods {
  /**
   * Sign in and open a session.
   * Sets the session cookie for the dashboard. Programs use a personal access token instead.
   */
  signIn(fields: SignInArguments, options?: CallOptions): Promise<SignedIn>;

  /**
   * End the session.
   * The cookie is cleared and the session ends on every node.
   */
  signOut(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * Choose a new password with a mailed link.
   * With the secret of the link that send_password_reset mailed. It works once; sign in with the new password
   * then.
   */
  resetPassword(fields: ResetPasswordArguments, options?: CallOptions): Promise<{
    success: boolean;
  }>;

  /**
   * Who is signed in, where, as what.
   * The person, the workspace, the role and the scopes that the role brings.
   */
  getSession(fields?: NoArguments, options?: CallOptions): Promise<Session>;

  /**
   * Accept an invitation and become a member.
   * As the invited person by session, or, for a new person, with `full_name` and `password`.
   */
  acceptInvitation(fields: AcceptInvitationArguments, options?: CallOptions): Promise<AcceptedInvitation>;

  /**
   * What the credential of this request is.
   * Whose it is, in which workspace, with which role and scopes, and when it expires. Ask this first when a
   * call is refused.
   */
  getCredential(fields?: NoArguments, options?: CallOptions): Promise<Credential>;

  /**
   * Your personal access tokens in this workspace.
   * Names, scopes and last use; never their text.
   */
  listMyTokens(fields?: NoArguments, options?: CallOptions): Promise<TokenList>;

  /**
   * Make a personal access token; its text is shown this once.
   * It can do what you can do, within its scopes. Keep `token` from the answer: it cannot be read again.
   */
  createMyToken(fields: CreateMyTokenArguments, options?: CallOptions): Promise<NewToken>;

  /**
   * Revoke one of your tokens; it stops working at once.
   * On every node. Streams that it opened end.
   */
  revokeMyToken(fields: RevokeMyTokenArguments, options?: CallOptions): Promise<void>;
}

export const signInAndTokens = {
  signIn: {
    method: 'POST',
    path: '/api/v1/auth/login',
    body: ['email', 'password', 'brand_id'],
    needsBody: true,
  },
  signOut: { method: 'POST', path: '/api/v1/auth/logout', answer: 'nothing' },
  resetPassword: {
    method: 'POST',
    path: '/api/v1/auth/reset-password',
    body: ['token', 'password'],
    needsBody: true,
  },
  getSession: { method: 'GET', path: '/api/v1/auth/session' },
  acceptInvitation: {
    method: 'POST',
    path: '/api/v1/invitations/{token}/accept',
    body: ['full_name', 'password'],
  },
  getCredential: { method: 'GET', path: '/api/v1/me/token' },
  listMyTokens: { method: 'GET', path: '/api/v1/me/tokens' },
  createMyToken: {
    method: 'POST',
    path: '/api/v1/me/tokens',
    body: ['name', 'scopes', 'expires_at'],
    needsBody: true,
    creates: true,
  },
  revokeMyToken: { method: 'DELETE', path: '/api/v1/me/tokens/{token_id}', answer: 'nothing' },
} as const satisfies Record<string, Operation>;
