import { randomInt } from 'node:crypto';
import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/account-names.js';
import { type Clock, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { isOneOfSecrets } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { proofStore } from '../credentials/proof.store.js';
import type { StillAllowed } from '../credentials/still-allowed.js';
import {
  fieldRequired,
  passwordInstead,
  proofCodeRequired,
  TOO_MANY_PROOFS,
  wrongProof,
} from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { FailedAttempts } from '../sessions/failed-attempts.js';
import type { KnownBrowsers } from '../sessions/known-browsers.js';
import type { SignInAudit } from '../sessions/sign-in-audit.js';
import type { Visitor } from '../sessions/visitor.js';
import type { HoldProof, ProvePassword } from './password-proof.js';

const FRESH = 5 * MINUTE;
const CODE_LIFETIME = 10 * MINUTE;
const CODE_DIGITS = 8;
const MOST_WRONG_CODES = 5;
const CODES_IN_15_MINUTES = 5;

export interface GivenProof {
  password?: string;
  code?: string;
}

interface ProofOptions {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  rateLimits: RateLimits;
  failures: FailedAttempts;
  signInAudit: SignInAudit;
  knownBrowsers: KnownBrowsers;
  provePassword: ProvePassword;
  requireStillSignedIn: StillAllowed['requireStillSignedIn'];
}

export type ProofService = ReturnType<typeof createProofService>;
export type Prove = ProofService['prove'];

/**
 * Somebody who is signed in shows once more that it is them: by the password, or, when they have none, by a sign-in at the provider
 * of a moment ago or a code that was mailed to them.
 */
export function createProofService(options: ProofOptions) {
  const { db, clock, secrets, failures, signInAudit, knownBrowsers, provePassword, requireStillSignedIn } =
    options;
  const codes = options.rateLimits.limiter('proof-codes', {
    points: CODES_IN_15_MINUTES,
    durationSeconds: 15 * MINUTE,
    detail: TOO_MANY_PROOFS,
  });
  const placeOf = (userId: number) => `proof:${userId}`;

  const hasPassword = async ({ userId }: SessionCaller): Promise<boolean> =>
    (await personStore(db).findPasswordHash(userId)) !== null;

  /** A wrong code is counted, so it is an answer and no error that would undo it. */
  const spendCode = (userId: number, code: string): Promise<boolean> =>
    inTransaction(db, async (tx) => {
      const store = proofStore(tx, userId);
      const asked = await store.holdCode();
      if (!asked || asked.expires_at <= clock.now() || asked.wrong_codes >= MOST_WRONG_CODES) return false;
      const expected = secrets.open(asked.sealed_code, placeOf(userId));
      const right = isOneOfSecrets(code.replace(/\s/g, ''), [expected]);
      await (right ? store.removeCode() : store.countWrongCode());
      return right;
    });

  function proveByCode(caller: SessionCaller, code: string, visitor: Visitor): Promise<void> {
    const account = foldAccountName(caller.email);
    const browser = knownBrowsers.idFor(visitor.knownBrowser, account);
    return failures.countingFailures({ address: visitor.address, account, browser }, async () => {
      if (await spendCode(caller.userId, code)) return;
      await signInAudit.recordFailure(caller.userId, { what: 'code', actor: caller });
      throw wrongProof();
    });
  }

  return {
    /** A code for somebody without a password, which the letter alone holds; the one before ends. */
    async issueCode(caller: SessionCaller): Promise<string> {
      if (await hasPassword(caller)) throw passwordInstead();
      await codes.take(String(caller.userId));
      const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
      const sealed = secrets.seal(code, placeOf(caller.userId));
      await proofStore(db, caller.userId).saveCode(sealed, secondsFrom(clock.now(), CODE_LIFETIME));
      return code;
    },

    /** What it answers is called in the transaction that the proof is for. */
    async prove(caller: SessionCaller, { password, code }: GivenProof, visitor: Visitor): Promise<HoldProof> {
      if (password !== undefined) return provePassword(caller, password, visitor);
      if (await hasPassword(caller)) throw fieldRequired('password');
      const since = secondsFrom(clock.now(), -FRESH);
      if (code !== undefined) await proveByCode(caller, code, visitor);
      else if (!(await proofStore(db, caller.userId).cameByProvider(caller.sessionId, since)))
        throw proofCodeRequired();
      return async (tx) => {
        await personStore(tx).hold(caller.userId);
        await requireStillSignedIn(tx, caller);
      };
    },
  };
}
