import {
  DEFAULT_SCOPE_CEILING,
  type Role,
  SCOPES,
  type Scope,
  type SessionCaller,
  type TokenCaller,
} from '../../../kernel/access.js';
import { soon } from '../../../kernel/async.js';
import { type Clock, MINUTE } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { isOneOfSecrets, isWellFormedToken, sha256Hex } from '../../../kernel/secrets.js';
import type { Db } from '../../../platform/database/database.js';
import { type Authenticators, TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import type { CredentialCache, UseRecorder } from '../credentials/credential-cache.js';
import {
  credentialStore,
  type PersonRow,
  type SessionRow,
  type TokenRow,
} from '../credentials/credentials.store.js';
import type { SessionUse } from '../credentials/sessions.store.js';
import { TOO_MANY_ATTEMPTS } from '../identity.errors.js';
import { type SessionLifetimes, sessionEnd } from './session-opener.js';

/** A session's use is recorded at most this often. */
const RECORDED_EVERY_MS = 60_000;
const LONGEST_CREDENTIAL = 128;

export interface CachedSession {
  caller: SessionCaller;
  signedInAt: Date;
  lastSeenAt: Date;
}

interface AuthenticatorOptions {
  db: Db;
  clock: Clock;
  tokens: CredentialCache<TokenCaller>;
  sessions: CredentialCache<CachedSession>;
  lifetimes: SessionLifetimes;
  tokenUses: UseRecorder<Date>;
  sessionUses: UseRecorder<SessionUse>;
}

export function identityAuthenticators(
  options: AuthenticatorOptions,
): Pick<Authenticators, 'pat' | 'session'> {
  const { db, clock, tokens, sessions, lifetimes, tokenUses, sessionUses } = options;
  const credentials = credentialStore(db);
  const loadSession = async (hash: string) => {
    const row = await credentials.findSession(hash);
    return row && describeSession(row);
  };
  const isOver = (session: CachedSession) => sessionEnd(lifetimes, session) <= clock.now();

  const findSession = (hash: string) =>
    soon(sessions.find(hash, loadSession), (cached) => {
      if (!cached || !isOver(cached)) return cached;
      // Another node may have recorded a use since this one read the session.
      sessions.forget(hash);
      return soon(sessions.find(hash, loadSession), (present) =>
        present && !isOver(present) ? present : undefined,
      );
    });

  function recordUse(session: CachedSession): void {
    const now = clock.now();
    if (now.getTime() - session.lastSeenAt.getTime() < RECORDED_EVERY_MS) return;
    session.lastSeenAt = now;
    const expiresAt = sessionEnd(lifetimes, session);
    session.caller = { ...session.caller, expiresAt };
    sessionUses.add(session.caller.sessionId, { at: now, expiresAt });
  }

  /** Computes the end from the current configuration and unwritten uses instead of the stored end. */
  function describeSession(row: SessionRow): CachedSession {
    const stored = row.last_seen_at ?? row.created_at;
    const unwritten = sessionUses.latest(row.session_id)?.at;
    const times = {
      signedInAt: row.signed_in_at ?? row.created_at,
      lastSeenAt: unwritten && unwritten > stored ? unwritten : stored,
    };
    return {
      ...times,
      caller: {
        ...describePerson(row),
        kind: 'session',
        sessionId: row.session_id,
        role: row.role,
        scopes: scopesOfRole(row.role),
        expiresAt: sessionEnd(lifetimes, times),
      },
    };
  }

  return {
    pat(token) {
      if (token.length > LONGEST_CREDENTIAL) return undefined;
      // A cached token is well-formed, so only uncached tokens are checked.
      const load = async (hash: string) => {
        if (!isWellFormedToken(TOKEN_PREFIX, token)) return undefined;
        const row = await credentials.findToken(hash);
        return row && describeToken(row);
      };
      return soon(tokens.find(sha256Hex(token), load), (caller) => {
        const now = clock.now();
        if (!caller || (caller.expiresAt && caller.expiresAt <= now)) return undefined;
        tokenUses.add(caller.tokenId, now);
        return caller;
      });
    },
    session(secret) {
      if (secret.length > LONGEST_CREDENTIAL) return undefined;
      return soon(findSession(sha256Hex(secret)), (session) => {
        if (session) recordUse(session);
        return session?.caller;
      });
    },
  };
}

export const describePerson = (row: PersonRow) => ({
  userId: row.user_id,
  fullName: row.full_name,
  email: row.email,
  staff: row.kind === 'staff',
  agent: null,
  mfaMissing: row.mfa_missing,
  brandId: row.brand_id,
  brandName: row.brand_name,
  plan: row.plan,
  scopeCeiling: row.scope_ceiling,
});

const describeToken = (row: TokenRow): TokenCaller => ({
  ...describePerson(row),
  kind: 'pat',
  tokenId: row.token_id,
  role: row.role,
  agent: row.agent_id === null ? null : { agentId: row.agent_id, name: row.agent_name ?? row.agent_id },
  scopes: row.scopes.filter((scope) => row.scope_ceiling.includes(scope)),
  expiresAt: row.expires_at,
});

const scopesOfRole = (role: Role): readonly Scope[] =>
  ({ admin: SCOPES, member: DEFAULT_SCOPE_CEILING, guest: [] })[role];

/** An address with too many wrong keys is refused even with the right key, or guessing would find it. */
export function createAdminKeyCheck(adminKeys: readonly string[], rateLimits: RateLimits, log: Log) {
  const wrongKeys = rateLimits.limiter('admin-key', {
    points: 100,
    durationSeconds: 15 * MINUTE,
    detail: TOO_MANY_ATTEMPTS,
    ofAddresses: true,
  });

  return async (key: string, address: string): Promise<boolean> => {
    if (isOneOfSecrets(key, adminKeys)) {
      await wrongKeys.check(address);
      return true;
    }
    await wrongKeys.take(address);
    log.warn({ address }, 'A wrong admin key was refused');
    return false;
  };
}
