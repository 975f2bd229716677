import { randomInt } from 'node:crypto';
import type { SessionCaller } from '../../../kernel/access.js';
import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { isOneOfSecrets } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import { proofStore } from '../credentials/mfa.store.js';
import {
  fieldRequired,
  passwordInstead,
  proofCodeRequired,
  TOO_MANY_PROOFS,
  wrongPassword,
  wrongProof,
} from '../identity.errors.js';
import { isPassword } from '../people/password-hash.js';
import { personStore } from '../people/people.store.js';
import type { SignInContext } from '../sessions/session-opener.js';
import type { ClientInfo } from '../sessions/sign-in-cookies.js';

const FRESH = 5 * MINUTE;
const CODE_LIFETIME = 10 * MINUTE;
const CODE_DIGITS = 8;
const MOST_WRONG_CODES = 5;
const CODES_IN_15_MINUTES = 5;

export interface ProofInput {
  password?: string;
  code?: string;
}

/** Locks the person; throws if the session has ended or the password has changed since the proof was given. */
export type RecheckProof = (tx: Tx) => Promise<void>;

export type Prove = ReturnType<typeof createProofService>['prove'];

/**
 * Lets signed-in people prove their identity again: by their password or, without one, by a recent sign-in at
 * the provider or a mailed code. A wrong password or code counts as a failed sign-in.
 */
export function createProofService(context: SignInContext, rateLimits: RateLimits) {
  const { db, clock, secrets, failures, signInAudit, requireStillSignedIn } = context;
  const codes = rateLimits.limiter('proof-codes', {
    points: CODES_IN_15_MINUTES,
    durationSeconds: 15 * MINUTE,
    detail: TOO_MANY_PROOFS,
  });
  const sealName = (userId: number) => `proof:${userId}`;

  const hasPassword = async ({ userId }: SessionCaller): Promise<boolean> =>
    (await personStore(db).findPasswordHash(userId)) !== null;

  const provePassword = (caller: SessionCaller, password: string, client: ClientInfo) =>
    failures.countingFailures({ ...client, email: caller.email }, async (): Promise<RecheckProof> => {
      const proved = await personStore(db).findPasswordHash(caller.userId);
      if (!(await isPassword(password, proved))) {
        await signInAudit.recordFailure(caller.userId, 'password', caller);
        throw wrongPassword();
      }
      return async (tx) => {
        const person = await personStore(tx).lock(caller.userId);
        await requireStillSignedIn(tx, caller);
        if (person?.password_hash !== proved) throw wrongPassword();
      };
    });

  /** Returns false for a wrong code: throwing would roll back its count. */
  const spendCode = (userId: number, code: string): Promise<boolean> =>
    inTransaction(db, async (tx) => {
      const store = proofStore(tx, userId);
      const issued = await store.lockCode();
      if (!issued || issued.expires_at <= clock.now() || issued.wrong_codes >= MOST_WRONG_CODES) return false;
      const expected = secrets.open(issued.sealed_code, sealName(userId));
      const isRight = isOneOfSecrets(code.replace(/\s/g, ''), [expected]);
      await (isRight ? store.removeCode() : store.countWrongCode());
      return isRight;
    });

  const proveByCode = (caller: SessionCaller, code: string, client: ClientInfo): Promise<void> =>
    failures.countingFailures({ ...client, email: caller.email }, async () => {
      if (await spendCode(caller.userId, code)) return;
      await signInAudit.recordFailure(caller.userId, 'code', caller);
      throw wrongProof();
    });

  return {
    /** Creates a code for a person without a password; it replaces the previous one. */
    async issueCode(caller: SessionCaller): Promise<string> {
      if (await hasPassword(caller)) throw passwordInstead();
      await codes.take(String(caller.userId));
      const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
      const sealed = secrets.seal(code, sealName(caller.userId));
      await proofStore(db, caller.userId).saveCode(sealed, secondsFrom(clock.now(), CODE_LIFETIME));
      return code;
    },

    /** Call the returned function in the transaction that needs the proof. */
    async prove(
      caller: SessionCaller,
      { password, code }: ProofInput,
      client: ClientInfo,
    ): Promise<RecheckProof> {
      if (password !== undefined) return provePassword(caller, password, client);
      if (await hasPassword(caller)) throw fieldRequired('password');
      const since = secondsFrom(clock.now(), -FRESH);
      if (code !== undefined) await proveByCode(caller, code, client);
      else if (!(await proofStore(db, caller.userId).cameByProvider(caller.sessionId, since)))
        throw proofCodeRequired();
      return async (tx) => {
        await personStore(tx).lock(caller.userId);
        await requireStillSignedIn(tx, caller);
      };
    },
  };
}
