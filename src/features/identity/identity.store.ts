import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { MemberCaller, MemberRole, Plan, Scope } from '../../kernel/access.js';

export interface PersonRow {
  user_id: number;
  full_name: string;
  email: string;
  kind: string;
  brand_id: number;
  brand_name: string;
  plan: Plan;
  scope_ceiling: Scope[];
}

export interface TokenRow extends PersonRow {
  token_id: string;
  scopes: Scope[];
  role: MemberRole;
  expires_at: Date | null;
  last_used_at: Date | null;
}

export interface SessionRow extends PersonRow {
  session_id: string;
  role: MemberRole | 'guest';
  expires_at: Date;
}

/** Credentials are looked up across workspaces: they are what tells the workspace. */
export function credentialStore(db: Db | Tx) {
  return {
    async findToken(tokenHash: string): Promise<TokenRow | undefined> {
      const { rows } = await sql<TokenRow>`
        select t.token_id, t.scopes, t.expires_at, t.last_used_at, m.role,
               u.user_id, u.full_name, u.email, u.kind, b.brand_id, b.name as brand_name, b.plan, b.scope_ceiling
        from tokens t
        join brands b on b.brand_id = t.brand_id
        join users u on u.user_id = t.user_id
        join memberships m on m.brand_id = t.brand_id and m.user_id = t.user_id and m.active
        where t.token_hash = ${tokenHash} and t.revoked_at is null`.execute(db);
      return rows[0];
    },

    async findSession(secretHash: string): Promise<SessionRow | undefined> {
      const { rows } = await sql<SessionRow>`
        select s.session_id, s.expires_at, coalesce(m.role, 'guest') as role,
               u.user_id, u.full_name, u.email, u.kind, b.brand_id, b.name as brand_name, b.plan, b.scope_ceiling
        from sessions s
        join brands b on b.brand_id = s.brand_id
        join users u on u.user_id = s.user_id
        left join memberships m on m.brand_id = s.brand_id and m.user_id = s.user_id and m.active
        where s.secret_hash = ${secretHash}
          and (m.user_id is not null
               or exists (select from guest_access g where g.brand_id = s.brand_id and g.user_id = s.user_id))`.execute(
        db,
      );
      return rows[0];
    },

    /** Whether a credential that was accepted before has been revoked, ended or left behind since. */
    async holdsStill(caller: MemberCaller): Promise<boolean> {
      const tokenId = caller.kind === 'pat' ? caller.tokenId : null;
      const sessionId = caller.kind === 'session' ? caller.sessionId : null;
      const { rows } = await sql<{ holds: boolean }>`
        select (
          exists (select from tokens t where t.token_id = ${tokenId}::uuid and t.revoked_at is null)
          or exists (select from sessions s where s.session_id = ${sessionId}::uuid)
        ) and (${caller.role} = 'guest' or exists (
          select from memberships m where m.brand_id = ${caller.brandId} and m.user_id = ${caller.userId} and m.active
        )) as holds`.execute(db);
      return rows[0]!.holds;
    },

    async recordTokenUse(uses: Map<string, Date>): Promise<void> {
      await sql`
        update tokens t set last_used_at = u.at
        from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as u (token_id, at)
        where t.token_id = u.token_id and (t.last_used_at is null or t.last_used_at < u.at)`.execute(db);
    },

    async insertSession(session: {
      session_id: string;
      secret_hash: string;
      user_id: number;
      brand_id: number;
      created_at: Date;
      expires_at: Date;
    }) {
      await db.insertInto('sessions').values(session).execute();
    },

    async deleteSession(sessionId: string): Promise<void> {
      await db.deleteFrom('sessions').where('session_id', '=', sessionId).execute();
    },

    async deleteExpired(now: Date, limit: number): Promise<number> {
      const { rows } = await sql<{ gone: number }>`
        with old_sessions as (
          delete from sessions where session_id in (select session_id from sessions where expires_at < ${now} limit ${limit}) returning 1
        ), old_resets as (
          delete from password_resets where token_hash in (select token_hash from password_resets where expires_at < ${now} limit ${limit}) returning 1
        )
        select (select count(*) from old_sessions) + (select count(*) from old_resets) as gone`.execute(db);
      return rows[0]?.gone ?? 0;
    },
  };
}

export interface Account {
  user_id: number;
  email: string;
  full_name: string;
  password_hash: string | null;
}

export interface Workplace {
  brand_id: number;
  name: string;
  role: MemberRole | 'guest';
}

export function accountStore(db: Db | Tx) {
  return {
    findAccount(email: string): Promise<Account | undefined> {
      return db
        .selectFrom('users')
        .select(['user_id', 'email', 'full_name', 'password_hash'])
        .where('email', '=', email)
        .executeTakeFirst();
    },

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

    async createAccount(account: {
      email: string;
      full_name: string;
      password_hash: string;
      created_at: Date;
    }): Promise<number> {
      const { user_id } = await db
        .insertInto('users')
        .values({ ...account, kind: 'person' })
        .returning('user_id')
        .executeTakeFirstOrThrow();
      return user_id;
    },

    /** Ends the person's sessions and the reset links that are still open. */
    async changePassword(userId: number, passwordHash: string, now: Date): Promise<void> {
      await db
        .updateTable('users')
        .set({ password_hash: passwordHash })
        .where('user_id', '=', userId)
        .execute();
      await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
      await db
        .updateTable('password_resets')
        .set({ used_at: now })
        .where('user_id', '=', userId)
        .where('used_at', 'is', null)
        .execute();
    },

    async insertReset(reset: {
      token_hash: string;
      user_id: number;
      created_at: Date;
      expires_at: Date;
    }): Promise<void> {
      await db.insertInto('password_resets').values(reset).execute();
    },

    async consumeReset(tokenHash: string, now: Date): Promise<number | undefined> {
      const row = await db
        .updateTable('password_resets')
        .set({ used_at: now })
        .where('token_hash', '=', tokenHash)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('user_id')
        .executeTakeFirst();
      return row?.user_id;
    },
  };
}

export interface TokenRecord {
  token_id: string;
  name: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

const TOKEN_COLUMNS = ['token_id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'] as const;

/** The tokens of one workspace. */
export function tokenStore(db: Db | Tx, brandId: number) {
  return {
    listTokens(userId: number): Promise<TokenRecord[]> {
      return db
        .selectFrom('tokens')
        .select(TOKEN_COLUMNS)
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .orderBy('created_at', 'desc')
        .orderBy('token_id')
        .execute();
    },

    insertToken(token: {
      token_id: string;
      token_hash: string;
      user_id: number;
      name: string;
      scopes: string[];
      created_at: Date;
      expires_at: Date | null;
    }): Promise<TokenRecord> {
      return db
        .insertInto('tokens')
        .values({ ...token, brand_id: brandId })
        .returning(TOKEN_COLUMNS)
        .executeTakeFirstOrThrow();
    },

    async revokeToken(tokenId: string, userId: number, now: Date): Promise<boolean> {
      const row = await db
        .updateTable('tokens')
        .set({ revoked_at: now })
        .where('brand_id', '=', brandId)
        .where('token_id', '=', tokenId)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .returning('token_id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export interface InvitationRow {
  id: number;
  brand_id: number;
  email: string;
  role: MemberRole;
  status: string;
  expires_at: Date;
}

export function invitationStore(db: Db | Tx) {
  return {
    async findInvitation(tokenHash: string): Promise<InvitationRow | undefined> {
      const { rows } = await sql<InvitationRow>`
        select id, brand_id, email, role, status, expires_at from invitations where token_hash = ${tokenHash}`.execute(
        db,
      );
      return rows[0];
    },

    /** False when somebody else used it first. */
    async consumeInvitation(id: number, now: Date): Promise<boolean> {
      const row = await db
        .updateTable('invitations')
        .set({ status: 'accepted', accepted_at: now })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async turnGuestIntoMember(
      brandId: number,
      userId: number,
      role: MemberRole,
      now: Date,
    ): Promise<MemberRole> {
      await db
        .deleteFrom('guest_access')
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .execute();
      const { rows } = await sql<{ role: MemberRole }>`
        insert into memberships (brand_id, user_id, role, active, joined_at)
        values (${brandId}, ${userId}, ${role}, true, ${now})
        on conflict (brand_id, user_id) do update set
          role = case when memberships.active then memberships.role else excluded.role end,
          joined_at = case when memberships.active then memberships.joined_at else excluded.joined_at end,
          active = true
        returning role`.execute(db);
      return rows[0]!.role;
    },
  };
}
