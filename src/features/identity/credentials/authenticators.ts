import type { Db } from '../../../database/database.js';
import type { Authenticators } from '../../../http/authentication.js';
import { TOKEN_PREFIX } from '../../../http/authentication.js';
import {
  DEFAULT_SCOPE_CEILING,
  type Role,
  SCOPES,
  type Scope,
  type SessionCaller,
  type TokenCaller,
} from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { equalSecrets, isWellFormedToken, sha256Hex } from '../../../kernel/secrets.js';
import { credentialStore, type PersonRow, type SessionRow, type TokenRow } from './credentials.store.js';
import type { IdentityCache } from './identity-cache.js';
import type { TokenUses } from './token-uses.js';

interface AuthenticatorOptions {
  db: Db;
  clock: Clock;
  tokens: IdentityCache<TokenCaller>;
  sessions: IdentityCache<SessionCaller>;
  uses: TokenUses;
  adminKey: string;
}

export function identityAuthenticators(
  options: AuthenticatorOptions,
): Omit<Authenticators, 'desk' | 'build'> {
  const { db, clock, tokens, sessions, uses, adminKey } = options;
  const credentials = credentialStore(db);
  const loadToken = async (hash: string) => describeToken(await credentials.findToken(hash));
  const loadSession = async (hash: string) => describeSession(await credentials.findSession(hash));
  const isExpired = ({ expiresAt }: { expiresAt: Date | null }) =>
    expiresAt !== null && expiresAt <= clock.now();

  return {
    async pat(token) {
      if (!isWellFormedToken(TOKEN_PREFIX, token)) return undefined;
      const caller = await tokens.find(sha256Hex(token), loadToken);
      if (!caller || isExpired(caller)) return undefined;
      uses.note(caller.tokenId, clock.now());
      return caller;
    },
    async session(secret) {
      if (secret.length > 128) return undefined;
      const caller = await sessions.find(sha256Hex(secret), loadSession);
      return caller && !isExpired(caller) ? caller : undefined;
    },
    isAdminKey: (key) => equalSecrets(key, adminKey),
  };
}

export const describePerson = (row: PersonRow) => ({
  userId: row.user_id,
  fullName: row.full_name,
  email: row.email,
  staff: row.kind === 'staff',
  brandId: row.brand_id,
  brandName: row.brand_name,
  plan: row.plan,
  scopeCeiling: row.scope_ceiling,
});

function describeToken(row: TokenRow | undefined): TokenCaller | undefined {
  if (!row) return undefined;
  return {
    ...describePerson(row),
    kind: 'pat',
    tokenId: row.token_id,
    role: row.role,
    scopes: row.scopes.filter((scope) => row.scope_ceiling.includes(scope)),
    expiresAt: row.expires_at,
  };
}

function describeSession(row: SessionRow | undefined): SessionCaller | undefined {
  if (!row) return undefined;
  return {
    ...describePerson(row),
    kind: 'session',
    sessionId: row.session_id,
    role: row.role,
    scopes: scopesOfRole(row.role),
    expiresAt: row.expires_at,
  };
}

const scopesOfRole = (role: Role): readonly Scope[] =>
  ({ admin: SCOPES, member: DEFAULT_SCOPE_CEILING, guest: [] })[role];
