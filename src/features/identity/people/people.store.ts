import { sql } from 'kysely';
import { foldAccountName, isSameAddress } from '../../../kernel/addresses.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { anywhere } from '../../../platform/database/schema/sql-fragments.js';

export interface Account {
  user_id: number;
  email: string;
  full_name: string;
  password_hash: string | null;
  has_oidc: boolean;
}

/** True if the person can sign in; a person who cannot is treated as new. */
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

export interface PeopleQuery {
  q: string | undefined;
  /** The last user_id of the previous page. */
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

interface OwnAccount {
  kind: string;
  has_password: boolean;
  has_oidc: boolean;
  has_totp: boolean;
  recovery_codes_left: number;
}

const named = (q: string | undefined) =>
  q === undefined
    ? sql`erased_at is null`
    : sql`erased_at is null and (full_name || ' ' || email::text) ilike ${anywhere(q)}`;

/** Not bound to a workspace, because people exist across workspaces. */
export function personStore(db: Db | Tx) {
  /** Finds the account by its folded name, so the stored address may differ in spelling. Excludes erased people. */
  async function findAccount(email: string): Promise<Account | undefined> {
    const { rows } = await sql<Account>`
      select user_id, email, full_name, password_hash,
        exists (select from oidc_accounts o where o.user_id = users.user_id) as has_oidc
      from users where account_name = ${foldAccountName(email)} and erased_at is null`.execute(db);
    return rows[0];
  }

  return {
    findAccount,

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

    async listPeople({ q, after, limit }: PeopleQuery): Promise<ListedPerson[]> {
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
      const { rows } = await sql<{ email: string; full_name: string }>`
        select email, full_name from users where user_id = ${userId} and erased_at is null`.execute(db);
      return rows[0];
    },

    /** Serializes sign-ins, password changes and joining a workspace for a person. */
    async lock(userId: number): Promise<{ password_hash: string | null } | undefined> {
      const { rows } = await sql<{ password_hash: string | null }>`
        select password_hash from users where user_id = ${userId} and erased_at is null for no key update`.execute(
        db,
      );
      return rows[0];
    },

    async getOwnAccount(userId: number): Promise<OwnAccount> {
      const { rows } = await sql<OwnAccount>`
    select u.kind, u.password_hash is not null as has_password,
      exists (select from oidc_accounts o where o.user_id = u.user_id) as has_oidc,
      exists (select from totp_factors f where f.user_id = u.user_id and f.confirmed_at is not null) as has_totp,
      (select count(*) from recovery_codes c
       where c.user_id = u.user_id and c.used_at is null)::integer as recovery_codes_left
    from users u where u.user_id = ${userId}`.execute(db);
      return rows[0]!;
    },

    async findPasswordHash(userId: number): Promise<string | null> {
      const { rows } = await sql<{ password_hash: string | null }>`
        select password_hash from users where user_id = ${userId} and erased_at is null`.execute(db);
      return rows[0]?.password_hash ?? null;
    },

    async changeName(userId: number, fullName: string): Promise<void> {
      await sql`update users set full_name = ${fullName} where user_id = ${userId}`.execute(db);
    },

    async changePasswordHash(userId: number, passwordHash: string): Promise<void> {
      await sql`update users set password_hash = ${passwordHash} where user_id = ${userId}`.execute(db);
    },
  };
}

export interface LinkedPerson {
  user_id: number;
  email: string;
  full_name: string;
}

export function oidcStore(db: Db | Tx) {
  return {
    async findPerson(issuer: string, subject: string): Promise<LinkedPerson | undefined> {
      const { rows } = await sql<LinkedPerson>`
        select u.user_id, u.email, u.full_name
        from oidc_accounts o join users u on u.user_id = o.user_id
        where o.issuer = ${issuer} and o.subject = ${subject} and u.erased_at is null`.execute(db);
      return rows[0];
    },

    async lockUnlinked(userId: number): Promise<boolean> {
      await sql`select from users where user_id = ${userId} for no key update`.execute(db);
      const { rows } = await sql`select 1 from oidc_accounts where user_id = ${userId} limit 1`.execute(db);
      return rows.length === 0;
    },

    async link(issuer: string, subject: string, userId: number, now: Date): Promise<void> {
      const account = { issuer, subject, user_id: userId, created_at: now };
      await db.insertInto('oidc_accounts').values(account).execute();
    },

    async unlinkAll(userId: number): Promise<void> {
      await db.deleteFrom('oidc_accounts').where('user_id', '=', userId).execute();
    },

    async workspaceExists(brandId: number): Promise<boolean> {
      const { rows } =
        await sql`select 1 from brands where brand_id = ${brandId} and erasing_at is null`.execute(db);
      return rows.length === 1;
    },
  };
}
