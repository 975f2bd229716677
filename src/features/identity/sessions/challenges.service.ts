import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { challengeStore, mfaStore } from '../credentials/mfa.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { spendCode } from '../credentials/totp-codes.js';
import { challengeEnded, wrongCode } from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { SignInContext } from './session-opener.js';
import type { ClientInfo } from './sign-in-cookies.js';

const LIFETIME = 10 * MINUTE;
const MOST_WRONG_CODES = 5;
const MOST_CHALLENGES = 10;

export type Challenges = ReturnType<typeof createChallengeService>;

export function createChallengeService(context: SignInContext) {
  const { db, clock, secrets, failures, signInAudit, openSession } = context;

  /** Returns undefined for a wrong code: throwing would roll back its count. */
  async function answerInside(tx: Tx, userId: number, hash: string, code: string, client: ClientInfo) {
    const store = challengeStore(tx);
    const now = clock.now();
    // A concurrent password change ends the challenge before the code is checked, or the session afterwards.
    await personStore(tx).lock(userId);
    const open = await store.lockChallenge(hash);
    if (!open || open.expires_at <= now || open.wrong_codes >= MOST_WRONG_CODES) throw challengeEnded();
    const { brand_id, email, full_name, by_provider: byProvider } = open;
    const factor = await mfaStore(tx).lockFactor(userId);
    const workspace = await sessionStore(tx).findWorkspace(userId, brand_id);
    if (!factor?.confirmed_at || !workspace) throw challengeEnded();
    const by = await spendCode(tx, secrets, userId, factor, code, now);
    if (!by) {
      await store.countWrongCode(hash);
      return undefined;
    }
    await store.removeChallenge(hash);
    const secret = await openSession(tx, { userId, workspace, client, by, byProvider });
    return { account: { user_id: userId, email, full_name }, workspace, secret };
  }

  return {
    /** The person must be locked. Only the digest of the secret is stored. */
    async createIfNeeded(
      tx: Tx,
      userId: number,
      brandId: number,
      byProvider = false,
    ): Promise<string | undefined> {
      if (!(await mfaStore(tx).hasFactor(userId))) return undefined;
      const challenge = randomSecret();
      const now = clock.now();
      const row = {
        challenge_hash: sha256Hex(challenge),
        user_id: userId,
        brand_id: brandId,
        created_at: now,
        expires_at: secondsFrom(now, LIFETIME),
        by_provider: byProvider,
      };
      await challengeStore(tx).insertChallenge(row, MOST_CHALLENGES);
      return challenge;
    },

    async answer(challenge: string, code: string, client: ClientInfo) {
      const hash = sha256Hex(challenge);
      const known = await challengeStore(db).findChallenge(hash);
      return failures.countingFailures({ ...client, email: known?.email }, async () => {
        if (!known) throw challengeEnded();
        const { user_id: userId } = known;
        const signedIn = await inTransaction(db, (tx) => answerInside(tx, userId, hash, code, client));
        if (signedIn) return signedIn;
        await signInAudit.recordFailure(userId, 'code');
        throw wrongCode();
      });
    },
  };
}
