import type {
  AcceptInvitationArguments,
  CreateMyTokenArguments,
  Session,
  SignInArguments,
  TokenList,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

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

export const signIn = (credentials: SignInArguments) => guildhall.signIn(credentials);

export const signOut = () => guildhall.signOut();

export const resetPassword = (token: string, password: string) =>
  guildhall.resetPassword({ token, password });

export const acceptInvitation = (token: string, person: Omit<AcceptInvitationArguments, 'token'>) =>
  guildhall.acceptInvitation({ ...person, token });

export const listTokens = (signal?: AbortSignal) => guildhall.listMyTokens({}, { signal });

export const createToken = (token: CreateMyTokenArguments) => guildhall.createMyToken(token);

export const revokeToken = (token_id: string) => guildhall.revokeMyToken({ token_id });
