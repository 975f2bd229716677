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

export interface SessionUse {
  at: Date;
  expiresAt: Date;
}

export interface SignInWorkspace {
  brand_id: number;
  name: string;
  role: MemberRole | 'guest';
}

const MOST_WORKSPACES = 1000;

/** Not bound to a workspace, because sessions are found across workspaces. */
export function sessionStore(db: Db | Tx) {
  return {
    /** Lists memberships by the time of joining, then guest access by the time of the first invitation. */
    async listWorkspaces(
      userId: number,
      brandId?: number,
      limit = MOST_WORKSPACES,
    ): Promise<SignInWorkspace[]> {
      const { rows } = await sql<SignInWorkspace>`
        select b.brand_id, b.name, w.role
        from (
          select brand_id, role, joined_at as since, 0 as rank from memberships where user_id = ${userId} and active
          union all
          select brand_id, 'guest', min(created_at), 1 from guest_access where user_id = ${userId} group by brand_id
        ) w
        join brands b on b.brand_id = w.brand_id
        where ${brandId ?? null}::integer is null or b.brand_id = ${brandId ?? null}
        order by w.rank, w.since, b.brand_id
        limit ${limit}`.execute(db);
      return rows;
    },

    async findWorkspace(userId: number, brandId: number | undefined): Promise<SignInWorkspace | undefined> {
      const [workspace] = await this.listWorkspaces(userId, brandId, 1);
      return workspace;
    },

    async listWorkspaceIds(userId: number): Promise<number[]> {
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

    /** Deletes expired and then the oldest sessions, so that one more fits within `most`. Returns the number. */
    async deleteExcess(userId: number, most: number, now: Date): Promise<number> {
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

    deleteSession: (sessionId: string) =>
      db
        .deleteFrom('sessions')
        .where('session_id', '=', sessionId)
        .returning(['created_at', 'signed_in_at', 'by_provider'])
        .executeTakeFirst(),

    async deleteOwnSession(userId: number, sessionId: string): Promise<boolean> {
      const { rows } = await sql`
        delete from sessions where session_id = ${sessionId} and user_id = ${userId} returning 1`.execute(db);
      return rows.length === 1;
    },

    async deleteSessionsOf(userId: number, except: string | null = null): Promise<void> {
      await sql`
        delete from sessions
        where user_id = ${userId} and (${except}::uuid is null or session_id <> ${except}::uuid)`.execute(db);
    },

    async deleteSessionsIn(brandId: number, userId: number): Promise<void> {
      await sql`delete from sessions where user_id = ${userId} and brand_id = ${brandId}`.execute(db);
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
