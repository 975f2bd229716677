import type { SessionCaller } from '../../../kernel/access.js';
import { type Clock, HOUR, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { challengeStore } from '../credentials/mfa.store.js';
import { recordPersonAudit } from '../credentials/person-audit.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { linkNoLongerValid } from '../identity.errors.js';
import { hashNewPassword } from '../people/password-hash.js';
import { personStore } from '../people/people.store.js';
import type { FailedAttempts } from '../sessions/failed-attempts.js';
import type { Visitor } from '../sessions/visitor.js';
import type { ProvePassword } from './password-proof.js';
import { passwordResetStore } from './passwords.store.js';

const RESET_LIFETIME = HOUR;
/** Beyond guessing, and short enough for one line of a plain letter. */
const RESET_SECRET_BYTES = 16;

interface PasswordOptions {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
  failures: FailedAttempts;
  provePassword: ProvePassword;
}

export type PasswordService = ReturnType<typeof createPasswordService>;

export function createPasswordService(options: PasswordOptions) {
  const { db, clock, changeIdentities, failures, provePassword } = options;

  /**
   * Sets a password inside the caller's transaction; the person's sessions (but the one it was changed in), begun sign-ins and
   * open reset links end with it. Tokens stay.
   */
  const setPassword = (tx: Tx, userId: number, passwordHash: string, keptSession?: string): Promise<void> =>
    changeIdentities(async (inner) => {
      await personStore(inner).changePasswordHash(userId, passwordHash);
      await sessionStore(inner).deleteSessionsOf(userId, keptSession);
      await challengeStore(inner).removeChallengesOf(userId);
      await passwordResetStore(inner).endOpenResets(userId, clock.now());
    }, tx);

  return {
    hashNewPassword,
    setPassword,

    /** By the person, who knows the present one. The session it is done in goes on. */
    async changeOwn(
      caller: SessionCaller,
      { current, new: wished }: { current: string; new: string },
      visitor: Visitor,
    ): Promise<(tx: Tx) => Promise<void>> {
      const passwordHash = await hashNewPassword(wished, { email: caller.email, full_name: caller.fullName });
      const holdProof = await provePassword(caller, current, visitor);
      return async (tx) => {
        await holdProof(tx);
        await setPassword(tx, caller.userId, passwordHash, caller.sessionId);
        const entry = { actor: caller, action: 'password.changed', at: clock.now() };
        await recordPersonAudit(tx, caller.userId, entry);
      };
    },

    /** The secret part of a reset link; only its digest is kept. */
    async createPasswordReset(tx: Db | Tx, userId: number): Promise<string> {
      const token = randomSecret(RESET_SECRET_BYTES);
      const now = clock.now();
      await passwordResetStore(tx).insertReset({
        token_hash: sha256Hex(token),
        user_id: userId,
        created_at: now,
        expires_at: secondsFrom(now, RESET_LIFETIME),
      });
      return token;
    },

    resetPassword: (token: string, password: string, address: string): Promise<void> =>
      failures.countingFailures({ address }, async () => {
        const owner = await passwordResetStore(db).findOwner(sha256Hex(token), clock.now());
        if (!owner) throw linkNoLongerValid();
        const passwordHash = await hashNewPassword(password, owner);
        await changeIdentities(async (tx) => {
          const now = clock.now();
          const userId = await passwordResetStore(tx).consumeReset(sha256Hex(token), now);
          if (userId === undefined) throw linkNoLongerValid();
          await setPassword(tx, userId, passwordHash);
          const actor = { kind: 'reset-link', userId };
          await recordPersonAudit(tx, userId, { actor, action: 'password.reset', at: now });
        });
      }),
  };
}
