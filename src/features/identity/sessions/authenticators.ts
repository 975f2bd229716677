import {
  DEFAULT_SCOPE_CEILING,
  type Role,
  SCOPES,
  type Scope,
  type SessionCaller,
  type TokenCaller,
} from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { isWellFormedToken, sha256Hex } from '../../../kernel/secrets.js';
import { soon } from '../../../kernel/soon.js';
import type { Db } from '../../../platform/database/database.js';
import type { Authenticators } from '../../../platform/http/request/authentication.js';
import { TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import {
  credentialStore,
  type PersonRow,
  type SessionRow,
  type TokenRow,
} from '../credentials/credentials.store.js';
import type { IdentityCache } from '../credentials/identity-cache.js';
import type { SessionUse } from '../credentials/sessions.store.js';
import type { Uses } from '../credentials/uses.js';
import { type SessionLifetimes, sessionEnd } from './session-lifetimes.js';

/** A use is noted once in a while: when exactly within it tells nobody anything. */
const NOTED_EVERY_MS = 60_000;
const LONGEST_TOKEN = 128;

/** A session and what its end depends on. */
export interface RememberedSession {
  caller: SessionCaller;
  signedInAt: Date;
  lastSeenAt: Date;
}

interface AuthenticatorOptions {
  db: Db;
  clock: Clock;
  tokens: IdentityCache<TokenCaller>;
  sessions: IdentityCache<RememberedSession>;
  lifetimes: SessionLifetimes;
  tokenUses: Uses<Date>;
  sessionUses: Uses<SessionUse>;
}

export function identityAuthenticators(
  options: AuthenticatorOptions,
): Pick<Authenticators, 'pat' | 'session'> {
  const { db, clock, tokens, sessions, lifetimes, tokenUses, sessionUses } = options;
  const credentials = credentialStore(db);
  const loadToken = async (hash: string) => describeToken(await credentials.findToken(hash));
  const loadSession = async (hash: string) => {
    const row = await credentials.findSession(hash);
    return row && describeSession(row);
  };
  const isExpired = ({ expiresAt }: { expiresAt: Date | null }) =>
    expiresAt !== null && expiresAt <= clock.now();

  const isOver = (session: RememberedSession) => sessionEnd(lifetimes, session) <= clock.now();

  const findSession = (hash: string) =>
    soon(sessions.find(hash, loadSession), (known) => {
      if (!known || !isOver(known)) return known;
      // It may have been used on another node since this one looked.
      sessions.forget(hash);
      return soon(sessions.find(hash, loadSession), (present) =>
        present && !isOver(present) ? present : undefined,
      );
    });

  function noteUse(session: RememberedSession): void {
    const now = clock.now();
    if (now.getTime() - session.lastSeenAt.getTime() < NOTED_EVERY_MS) return;
    session.lastSeenAt = now;
    const expiresAt = sessionEnd(lifetimes, session);
    session.caller = { ...session.caller, expiresAt };
    sessionUses.note(session.caller.sessionId, { at: now, expiresAt });
  }

  /** What is stored was reckoned with the lifetimes of that day, and without the uses that wait to be written; those of now count. */
  function describeSession(row: SessionRow): RememberedSession {
    const stored = row.last_seen_at ?? row.created_at;
    const noted = sessionUses.latest(row.session_id)?.at;
    const session = {
      signedInAt: row.signed_in_at ?? row.created_at,
      lastSeenAt: noted && noted > stored ? noted : stored,
    };
    return { ...session, caller: describeSessionCaller(row, sessionEnd(lifetimes, session)) };
  }

  return {
    pat(token) {
      if (token.length > LONGEST_TOKEN) return undefined;
      // What is known is well-formed: only what has to be looked up is judged first.
      const load = async (hash: string) =>
        isWellFormedToken(TOKEN_PREFIX, token) ? loadToken(hash) : undefined;
      return soon(tokens.find(sha256Hex(token), load), (caller) => {
        if (!caller || isExpired(caller)) return undefined;
        tokenUses.note(caller.tokenId, clock.now());
        return caller;
      });
    },
    session(secret) {
      if (secret.length > 128) return undefined;
      return soon(findSession(sha256Hex(secret)), (session) => {
        if (session) noteUse(session);
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

function describeToken(row: TokenRow | undefined): TokenCaller | undefined {
  if (!row) return undefined;
  return {
    ...describePerson(row),
    kind: 'pat',
    tokenId: row.token_id,
    role: row.role,
    agent: row.agent_id === null ? null : { agentId: row.agent_id, name: row.agent_name ?? row.agent_id },
    scopes: row.scopes.filter((scope) => row.scope_ceiling.includes(scope)),
    expiresAt: row.expires_at,
  };
}

const describeSessionCaller = (row: SessionRow, expiresAt: Date): SessionCaller => ({
  ...describePerson(row),
  kind: 'session',
  sessionId: row.session_id,
  role: row.role,
  scopes: scopesOfRole(row.role),
  expiresAt,
});

const scopesOfRole = (role: Role): readonly Scope[] =>
  ({ admin: SCOPES, member: DEFAULT_SCOPE_CEILING, guest: [] })[role];
