import type { Db } from '../../../database/database.js';
import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/account-names.js';
import { wrongPassword } from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { FailedAttempts } from '../sessions/failed-attempts.js';
import type { KnownBrowsers } from '../sessions/known-browsers.js';
import type { SignInAudit } from '../sessions/sign-in-audit.js';
import type { Visitor } from '../sessions/visitor.js';
import { isPassword } from './password-hash.js';

interface ProofOptions {
  db: Db;
  failures: FailedAttempts;
  signInAudit: SignInAudit;
  knownBrowsers: KnownBrowsers;
}

export type ProvePassword = ReturnType<typeof createPasswordProof>;

/** Somebody who is signed in shows once more that they know the password; a wrong one counts as a failed sign-in. */
export function createPasswordProof({ db, failures, signInAudit, knownBrowsers }: ProofOptions) {
  return (caller: SessionCaller, password: string, visitor: Visitor): Promise<void> => {
    const account = foldAccountName(caller.email);
    const browser = knownBrowsers.idFor(visitor.knownBrowser, account);
    return failures.countingFailures({ address: visitor.address, account, browser }, async () => {
      const person = await personStore(db).findAccount(caller.email);
      if (await isPassword(password, person?.password_hash)) return;
      await signInAudit.recordFailure(caller.userId, { what: 'password', actor: caller });
      throw wrongPassword();
    });
  };
}
