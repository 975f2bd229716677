import type { Db, Tx } from '../../../database/database.js';
import { type Clock, HOUR, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { linkNoLongerValid } from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import { recordPersonAudit } from '../people/person-audit.js';
import type { FailedAttempts } from '../sessions/failed-attempts.js';
import { sessionStore } from '../sessions/sessions.store.js';
import { hashPassword } from './password-hash.js';
import { passwordResetStore } from './passwords.store.js';

const RESET_LIFETIME = HOUR;
/** Beyond guessing, and short enough for one line of a plain letter. */
const RESET_SECRET_BYTES = 16;

interface PasswordOptions {
  clock: Clock;
  changeIdentities: ChangeIdentities;
  countingFailures: FailedAttempts;
}

export function createPasswordService({ clock, changeIdentities, countingFailures }: PasswordOptions) {
  /** Sets a password inside the caller's transaction; the person's sessions and open reset links end with it. Tokens stay. */
  const setPassword = (tx: Tx, userId: number, passwordHash: string): Promise<void> =>
    changeIdentities(async (inner) => {
      await personStore(inner).changePasswordHash(userId, passwordHash);
      await sessionStore(inner).deleteSessionsOf(userId);
      await passwordResetStore(inner).endOpenResets(userId, clock.now());
    }, tx);

  return {
    hashPassword,
    setPassword,

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
      countingFailures(address, undefined, async () => {
        const passwordHash = await hashPassword(password);
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
