import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface LinkedPerson {
  user_id: number;
  email: string;
  full_name: string;
}

/** Who people are at the provider. */
export function oidcStore(db: Db | Tx) {
  return {
    async findPerson(issuer: string, subject: string): Promise<LinkedPerson | undefined> {
      const { rows } = await sql<LinkedPerson>`
        select u.user_id, u.email, u.full_name
        from oidc_accounts o join users u on u.user_id = o.user_id
        where o.issuer = ${issuer} and o.subject = ${subject} and u.erased_at is null`.execute(db);
      return rows[0];
    },

    /** Whether nobody at a provider is this person; nobody becomes it before the transaction ends. */
    async holdUnlinked(userId: number): Promise<boolean> {
      await sql`select from users where user_id = ${userId} for no key update`.execute(db);
      const { rows } = await sql`select 1 from oidc_accounts where user_id = ${userId} limit 1`.execute(db);
      return rows.length === 0;
    },

    async link(issuer: string, subject: string, userId: number, now: Date): Promise<void> {
      await db
        .insertInto('oidc_accounts')
        .values({ issuer, subject, user_id: userId, created_at: now })
        .execute();
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
