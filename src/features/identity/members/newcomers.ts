import { isSameAddress } from '../../../kernel/account-names.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { violatedConstraint } from '../../../platform/database/schema/constraints.js';
import { addressTaken, fieldRequired, signInToAccept } from '../identity.errors.js';
import { hashNewPassword } from '../people/password-hash.js';
import { hasAuthAccount, personStore } from '../people/people.store.js';

/** What somebody without an auth account says of themselves when they accept. */
export interface Newcomer {
  full_name?: string;
  password?: string;
}

interface NewcomerOptions {
  db: Db;
  clock: Clock;
  setPassword: (tx: Tx, userId: number, passwordHash: string) => Promise<void>;
}

/** Somebody without an auth account becomes a person of their own; the password is hashed before the transaction begins. */
export const createNewcomers =
  ({ db, clock, setPassword }: NewcomerOptions) =>
  async (email: string, { full_name, password }: Newcomer) => {
    const findNewcomer = async (inside: Db | Tx) => {
      const account = await personStore(inside).findAccount(email);
      if (account && !isSameAddress(account.email, email)) throw addressTaken();
      if (hasAuthAccount(account)) throw signInToAccept();
      return account;
    };
    await findNewcomer(db);
    if (full_name === undefined) throw fieldRequired('full_name');
    if (password === undefined) throw fieldRequired('password');
    const passwordHash = await hashNewPassword(password, { email, full_name });
    return async (tx: Tx): Promise<number> => {
      const people = personStore(tx);
      const known = await findNewcomer(tx);
      if (known) {
        await people.changeName(known.user_id, full_name);
        await setPassword(tx, known.user_id, passwordHash);
        return known.user_id;
      }
      const created = await people
        .insertPerson({
          email,
          full_name,
          password_hash: passwordHash,
          kind: 'person',
          mail_address: null,
          created_at: clock.now(),
        })
        .catch(refuseSecondAccount);
      return created.user_id;
    };
  };

/** Somebody who accepts two invitations at once has an account when the second comes. */
function refuseSecondAccount(error: unknown): never {
  throw violatedConstraint(error) === undefined ? error : signInToAccept();
}
