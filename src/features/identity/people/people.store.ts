import { sql } from 'kysely';
import { foldAccountName, isSameAddress } from '../../../kernel/account-names.js';
import { anywhere } from '../../../kernel/like-pattern.js';
import type { Db, Tx } from '../../../platform/database/database.js';

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

export interface PeopleWish {
  /** A part of the name or of the address. */
  q: string | undefined;
  /** The user_id that the page before ended with. */
  after: number;
  limit: number;
}

export interface ListedPerson {
  user_id: number;
  email: string;
  full_name: string;
  kind: string;
  created_at: Date;
  workspaces: number;
}

const named = (q: string | undefined) =>
  q === undefined
    ? sql`erased_at is null`
    : sql`erased_at is null and (full_name || ' ' || email::text) ilike ${anywhere(q)}`;

/** People stand above the workspaces they belong to. */
export function personStore(db: Db | Tx) {
  /** Nobody is an erased person, also while the job has not forgotten them yet. */
  async function findAccount(email: string): Promise<Account | undefined> {
    const { rows } = await sql<Account>`
      select user_id, email, full_name, password_hash,
        exists (select from oidc_accounts o where o.user_id = users.user_id) as has_oidc
      from users where account_name = ${foldAccountName(email)} and erased_at is null`.execute(db);
    return rows[0];
  }

  return {
    /** The one account that is counted under the address, whose own address may only read the same. */
    findAccount,

    /** The person whose address it is. */
    async findByAddress(email: string): Promise<Account | undefined> {
      const account = await findAccount(email);
      return account && isSameAddress(account.email, email) ? account : undefined;
    },

    insertPerson: (person: NewPerson) =>
      db
        .insertInto('users')
        .values({ ...person, account_name: foldAccountName(person.email) })
        .returning(['user_id', 'email', 'full_name', 'kind', 'mail_address', 'created_at'])
        .executeTakeFirstOrThrow(),

    async listPeople({ q, after, limit }: PeopleWish): Promise<ListedPerson[]> {
      const { rows } = await sql<ListedPerson>`
        select user_id, email, full_name, kind, created_at, (
          select count(*) from memberships m join brands b using (brand_id)
          where m.user_id = users.user_id and m.active and b.erasing_at is null) as workspaces
        from users where user_id > ${after} and ${named(q)}
        order by user_id limit ${limit}`.execute(db);
      return rows;
    },

    async countPeople(q: string | undefined): Promise<number> {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from users where ${named(q)}`.execute(db);
      return rows[0]!.total;
    },

    async findPerson(userId: number): Promise<{ email: string; full_name: string } | undefined> {
      return db
        .selectFrom('users')
        .select(['email', 'full_name'])
        .where('user_id', '=', userId)
        .where('erased_at', 'is', null)
        .executeTakeFirst();
    },

    async personExists(userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('erased_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Sign-ins, new passwords and joining a workspace happen one after the other for a person. Undefined when there is none, or none
     * any more.
     */
    async hold(userId: number): Promise<{ password_hash: string | null } | undefined> {
      const { rows } = await sql<{ password_hash: string | null }>`
        select password_hash from users where user_id = ${userId} and erased_at is null for no key update`.execute(
        db,
      );
      return rows[0];
    },

    async findPasswordHash(userId: number): Promise<string | null> {
      const row = await db
        .selectFrom('users')
        .select('password_hash')
        .where('user_id', '=', userId)
        .where('erased_at', 'is', null)
        .executeTakeFirst();
      return row?.password_hash ?? null;
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
