import { sql } from 'kysely';
import type { MemberRole } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface NewSession {
  session_id: string;
  secret_hash: string;
  user_id: number;
  brand_id: number;
  created_at: Date;
  signed_in_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  address: string;
  agent: string | null;
  by_provider: boolean;
}

export interface OwnSession {
  session_id: string;
  created_at: Date;
  last_seen_at: Date;
  address: string | null;
  agent: string | null;
}

/** When a session was used, and when it ends for that reason. */
export interface SessionUse {
  at: Date;
  expiresAt: Date;
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

    /** Ends what is over and the oldest, so that one more is within `most`; answers how many went. */
    async makeRoom(userId: number, most: number, now: Date): Promise<number> {
      const { rows } = await sql`
        delete from sessions
        where user_id = ${userId} and (expires_at <= ${now} or session_id in (
          select session_id from sessions where user_id = ${userId} and expires_at > ${now}
          order by created_at desc, session_id desc offset ${most - 1}))
        returning 1`.execute(db);
      return rows.length;
    },

    async listSessions(userId: number, now: Date): Promise<OwnSession[]> {
      const { rows } = await sql<OwnSession>`
        select session_id, created_at, coalesce(last_seen_at, created_at) as last_seen_at, address, agent
        from sessions where user_id = ${userId} and expires_at > ${now}
        order by created_at desc, session_id desc limit 1000`.execute(db);
      return rows;
    },

    async recordUse(uses: Map<string, SessionUse>): Promise<void> {
      const all = [...uses.values()];
      await sql`
        update sessions s set last_seen_at = u.at, expires_at = u.expires_at
        from unnest(${[...uses.keys()]}::uuid[], ${all.map(({ at }) => at)}::timestamptz[],
                    ${all.map(({ expiresAt }) => expiresAt)}::timestamptz[]) as u (session_id, at, expires_at)
        where s.session_id = u.session_id and (s.last_seen_at is null or s.last_seen_at < u.at)`.execute(db);
    },

    /** What was there. */
    async deleteSession(
      sessionId: string,
    ): Promise<{ created_at: Date; signed_in_at: Date | null; by_provider: boolean } | undefined> {
      return db
        .deleteFrom('sessions')
        .where('session_id', '=', sessionId)
        .returning(['created_at', 'signed_in_at', 'by_provider'])
        .executeTakeFirst();
    },

    async deleteOwnSession(userId: number, sessionId: string): Promise<boolean> {
      const row = await db
        .deleteFrom('sessions')
        .where('session_id', '=', sessionId)
        .where('user_id', '=', userId)
        .returning('session_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** All of the person's, or all but one. */
    async deleteSessionsOf(userId: number, except: string | null = null): Promise<void> {
      await sql`
        delete from sessions
        where user_id = ${userId} and (${except}::uuid is null or session_id <> ${except}::uuid)`.execute(db);
    },

    async deleteSessionsIn(brandId: number, userId: number): Promise<void> {
      await db.deleteFrom('sessions').where('user_id', '=', userId).where('brand_id', '=', brandId).execute();
    },

    async deleteExpired(now: Date, limit: number): Promise<number> {
      const { rows } = await sql`
        delete from sessions
        where ctid = any(array(select ctid from sessions where expires_at < ${now} limit ${limit}))
        returning 1`.execute(db);
      return rows.length;
    },
  };
}
