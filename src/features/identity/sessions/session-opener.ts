import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { sessionStore, type Workplace } from '../credentials/sessions.store.js';
import { signInRefused } from '../identity.errors.js';
import { guestAccessStore } from '../members/guests.store.js';
import { membershipStore } from '../members/members.store.js';
import { personStore } from '../people/people.store.js';
import { type SessionLifetimes, sessionEnd } from './session-lifetimes.js';
import type { Visitor } from './visitor.js';

const MOST_SESSIONS = 50;

export type OpenSession = ReturnType<typeof createSessionOpener>;

interface NewSession {
  userId: number;
  workplace: Workplace;
  visitor: Visitor;
  /** What proved who it is, for the record. */
  by: 'password' | 'totp' | 'recovery-code' | 'oidc' | 'switch';
  /** Whether it began at the provider, when something else came after that. */
  byProvider?: boolean;
  /** Of the session that this one follows. */
  signedInAt?: Date;
}

interface OpenerOptions {
  clock: Clock;
  changeIdentities: ChangeIdentities;
  lifetimes: SessionLifetimes;
}

/** The one way a session comes into being. Answers its secret, of which only the digest is kept. */
export function createSessionOpener({ clock, changeIdentities, lifetimes }: OpenerOptions) {
  return async (tx: Tx, opened: NewSession): Promise<string> => {
    const { userId, workplace, visitor, by, byProvider = by === 'oidc', signedInAt } = opened;
    const { brand_id, role } = workplace;
    const now = clock.now();
    const secret = randomSecret();
    // A new password, or the end of all sessions, comes wholly before this session or after it, and then ends it.
    await personStore(tx).hold(userId);
    // Who leaves at this moment leaves after the session is there, and takes it along.
    const belongs =
      role === 'guest'
        ? await guestAccessStore(tx, brand_id).holdGuest(userId)
        : await membershipStore(tx, brand_id).holdRole(userId);
    if (!belongs) throw signInRefused();
    const store = sessionStore(tx);
    if ((await store.makeRoom(userId, MOST_SESSIONS, now)) > 0) await changeIdentities(async () => {}, tx);
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
      address: visitor.address,
      agent: visitor.agent,
      by_provider: byProvider,
    });
    await recordAudit(tx, {
      brandId: brand_id,
      actor: { kind: 'session', userId },
      action: 'session.opened',
      subject: `user:${userId}`,
      details: { by },
      at: now,
      address: visitor.address,
      credential: `session:${sessionId}`,
    });
    return secret;
  };
}
