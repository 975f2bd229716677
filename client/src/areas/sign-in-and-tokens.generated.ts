// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { AcceptedErasure, Scope } from './shared.generated.js';

export interface AcceptedInvitation {
  brand_id: number;
  role: 'admin' | 'member' | 'guest';
}

export interface CodeWanted {
  mfa_required: true;
  /** For answer_sign_in_challenge. */
  challenge: string;
}

export interface Credential {
  kind: 'pat' | 'session';
  user_id: number;
  brand_id: number;
  role: 'admin' | 'member' | 'guest';
  scopes: Scope[];
  expires_at: string | null;
  last_used_at: string | null;
  agent_id: string | null;
}

export interface InvitationOffer {
  brand: {
    name: string;
  };
  inviter: {
    name: string | null;
  };
  /** Only its owner can accept. */
  email: string;
  role: 'admin' | 'member' | 'guest';
  /** Accepting asks for a name and a password; else for the person's session. */
  new_person: boolean;
}

export interface Me {
  user: {
    user_id: number;
    email: string;
    full_name: string;
    kind: string;
  };
  brand: {
    brand_id: number;
    name: string;
    plan: 'free' | 'team' | 'business' | 'enterprise';
  };
  role: 'admin' | 'member' | 'guest';
  workspaces: {
    brand_id: number;
    name: string;
    role: 'admin' | 'member' | 'guest';
  }[];
  mfa: {
    totp: boolean;
    recovery_codes_left: number;
  };
  sign_in: ('password' | 'oidc')[];
  /** Whose token it is; it acts for you. */
  agent: {
    agent_id: string;
    name: string;
  } | null;
}

export interface NewToken {
  token_id: string;
  name: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  agent_id: string | null;
  token: string;
}

export interface OwnSessions {
  sessions: {
    session_id: string;
    created_at: string;
    last_seen_at: string;
    address: string | null;
    /** The user agent, cut. */
    agent: string | null;
    current: boolean;
  }[];
  total: number;
}

export interface PersonalData {
  exported_at: string;
  profile: Record<string, unknown>;
  workspaces: Record<string, unknown>[];
  guest_access: Record<string, unknown>[];
  sessions: Record<string, unknown>[];
  sign_in: Record<string, unknown>[];
  /** Revoked ones too; never their text. */
  tokens: Record<string, unknown>[];
  invitations: Record<string, unknown>[];
  mail_addresses: Record<string, unknown>[];
  /** Made by or assigned to them, as far as they can open them. */
  cards: Record<string, unknown>[];
  comments: Record<string, unknown>[];
  attachments: Record<string, unknown>[];
  activity: Record<string, unknown>[];
  /** Changes of memories, without their texts. */
  memory_changes: Record<string, unknown>[];
  inbox: Record<string, unknown>[];
  saved_views: Record<string, unknown>[];
  review_comments: Record<string, unknown>[];
  /** With addresses and credentials. */
  audit: Record<string, unknown>[];
}

export interface RecoveryCodes {
  /** Ten, shown this once. */
  recovery_codes: string[];
}

export interface SentProof {
  status: 'accepted';
}

export interface Session {
  user: SessionUser;
  brand: SessionWorkspace;
  role: 'admin' | 'member' | 'guest';
  scopes: Scope[];
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
    agent_id: string | null;
  }[];
  total: number;
}

export interface TotpSecret {
  /** Base32, to be typed into an authenticator. */
  secret: string;
  /** `otpauth://…`, for a QR code. */
  uri: string;
}

export interface RequestPasswordResetArguments {
  /** Your address. */
  email: string;
}

export interface SignInArguments {
  /** Your address. */
  email: string;
  /** Your password. */
  password: string;
  /** Which workspace, when you have several. */
  brand_id?: number;
}

export interface AnswerSignInChallengeArguments {
  /** Of sign_in; it lives for ten minutes. */
  challenge: string;
  /** Six digits, or a recovery code. */
  code: string;
}

export interface FinishOidcSignInArguments {
  /** The authorization code of the provider. */
  code?: string;
  /** From start_oidc_sign_in. */
  state?: string;
  /** The issuer of the provider. */
  iss?: string;
  /** Why the provider did not sign them in. */
  error?: string;
}

export interface ResetPasswordArguments {
  /** The end of the mailed link. */
  token: string;
  /** The new password. */
  password: string;
}

export interface SwitchWorkspaceArguments {
  /** One of yours, as get_me lists it. */
  brand_id: number;
}

export interface GetInvitationArguments {
  /** The secret at the end of the invitation link. */
  token: string;
}

export interface AcceptInvitationArguments {
  /** The secret at the end of the invitation link. */
  token: string;
  /** Needed without an account. */
  full_name?: string;
  /** For your new account. */
  password?: string;
}

export interface ChangeMeArguments {
  /** Your name. */
  full_name?: string;
  /** A new password; your other sessions end. */
  password?: {
    /** The one you have. */
    current: string;
    /** The one you want. */
    new: string;
  };
}

export interface EraseMyAccountArguments {
  /** Your password, to be sure. */
  password?: string;
  /** Without a password: the code of send_proof_code. */
  code?: string;
}

export interface RemoveTotpArguments {
  /** Your password. */
  password?: string;
  /** Without a password: the code of send_proof_code. */
  code?: string;
}

export interface ConfirmTotpArguments {
  /** Six digits of your authenticator. */
  code: string;
}

export interface EndMySessionArguments {
  /** Yours, as list_my_sessions shows it. */
  session_id: string;
}

export interface CreateMyTokenArguments {
  /** Such as the program that uses it. */
  name: string;
  /** Within scope_ceiling of get_workspace. */
  scopes: Scope[];
  /** When it ends; null or left out: never. */
  expires_at?: string | null;
  /** The agent that acts with it; others read `name (for person)`. */
  agent_id?: string | null;
}

export interface RevokeMyTokenArguments {
  /** Yours, as list_my_tokens shows it. */
  token_id: string;
}

export interface SignInAndTokensMethods {
  /**
   * Mail yourself a password reset link.
   * The answer is the same whether there is an account or not.
   */
  requestPasswordReset(
    fields: RequestPasswordResetArguments,
    options?: CallOptions,
  ): Promise<{
    success: boolean;
  }>;

  /**
   * Sign in and open a session.
   * Sets the session cookie; with two factors, answer_sign_in_challenge comes first. Programs use a personal
   * access token.
   */
  signIn(fields: SignInArguments, options?: CallOptions): Promise<SignedIn | CodeWanted>;

  /**
   * Sign out.
   * Ends the session on every node.
   */
  signOut(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * Finish a sign-in with a code.
   * With a code of your authenticator, or a recovery code. A code works once; five wrong ones end the
   * challenge.
   */
  answerSignInChallenge(fields: AnswerSignInChallengeArguments, options?: CallOptions): Promise<SignedIn>;

  /**
   * Finish signing in at the provider.
   * For a browser: leads to the dashboard, or to the sign-in page for a code or the error.
   */
  finishOidcSignIn(fields?: FinishOidcSignInArguments, options?: CallOptions): Promise<void>;

  /**
   * Start signing in at your organization's provider.
   * For a browser: leads to the provider, and back to finish_oidc_sign_in.
   */
  startOidcSignIn(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * Set a new password with a mailed link.
   * Takes the secret of a mailed link, which works once. Sign in with the new password afterwards.
   */
  resetPassword(fields: ResetPasswordArguments, options?: CallOptions): Promise<{
    success: boolean;
  }>;

  /**
   * Get the current session.
   * Returns the person, the workspace, the role and its scopes.
   */
  getSession(fields?: NoArguments, options?: CallOptions): Promise<Session>;

  /**
   * Switch to another workspace of yours.
   * Opens a session of that workspace and ends this one.
   */
  switchWorkspace(fields: SwitchWorkspaceArguments, options?: CallOptions): Promise<SignedIn>;

  /**
   * Get the content of an invitation.
   * Returns the workspace, the inviter, the invited address and the role.
   */
  getInvitation(fields: GetInvitationArguments, options?: CallOptions): Promise<InvitationOffer>;

  /**
   * Accept an invitation.
   * Accepts with your session, or creates a new person with `full_name` and `password`.
   */
  acceptInvitation(fields: AcceptInvitationArguments, options?: CallOptions): Promise<AcceptedInvitation>;

  /**
   * Get your account.
   * Returns your role here, your other workspaces and how you sign in.
   */
  getMe(fields?: NoArguments, options?: CallOptions): Promise<Me>;

  /**
   * Change your name or your password.
   * Omitted fields keep their value. A new password ends your other sessions, not your tokens. A wrong
   * current one counts as a failed sign-in.
   */
  changeMe(fields?: ChangeMeArguments, options?: CallOptions): Promise<Me>;

  /**
   * Erase your account.
   * Ends your sessions and tokens, then deletes your name, addresses, photos and mailbox. Your texts stay
   * under `Former member`.
   */
  eraseMyAccount(fields?: EraseMyAccountArguments, options?: CallOptions): Promise<AcceptedErasure>;

  /**
   * Export your personal data.
   * Over all workspaces; never a secret.
   */
  exportMyData(fields?: NoArguments, options?: CallOptions): Promise<PersonalData>;

  /**
   * Start setting up two-factor sign-in.
   * Nothing changes before confirm_totp. Another call returns another secret.
   */
  beginTotp(fields?: NoArguments, options?: CallOptions): Promise<TotpSecret>;

  /**
   * Remove two-factor sign-in.
   * Also removes the recovery codes. Workspaces that require two factors refuse you afterwards.
   */
  removeTotp(fields?: RemoveTotpArguments, options?: CallOptions): Promise<void>;

  /**
   * Finish setting up two-factor sign-in.
   * Sign-in asks for a code then. Each recovery code replaces one once; they are shown this once.
   */
  confirmTotp(fields: ConfirmTotpArguments, options?: CallOptions): Promise<RecoveryCodes>;

  /**
   * Mail yourself a code to use instead of a password.
   * Mails eight digits for erase_my_account and remove_totp. They work once, for ten minutes.
   */
  sendProofCode(fields?: NoArguments, options?: CallOptions): Promise<SentProof>;

  /**
   * List your sessions.
   * Of all workspaces, newest first. You have at most 50.
   */
  listMySessions(fields?: NoArguments, options?: CallOptions): Promise<OwnSessions>;

  /**
   * End all your other sessions.
   * Ends all your sessions but this one, on every node.
   */
  endMyOtherSessions(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * End one of your sessions.
   * Takes effect at once on every node. Ending the current one signs you out.
   */
  endMySession(fields: EndMySessionArguments, options?: CallOptions): Promise<void>;

  /**
   * Describe the credential of this request.
   * Returns its person, workspace, role, scopes and expiry. Call this first when a request is refused.
   */
  getCredential(fields?: NoArguments, options?: CallOptions): Promise<Credential>;

  /**
   * List your tokens in this workspace.
   * Returns names, scopes and last use, but never the text.
   */
  listMyTokens(fields?: NoArguments, options?: CallOptions): Promise<TokenList>;

  /**
   * Create a token and show its text once.
   * It can do what you can, within its scopes. A token of an agent ends with the agent.
   */
  createMyToken(fields: CreateMyTokenArguments, options?: CallOptions): Promise<NewToken>;

  /**
   * Revoke one of your tokens.
   * Takes effect at once on every node and ends the streams that it opened.
   */
  revokeMyToken(fields: RevokeMyTokenArguments, options?: CallOptions): Promise<void>;
}

export const signInAndTokens = {
  requestPasswordReset: {
    method: 'POST',
    path: '/api/v1/auth/forgot-password',
    body: ['email'],
    needsBody: true,
  },
  signIn: {
    method: 'POST',
    path: '/api/v1/auth/login',
    body: ['email', 'password', 'brand_id'],
    needsBody: true,
  },
  signOut: { method: 'POST', path: '/api/v1/auth/logout', answer: 'nothing' },
  answerSignInChallenge: {
    method: 'POST',
    path: '/api/v1/auth/mfa',
    body: ['challenge', 'code'],
    needsBody: true,
  },
  finishOidcSignIn: {
    method: 'GET',
    path: '/api/v1/auth/oidc/callback',
    query: ['code', 'state', 'iss', 'error'],
    answer: 'nothing',
  },
  startOidcSignIn: { method: 'GET', path: '/api/v1/auth/oidc/start', answer: 'nothing' },
  resetPassword: {
    method: 'POST',
    path: '/api/v1/auth/reset-password',
    body: ['token', 'password'],
    needsBody: true,
  },
  getSession: { method: 'GET', path: '/api/v1/auth/session' },
  switchWorkspace: { method: 'POST', path: '/api/v1/auth/switch', body: ['brand_id'], needsBody: true },
  getInvitation: { method: 'GET', path: '/api/v1/invitations/{token}' },
  acceptInvitation: {
    method: 'POST',
    path: '/api/v1/invitations/{token}/accept',
    body: ['full_name', 'password'],
  },
  getMe: { method: 'GET', path: '/api/v1/me' },
  changeMe: { method: 'PATCH', path: '/api/v1/me', body: ['full_name', 'password'] },
  eraseMyAccount: { method: 'DELETE', path: '/api/v1/me', body: ['password', 'code'] },
  exportMyData: { method: 'GET', path: '/api/v1/me/export' },
  beginTotp: { method: 'POST', path: '/api/v1/me/mfa/totp' },
  removeTotp: {
    method: 'DELETE',
    path: '/api/v1/me/mfa/totp',
    body: ['password', 'code'],
    answer: 'nothing',
  },
  confirmTotp: { method: 'POST', path: '/api/v1/me/mfa/totp/confirm', body: ['code'], needsBody: true },
  sendProofCode: { method: 'POST', path: '/api/v1/me/proof' },
  listMySessions: { method: 'GET', path: '/api/v1/me/sessions' },
  endMyOtherSessions: { method: 'DELETE', path: '/api/v1/me/sessions', answer: 'nothing' },
  endMySession: { method: 'DELETE', path: '/api/v1/me/sessions/{session_id}', answer: 'nothing' },
  getCredential: { method: 'GET', path: '/api/v1/me/token' },
  listMyTokens: { method: 'GET', path: '/api/v1/me/tokens' },
  createMyToken: {
    method: 'POST',
    path: '/api/v1/me/tokens',
    body: ['name', 'scopes', 'expires_at', 'agent_id'],
    needsBody: true,
    creates: true,
  },
  revokeMyToken: { method: 'DELETE', path: '/api/v1/me/tokens/{token_id}', answer: 'nothing' },
} as const satisfies Record<string, Operation>;
