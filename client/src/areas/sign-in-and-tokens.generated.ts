// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { AcceptedErasure, TokenScope } from './shared.generated.js';

export interface AcceptedInvitation {
  brand_id: number;
  role: 'admin' | 'member' | 'guest';
}

export interface CodeWanted {
  mfa_required: true;
  /** Sent back with a code to answer_sign_in_challenge. */
  challenge: string;
}

export interface Credential {
  kind: 'pat' | 'session';
  user_id: number;
  brand_id: number;
  role: 'admin' | 'member' | 'guest';
  scopes: TokenScope[];
  expires_at: string | null;
  last_used_at: string | null;
}

export interface InvitationOffer {
  brand: {
    name: string;
  };
  inviter: {
    name: string | null;
  };
  /** The address that was invited; only its owner can accept. */
  email: string;
  role: 'admin' | 'member' | 'guest';
  /** Whether accepting asks for a name and a password; else for the session of the person. */
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

export interface OwnSessions {
  sessions: {
    session_id: string;
    created_at: string;
    last_seen_at: string;
    address: string | null;
    /** What the browser or program calls itself, cut. */
    agent: string | null;
    /** Whether it is the session of this request. */
    current: boolean;
  }[];
  total: number;
}

export interface PersonalData {
  exported_at: string;
  /** Name, address and kind of the account. */
  profile: Record<string, unknown>;
  /** Where the person is or was a member, with role, position and photo. */
  workspaces: Record<string, unknown>[];
  /** What they can open as a guest. */
  guest_access: Record<string, unknown>[];
  /** Where they are signed in; never the secret of a session. */
  sessions: Record<string, unknown>[];
  /** Two-factor sign-in and providers by which they sign in; never a secret. */
  sign_in: Record<string, unknown>[];
  /** Their access tokens, revoked ones too; never their text. */
  tokens: Record<string, unknown>[];
  /** Invitations to their address. */
  invitations: Record<string, unknown>[];
  /** Every name of theirs on the mail domain. */
  mail_addresses: Record<string, unknown>[];
  /** Cards they made or are assigned to, as far as they can open them. */
  cards: Record<string, unknown>[];
  /** What they wrote on cards. */
  comments: Record<string, unknown>[];
  /** What they did on boards. */
  activity: Record<string, unknown>[];
  /** What they did to memories, without the texts: those are the workspace’s. */
  memory_changes: Record<string, unknown>[];
  /** What waits or waited for them. */
  inbox: Record<string, unknown>[];
  /** The views they keep. */
  saved_views: Record<string, unknown>[];
  /** What the audit has of them, with addresses and credentials. */
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
  scopes: TokenScope[];
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

export interface TotpSecret {
  /** Base32, to be typed into an authenticator. */
  secret: string;
  /** `otpauth://…`, to be shown to an authenticator as a picture. */
  uri: string;
}

export interface RequestPasswordResetArguments {
  /** The address you sign in with. */
  email: string;
}

export interface SignInArguments {
  /** The address you sign in with. */
  email: string;
  /** Your password. */
  password: string;
  /** The workspace to sign in to, when you belong to several. */
  brand_id?: number;
}

export interface AnswerSignInChallengeArguments {
  /** The `challenge` that sign_in answered; it lives for ten minutes. */
  challenge: string;
  /** Six digits of your authenticator, or one of your recovery codes. */
  code: string;
}

export interface FinishOidcSignInArguments {
  /** What the provider exchanges for its word about the person. */
  code?: string;
  /** What the sign-in was begun with. */
  state?: string;
  /** Who the provider is. */
  iss?: string;
  /** Why the provider did not sign the person in. */
  error?: string;
}

export interface ResetPasswordArguments {
  /** The secret at the end of the mailed link. */
  token: string;
  /** The new password, 8 to 128 characters. */
  password: string;
}

export interface SwitchWorkspaceArguments {
  /** Another workspace of yours, as get_me lists it. */
  brand_id: number;
}

export interface GetInvitationArguments {
  /** The secret at the end of the invitation link. */
  token: string;
}

export interface AcceptInvitationArguments {
  /** The secret at the end of the invitation link. */
  token: string;
  /**
   * Your name; needed when you have no account yet. It must not be blank and must not contain line breaks or
   * other control characters.
   */
  full_name?: string;
  /** The password of your new account, 8 to 128 characters. */
  password?: string;
}

export interface ChangeMeArguments {
  /**
   * Your name as others see it. It must not be blank and must not contain line breaks or other control
   * characters.
   */
  full_name?: string;
  /** A new password; all your other sessions end with it. */
  password?: {
    /** The password you have. */
    current: string;
    /** The password you want: 8 to 128 characters. */
    new: string;
  };
}

export interface EraseMyAccountArguments {
  /** Your password, to be sure it is you. */
  password?: string;
  /** Without a password: the code that send_proof_code mailed you. */
  code?: string;
}

export interface RemoveTotpArguments {
  /** Your password. */
  password?: string;
  /** Without a password: the code that send_proof_code mailed you. */
  code?: string;
}

export interface ConfirmTotpArguments {
  /** Six digits that your authenticator shows for the secret. */
  code: string;
}

export interface EndMySessionArguments {
  /** One of your sessions, as list_my_sessions shows its session_id. */
  session_id: string;
}

export interface CreateMyTokenArguments {
  /** What tells it from your other tokens, such as the program that uses it. */
  name: string;
  /** What it may do; each must be within what the workspace allows. */
  scopes: TokenScope[];
  /** When it stops working; null or left out: never. */
  expires_at?: string | null;
}

export interface RevokeMyTokenArguments {
  /** One of your tokens, as list_my_tokens shows its token_id. */
  token_id: string;
}

export interface SignInAndTokensMethods {
  /**
   * Have a link mailed to choose a new password.
   * The answer is always the same, whether there is such an account or not. The letter is sent a moment
   * later, to people who have a password.
   */
  requestPasswordReset(
    fields: RequestPasswordResetArguments,
    options?: CallOptions,
  ): Promise<{
    success: boolean;
  }>;

  /**
   * Sign in and open a session.
   * Sets the session cookie for the dashboard; somebody with two-factor sign-in is asked for a code first
   * (answer_sign_in_challenge). Programs use a personal access token instead.
   */
  signIn(fields: SignInArguments, options?: CallOptions): Promise<SignedIn | CodeWanted>;

  /**
   * End the session.
   * The cookie is cleared and the session ends on every node.
   */
  signOut(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * Finish a sign-in with a code.
   * With the `challenge` of sign_in and a code of your authenticator, or a recovery code. A code works once;
   * five wrong ones end the challenge, and sign_in begins anew.
   */
  answerSignInChallenge(fields: AnswerSignInChallengeArguments, options?: CallOptions): Promise<SignedIn>;

  /**
   * Come back from the provider.
   * For a browser: opens the session and leads to the dashboard, or to the sign-in page, which then asks for
   * a code or says what went wrong.
   */
  finishOidcSignIn(fields?: FinishOidcSignInArguments, options?: CallOptions): Promise<void>;

  /**
   * Sign in by the provider of your organisation.
   * For a browser: leads to the provider, which leads back to finish_oidc_sign_in.
   */
  startOidcSignIn(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * Choose a new password with a mailed link.
   * With the secret of the link that send_password_reset or request_password_reset mailed. It works once;
   * sign in with the new password then.
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
   * Go on in another workspace of yours.
   * Opens a session of that workspace and ends this one.
   */
  switchWorkspace(fields: SwitchWorkspaceArguments, options?: CallOptions): Promise<SignedIn>;

  /**
   * What an invitation invites to.
   * The workspace, who invites, for which address, and as what. accept_invitation accepts it.
   */
  getInvitation(fields: GetInvitationArguments, options?: CallOptions): Promise<InvitationOffer>;

  /**
   * Accept an invitation and become a member or a guest.
   * As the invited person by session, or, for a new person, with `full_name` and `password`.
   */
  acceptInvitation(fields: AcceptInvitationArguments, options?: CallOptions): Promise<AcceptedInvitation>;

  /**
   * Who you are.
   * Your account, the workspace of this credential and your role in it, your other workspaces, and how you
   * sign in.
   */
  getMe(fields?: NoArguments, options?: CallOptions): Promise<Me>;

  /**
   * Change your name or your password.
   * What is left out stays. A new password ends all your other sessions; your access tokens stay. A wrong
   * current password counts as a failed sign-in.
   */
  changeMe(fields?: ChangeMeArguments, options?: CallOptions): Promise<Me>;

  /**
   * Erase your account.
   * You are signed out everywhere at once and your tokens end; then your name and addresses, photos and
   * mailbox go. What you wrote stays, under `Former member`.
   */
  eraseMyAccount(fields?: EraseMyAccountArguments, options?: CallOptions): Promise<AcceptedErasure>;

  /**
   * Everything that is known about you, as JSON.
   * Profile, workspaces, sessions, tokens without their text, mail addresses, cards, comments, activity and
   * audit, over all workspaces.
   */
  exportMyData(fields?: NoArguments, options?: CallOptions): Promise<PersonalData>;

  /**
   * Begin to set up two-factor sign-in.
   * A secret for your authenticator. Nothing changes before confirm_totp; asking again gives another secret.
   */
  beginTotp(fields?: NoArguments, options?: CallOptions): Promise<TotpSecret>;

  /**
   * Give up two-factor sign-in.
   * With your password, or without one a mailed code; a wrong one counts as a failed sign-in. The recovery
   * codes end too. A workspace that demands it shows you nothing until you set it up again.
   */
  removeTotp(fields?: RemoveTotpArguments, options?: CallOptions): Promise<void>;

  /**
   * Finish setting up two-factor sign-in.
   * With a code of the secret. From now on sign-in asks for a code. Keep the ten recovery codes: each
   * replaces a code once, and they are not shown again.
   */
  confirmTotp(fields: ConfirmTotpArguments, options?: CallOptions): Promise<RecoveryCodes>;

  /**
   * Have a code mailed that counts as your password.
   * For people without a password: eight digits, good once, for ten minutes, as `code` of erase_my_account
   * and remove_totp.
   */
  sendProofCode(fields?: NoArguments, options?: CallOptions): Promise<SentProof>;

  /**
   * Where you are signed in.
   * Your sessions in all workspaces, the newest first; at most 50 live at a time.
   */
  listMySessions(fields?: NoArguments, options?: CallOptions): Promise<OwnSessions>;

  /**
   * Sign out everywhere else.
   * Ends all your sessions but this one, on every node.
   */
  endMyOtherSessions(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * End one of your sessions.
   * It ends at once, on every node. Ending the one of this request signs you out.
   */
  endMySession(fields: EndMySessionArguments, options?: CallOptions): Promise<void>;

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
    body: ['name', 'scopes', 'expires_at'],
    needsBody: true,
    creates: true,
  },
  revokeMyToken: { method: 'DELETE', path: '/api/v1/me/tokens/{token_id}', answer: 'nothing' },
} as const satisfies Record<string, Operation>;
