import { secondsFrom } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { IdentityContext } from '../credentials/identity-changes.js';
import { type SignInWorkspace, sessionStore } from '../credentials/sessions.store.js';
import type { SignInAudit } from '../credentials/sign-in-audit.js';
import { signInRefused } from '../identity.errors.js';
import { guestAccessStore, membershipStore } from '../people/members.store.js';
import { personStore } from '../people/people.store.js';
import type { FailedAttempts } from './failed-attempts.js';
import type { ClientInfo } from './sign-in-cookies.js';

export interface SessionLifetimes {
  /** From the last use. */
  idleSeconds: number;
  /** From the sign-in. */
  maxSeconds: number;
}

export function sessionEnd(
  { idleSeconds, maxSeconds }: SessionLifetimes,
  { signedInAt, lastSeenAt }: { signedInAt: Date; lastSeenAt: Date },
): Date {
  const unused = secondsFrom(lastSeenAt, idleSeconds);
  const latest = secondsFrom(signedInAt, maxSeconds);
  return unused < latest ? unused : latest;
}

const MOST_SESSIONS = 50;

export type OpenSession = ReturnType<typeof createSessionOpener>;

export interface SignInContext extends IdentityContext {
  secrets: SecretBox;
  failures: FailedAttempts;
  signInAudit: SignInAudit;
  openSession: OpenSession;
}

interface NewSession {
  userId: number;
  workspace: SignInWorkspace;
  client: ClientInfo;
  /** How the person proved their identity, for the audit log. */
  by: 'password' | 'totp' | 'recovery-code' | 'oidc' | 'switch';
  byProvider?: boolean;
  /** Of the session that this one replaces. */
  signedInAt?: Date;
}

type OpenerContext = Pick<IdentityContext, 'clock' | 'changeIdentities'>;

/** The only way to create a session. Returns its secret, of which only the digest is stored. */
export function createSessionOpener({ clock, changeIdentities }: OpenerContext, lifetimes: SessionLifetimes) {
  return async (tx: Tx, opened: NewSession): Promise<string> => {
    const { userId, workspace, client, by, byProvider = by === 'oidc', signedInAt } = opened;
    const { brand_id, role } = workspace;
    const now = clock.now();
    const secret = randomSecret();
    // A concurrent password change or end of all sessions precedes this session, or follows and ends it.
    await personStore(tx).lock(userId);
    // Locks the membership: a person who leaves now does so after this session exists, which ends it.
    const belongs =
      role === 'guest'
        ? await guestAccessStore(tx, brand_id).lockGuest(userId)
        : await membershipStore(tx, brand_id).lockMembership(userId);
    if (!belongs) throw signInRefused();
    const store = sessionStore(tx);
    if ((await store.deleteExcess(userId, MOST_SESSIONS, now)) > 0)
      await changeIdentities(async () => {}, tx);
    const sessionId = newId();
    await store.insertSession({
      session_id: sessionId,
      secret_hash: sha256Hex(secret),
      user_id: userId,
      brand_id,
      created_at: now,
      signed_in_at: signedInAt ?? now,
      last_seen_at: now,
      expires_at: sessionEnd(lifetimes, { signedInAt: signedInAt ?? now, lastSeenAt: now }),
      address: client.address,
      agent: client.agent,
      by_provider: byProvider,
    });
    await recordAudit(tx, {
      brandId: brand_id,
      actor: { kind: 'session', userId },
      action: 'session.opened',
      subject: `user:${userId}`,
      details: { by },
      at: now,
      address: client.address,
      credential: `session:${sessionId}`,
    });
    return secret;
  };
}
