import { foldAccountName } from '../../../kernel/account-names.js';
import { type Clock, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { spendCode } from '../credentials/codes.js';
import { challengeStore, mfaStore } from '../credentials/mfa.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { challengeEnded, wrongCode } from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { FailedAttempts } from './failed-attempts.js';
import type { KnownBrowsers } from './known-browsers.js';
import type { OpenSession } from './session-opener.js';
import type { SignInAudit } from './sign-in-audit.js';
import type { Visitor } from './visitor.js';

const LIFETIME = 10 * MINUTE;
const MOST_WRONG_CODES = 5;
/** Open at once, for a person who begins anew again and again. */
const MOST_CHALLENGES = 10;

export type Challenges = ReturnType<typeof createChallengeService>;

interface ChallengeOptions {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  failures: FailedAttempts;
  signInAudit: SignInAudit;
  knownBrowsers: KnownBrowsers;
  openSession: OpenSession;
}

/** The step between a password and a session, for people with a second factor. */
export function createChallengeService(options: ChallengeOptions) {
  const { db, clock, secrets, failures, signInAudit, knownBrowsers, openSession } = options;

  /** A wrong code is counted, so it must not be undone by an error: it is an answer. */
  async function judge(tx: Tx, userId: number, hash: string, code: string, visitor: Visitor) {
    const store = challengeStore(tx);
    const now = clock.now();
    // A new password ends the challenge before the code is judged, or the session afterwards.
    await personStore(tx).hold(userId);
    const open = await store.holdChallenge(hash);
    if (!open || open.expires_at <= now || open.wrong_codes >= MOST_WRONG_CODES) throw challengeEnded();
    const { brand_id, email, full_name, by_provider: byProvider } = open;
    const factor = await mfaStore(tx).holdFactor(userId);
    const workplace = await sessionStore(tx).findWorkplace(userId, brand_id);
    if (!factor?.confirmed_at || !workplace) throw challengeEnded();
    const by = await spendCode(tx, secrets, userId, factor, code, now);
    if (!by) {
      await store.countWrongCode(hash);
      return undefined;
    }
    await store.removeChallenge(hash);
    const secret = await openSession(tx, { userId, workplace, visitor, by, byProvider });
    return { account: { user_id: userId, email, full_name }, workplace, secret };
  }

  return {
    /** The secret of a challenge when the person, who is held, has a second factor; only its digest is kept. */
    async askIfSet(tx: Tx, userId: number, brandId: number, byProvider = false): Promise<string | undefined> {
      if (!(await mfaStore(tx).hasFactor(userId))) return undefined;
      const challenge = randomSecret();
      const now = clock.now();
      await challengeStore(tx).insertChallenge(
        {
          challenge_hash: sha256Hex(challenge),
          user_id: userId,
          brand_id: brandId,
          created_at: now,
          expires_at: secondsFrom(now, LIFETIME),
          by_provider: byProvider,
        },
        MOST_CHALLENGES,
      );
      return challenge;
    },

    async answer(challenge: string, code: string, visitor: Visitor) {
      const hash = sha256Hex(challenge);
      const asked = await challengeStore(db).findChallenge(hash);
      const account = asked && foldAccountName(asked.email);
      const browser = account && knownBrowsers.idFor(visitor.knownBrowser, account);
      return failures.countingFailures({ address: visitor.address, account, browser }, async () => {
        if (!asked) throw challengeEnded();
        const signedIn = await inTransaction(db, (tx) => judge(tx, asked.user_id, hash, code, visitor));
        if (signedIn) return signedIn;
        await signInAudit.recordFailure(asked.user_id, { what: 'code' });
        throw wrongCode();
      });
    },
  };
}
