import type { Db, Tx } from '../../../database/database.js';
import { foldAccountName } from '../../../kernel/account-names.js';

export interface Account {
  user_id: number;
  email: string;
  full_name: string;
  password_hash: string | null;
}

export interface NewPerson {
  email: string;
  full_name: string;
  password_hash: string | null;
  kind: string;
  mail_address: string | null;
  created_at: Date;
}

/** People stand above the workspaces they belong to. */
export function personStore(db: Db | Tx) {
  return {
    /** Nobody is an erased person, also while the job has not forgotten them yet. */
    findAccount: (email: string): Promise<Account | undefined> =>
      db
        .selectFrom('users')
        .select(['user_id', 'email', 'full_name', 'password_hash'])
        .where('account_name', '=', foldAccountName(email))
        .where('erased_at', 'is', null)
        .executeTakeFirst(),

    insertPerson: (person: NewPerson) =>
      db
        .insertInto('users')
        .values({ ...person, account_name: foldAccountName(person.email) })
        .returning(['user_id', 'email', 'full_name', 'kind', 'mail_address', 'created_at'])
        .executeTakeFirstOrThrow(),

    async personExists(userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('erased_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    async changeName(userId: number, fullName: string): Promise<void> {
      await db.updateTable('users').set({ full_name: fullName }).where('user_id', '=', userId).execute();
    },

    async changePasswordHash(userId: number, passwordHash: string): Promise<void> {
      await db
        .updateTable('users')
        .set({ password_hash: passwordHash })
        .where('user_id', '=', userId)
        .execute();
    },
  };
}
