import type {
  AcceptInvitationArguments,
  CreateMyTokenArguments,
  Session,
  SignInArguments,
  TokenList,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { InvitationOffer } from '../../../client/src/index.js';
export type { Session };
export type Scope = Session['scopes'][number];
export type Token = TokenList['tokens'][number];

export const SCOPES: readonly Scope[] = [
  'brand:read',
  'brand:admin',
  'memory:read',
  'memory:write',
  'code:read',
];

export const readSession = (signal?: AbortSignal) => guildhall.getSession({}, { signal });

/** With two-factor authentication the response is a challenge instead of a session. */
export const signIn = (credentials: SignInArguments) => guildhall.signIn(credentials);

export const answerChallenge = (challenge: string, code: string) =>
  guildhall.answerSignInChallenge({ challenge, code });

export const requestPasswordReset = (email: string) => guildhall.requestPasswordReset({ email });

export const readMe = (signal?: AbortSignal) => guildhall.getMe({}, { signal });

export const switchWorkspace = (brand_id: number) => guildhall.switchWorkspace({ brand_id });

export const changePassword = (current: string, newPassword: string) =>
  guildhall.changeMe({ password: { current, new: newPassword } });

export const rename = (full_name: string) => guildhall.changeMe({ full_name });

export const listSessions = (signal?: AbortSignal) => guildhall.listMySessions({}, { signal });

export const endSession = (session_id: string) => guildhall.endMySession({ session_id });

export const endOtherSessions = () => guildhall.endMyOtherSessions();

/** Confirms the user's identity for sensitive actions. */
export type Proof = { password: string } | { code: string };

export const sendProofCode = () => guildhall.sendProofCode();

export const eraseAccount = (proof: Proof) => guildhall.eraseMyAccount(proof);

export const beginTotp = () => guildhall.beginTotp();

export const confirmTotp = (code: string) => guildhall.confirmTotp({ code });

export const removeTotp = (proof: Proof) => guildhall.removeTotp(proof);

export const signOut = () => guildhall.signOut();

export const resetPassword = (token: string, password: string) =>
  guildhall.resetPassword({ token, password });

export const readInvitation = (token: string, signal?: AbortSignal) =>
  guildhall.getInvitation({ token }, { signal });

export const acceptInvitation = (token: string, person: Omit<AcceptInvitationArguments, 'token'>) =>
  guildhall.acceptInvitation({ ...person, token });

export const listTokens = (signal?: AbortSignal) => guildhall.listMyTokens({}, { signal });

export const createToken = (token: CreateMyTokenArguments) => guildhall.createMyToken(token);

export const revokeToken = (token_id: string) => guildhall.revokeMyToken({ token_id });
