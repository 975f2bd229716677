import { call, segment } from './client.js';

export type Role = 'admin' | 'member' | 'guest';
export const SCOPES = ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'] as const;

export interface Session {
  user: { user_id: number; email: string; full_name: string };
  brand: { brand_id: number; name: string };
  role: Role;
  scopes: string[];
}

export interface Token {
  token_id: string;
  name: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

export const readSession = (signal?: AbortSignal) => call<Session>('GET', '/api/v1/auth/session', { signal });

type SignedIn = Omit<Session, 'scopes'>;

/** Somebody with two-factor sign-in is asked for a code before there is a session. */
export const signIn = (body: { email: string; password: string; brand_id?: number }) =>
  call<SignedIn | { mfa_required: true; challenge: string }>('POST', '/api/v1/auth/login', { body });

export const answerChallenge = (challenge: string, code: string) =>
  call<SignedIn>('POST', '/api/v1/auth/mfa', { body: { challenge, code } });

export const requestPasswordReset = (email: string) =>
  call<unknown>('POST', '/api/v1/auth/forgot-password', { body: { email } });

export interface Me {
  mfa: { totp: boolean; recovery_codes_left: number };
  sign_in: ('password' | 'oidc')[];
}

export const readMe = (signal?: AbortSignal) => call<Me>('GET', '/api/v1/me', { signal });

export const changePassword = (current: string, wished: string) =>
  call<Me>('PATCH', '/api/v1/me', { body: { password: { current, new: wished } } });

export const beginTotp = () => call<{ secret: string; uri: string }>('POST', '/api/v1/me/mfa/totp');

export const confirmTotp = (code: string) =>
  call<{ recovery_codes: string[] }>('POST', '/api/v1/me/mfa/totp/confirm', { body: { code } });

export const removeTotp = (password: string) =>
  call<void>('DELETE', '/api/v1/me/mfa/totp', { body: { password } });

export const signOut = () => call<void>('POST', '/api/v1/auth/logout');

export const resetPassword = (token: string, password: string) =>
  call<unknown>('POST', '/api/v1/auth/reset-password', { body: { token, password } });

export interface InvitationOffer {
  brand: { name: string };
  inviter: { name: string | null };
  email: string;
  role: Role;
  new_person: boolean;
}

export const readInvitation = (token: string, signal?: AbortSignal) =>
  call<InvitationOffer>('GET', `/api/v1/invitations/${segment(token)}`, { signal });

export const acceptInvitation = (token: string, body: { full_name?: string; password?: string }) =>
  call<{ brand_id: number; role: Role }>('POST', `/api/v1/invitations/${segment(token)}/accept`, { body });

export const listTokens = (signal?: AbortSignal) =>
  call<{ tokens: Token[]; total: number }>('GET', '/api/v1/me/tokens', { signal });

export const createToken = (body: { name: string; scopes: string[]; expires_at: string | null }) =>
  call<Token & { token: string }>('POST', '/api/v1/me/tokens', { body });

export const revokeToken = (tokenId: string) => call<void>('DELETE', `/api/v1/me/tokens/${segment(tokenId)}`);
