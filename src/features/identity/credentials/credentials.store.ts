import { sql } from 'kysely';
import type { MemberCaller, MemberRole, Plan, Scope } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface PersonRow {
  user_id: number;
  full_name: string;
  email: string;
  kind: string;
  brand_id: number;
  brand_name: string;
  plan: Plan;
  scope_ceiling: Scope[];
  mfa_missing: boolean;
}

export interface MemberRow extends PersonRow {
  role: MemberRole;
}

export interface TokenRow extends PersonRow {
  token_id: string;
  scopes: Scope[];
  role: MemberRole;
  agent_id: string | null;
  agent_name: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
}

export interface SessionRow extends PersonRow {
  session_id: string;
  role: MemberRole | 'guest';
  created_at: Date;
  signed_in_at: Date | null;
  last_seen_at: Date | null;
}

/** For queries that join the workspace as `b` and the person as `u`. */
const mfaMissing = sql<boolean>`(b.require_mfa and not exists (
  select from totp_factors f where f.user_id = u.user_id and f.confirmed_at is not null))`;
const personColumns = sql`
  u.user_id, u.full_name, u.email, u.kind, b.brand_id, b.name as brand_name, b.plan, b.scope_ceiling,
  ${mfaMissing} as mfa_missing`;

interface LockedCredential {
  /** Scopes of a token; a session's scopes follow from the role. */
  scopes: Scope[];
  scopeCeiling: Scope[];
}

/** Prevents a revocation before the transaction ends; undefined if the credential was already revoked. */
export async function lockCredential(tx: Tx, caller: MemberCaller): Promise<LockedCredential | undefined> {
  if (caller.kind === 'build') return undefined;
  if (caller.kind === 'session') {
    // Prevents deletion of the row without blocking updates of its last use.
    const { rows } = await sql`
      select from sessions where session_id = ${caller.sessionId} for key share`.execute(tx);
    return rows.length === 0 ? undefined : { scopes: [], scopeCeiling: [] };
  }
  const { rows } = await sql<{ scopes: Scope[]; scope_ceiling: Scope[] }>`
    select t.scopes, b.scope_ceiling from tokens t join brands b on b.brand_id = t.brand_id
    where t.token_id = ${caller.tokenId} and t.revoked_at is null for share of t`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  const { scopes, scope_ceiling: scopeCeiling } = row;
  return { scopes: scopes.filter((scope) => scopeCeiling.includes(scope)), scopeCeiling };
}

/** Not bound to a workspace, because the credential determines the workspace. */
export function credentialStore(db: Db) {
  return {
    async findToken(tokenHash: string): Promise<TokenRow | undefined> {
      const { rows } = await sql<TokenRow>`
        select t.token_id, t.scopes, t.expires_at, t.last_used_at, m.role, t.agent_id, a.name as agent_name, ${personColumns}
        from tokens t
        join brands b on b.brand_id = t.brand_id
        join users u on u.user_id = t.user_id
        join memberships m on m.brand_id = t.brand_id and m.user_id = t.user_id and m.active
        left join agents a on a.agent_id = t.agent_id
        where t.token_hash = ${tokenHash} and t.revoked_at is null`.execute(db);
      return rows[0];
    },

    async findSession(secretHash: string): Promise<SessionRow | undefined> {
      const { rows } = await sql<SessionRow>`
        select s.session_id, s.created_at, s.signed_in_at, s.last_seen_at, coalesce(m.role, 'guest') as role, ${personColumns}
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

    async findMember(brandId: number, userId: number): Promise<MemberRow | undefined> {
      const { rows } = await sql<MemberRow>`
        select m.role, ${personColumns}
        from memberships m
        join brands b on b.brand_id = m.brand_id
        join users u on u.user_id = m.user_id
        where m.brand_id = ${brandId} and m.user_id = ${userId} and m.active`.execute(db);
      return rows[0];
    },

    async isStillValid(caller: MemberCaller): Promise<boolean> {
      const tokenId = caller.kind === 'pat' ? caller.tokenId : null;
      const sessionId = caller.kind === 'session' ? caller.sessionId : null;
      const { rows } = await sql<{ valid: boolean }>`
        select (
          exists (select from tokens t where t.token_id = ${tokenId}::uuid and t.revoked_at is null)
          or exists (select from sessions s where s.session_id = ${sessionId}::uuid)
        ) and (${caller.role} = 'guest' or exists (
          select from memberships m where m.brand_id = ${caller.brandId} and m.user_id = ${caller.userId} and m.active
        )) and not exists (
          select from brands b, users u
          where b.brand_id = ${caller.brandId} and u.user_id = ${caller.userId} and ${mfaMissing}
        ) as valid`.execute(db);
      return rows[0]!.valid;
    },

    async recordTokenUse(uses: Map<string, Date>): Promise<void> {
      await sql`
        update tokens t set last_used_at = u.at
        from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as u (token_id, at)
        where t.token_id = u.token_id and (t.last_used_at is null or t.last_used_at < u.at)`.execute(db);
    },
  };
}
