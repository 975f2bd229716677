import { sql } from 'kysely';
import type { Db, Tx } from '../../../database/database.js';
import { foldAccountName } from '../../../kernel/account-names.js';

export interface Account {
  user_id: number;
  email: string;
  full_name: string;
  password_hash: string | null;
  /** Whether a provider elsewhere says who they are. */
  has_oidc: boolean;
}

/** Somebody without one is as good as new, whatever is known of them. */
export const hasAuthAccount = (account: Account | undefined): boolean =>
  account !== undefined && (account.password_hash !== null || account.has_oidc);

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
    async findAccount(email: string): Promise<Account | undefined> {
      const { rows } = await sql<Account>`
        select user_id, email, full_name, password_hash,
          exists (select from oidc_accounts o where o.user_id = users.user_id) as has_oidc
        from users where account_name = ${foldAccountName(email)} and erased_at is null`.execute(db);
      return rows[0];
    },

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
