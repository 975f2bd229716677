import { sql } from 'kysely';
import type { Db, Tx } from '../../../database/database.js';
import type { MemberRole } from '../../../kernel/access.js';

export interface NewSession {
  session_id: string;
  secret_hash: string;
  user_id: number;
  brand_id: number;
  created_at: Date;
  expires_at: Date;
}

export interface Workplace {
  brand_id: number;
  name: string;
  role: MemberRole | 'guest';
}

/** Sessions belong to people and tell the workspace, so this store is made for neither. */
export function sessionStore(db: Db | Tx) {
  return {
    /** The workspace a person signs in to: the wished one, else the first they joined, else the first that invited them as a guest. */
    async findWorkplace(userId: number, brandId: number | undefined): Promise<Workplace | undefined> {
      const { rows } = await sql<Workplace>`
        select b.brand_id, b.name, w.role
        from (
          select brand_id, role, joined_at as since, 0 as rank from memberships where user_id = ${userId} and active
          union all
          select brand_id, 'guest', min(created_at), 1 from guest_access where user_id = ${userId} group by brand_id
        ) w
        join brands b on b.brand_id = w.brand_id
        where ${brandId ?? null}::integer is null or b.brand_id = ${brandId ?? null}
        order by w.rank, w.since, b.brand_id
        limit 1`.execute(db);
      return rows[0];
    },

    /** Every workspace the person can sign in to, as a member or as a guest. */
    async listWorkplaceIds(userId: number): Promise<number[]> {
      const { rows } = await sql<{ brand_id: number }>`
        select brand_id from memberships where user_id = ${userId} and active
        union
        select brand_id from guest_access where user_id = ${userId}
        order by brand_id`.execute(db);
      return rows.map(({ brand_id }) => brand_id);
    },

    async insertSession(session: NewSession): Promise<void> {
      await db.insertInto('sessions').values(session).execute();
    },

    async deleteSession(sessionId: string): Promise<void> {
      await db.deleteFrom('sessions').where('session_id', '=', sessionId).execute();
    },

    async deleteSessionsOf(userId: number): Promise<void> {
      await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
    },

    async deleteSessionsIn(brandId: number, userId: number): Promise<void> {
      await db.deleteFrom('sessions').where('user_id', '=', userId).where('brand_id', '=', brandId).execute();
    },

    async deleteExpired(now: Date, limit: number): Promise<number> {
      const { rows } = await sql`
        delete from sessions
        where session_id in (select session_id from sessions where expires_at < ${now} limit ${limit})
        returning 1`.execute(db);
      return rows.length;
    },
  };
}
