import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/account-names.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { StillAllowed } from '../credentials/still-allowed.js';
import { wrongPassword } from '../identity.errors.js';
import { isPassword } from '../people/password-hash.js';
import { personStore } from '../people/people.store.js';
import type { FailedAttempts } from '../sessions/failed-attempts.js';
import type { KnownBrowsers } from '../sessions/known-browsers.js';
import type { SignInAudit } from '../sessions/sign-in-audit.js';
import type { Visitor } from '../sessions/visitor.js';

interface ProofOptions {
  db: Db;
  failures: FailedAttempts;
  signInAudit: SignInAudit;
  knownBrowsers: KnownBrowsers;
  requireStillSignedIn: StillAllowed['requireStillSignedIn'];
}

/** Locks the person and throws when the session has ended, or the password has changed, since the proof was given. */
export type HoldProof = (tx: Tx) => Promise<void>;

export type ProvePassword = ReturnType<typeof createPasswordProof>;

/** Somebody who is signed in shows once more that they know the password; a wrong one counts as a failed sign-in. */
export function createPasswordProof(options: ProofOptions) {
  const { db, failures, signInAudit, knownBrowsers, requireStillSignedIn } = options;
  return (caller: SessionCaller, password: string, visitor: Visitor): Promise<HoldProof> => {
    const account = foldAccountName(caller.email);
    const browser = knownBrowsers.idFor(visitor.knownBrowser, account);
    return failures.countingFailures({ address: visitor.address, account, browser }, async () => {
      const proved = await personStore(db).findPasswordHash(caller.userId);
      if (!(await isPassword(password, proved))) {
        await signInAudit.recordFailure(caller.userId, { what: 'password', actor: caller });
        throw wrongPassword();
      }
      return async (tx) => {
        const person = await personStore(tx).hold(caller.userId);
        await requireStillSignedIn(tx, caller);
        if (person?.password_hash !== proved) throw wrongPassword();
      };
    });
  };
}
