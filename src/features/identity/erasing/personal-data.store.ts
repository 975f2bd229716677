import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import { listInvitationsOf } from '../members/invitations.store.js';

interface Profile {
  user_id: number;
  email: string;
  full_name: string;
  kind: string;
  mail_address: string | null;
  created_at: Date;
}

interface OwnMembership {
  brand_id: number;
  workspace: string;
  role: string;
  position: string | null;
  active: boolean;
  joined_at: Date;
  photo: string | null;
}

interface OwnGuestAccess {
  brand_id: number;
  workspace: string;
  kind: string;
  resource_id: string;
  role: string;
  created_at: Date;
}

interface OwnSession {
  session_id: string;
  brand_id: number;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  address: string | null;
  agent: string | null;
}

interface OwnSignInMeans {
  kind: 'totp' | 'oidc';
  issuer: string | null;
  subject: string | null;
  created_at: Date;
}

interface OwnToken {
  token_id: string;
  brand_id: number;
  name: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  agent_id: string | null;
}

interface OwnInvitation {
  brand_id: number;
  workspace: string;
  email: string;
  role: string;
  status: string;
  created_at: Date;
  accepted_at: Date | null;
}

/** What identity keeps about one person, wherever they belong; never what proves who they are. */
export const personalDataStore = (db: Db, userId: number) => ({
  async readProfile(): Promise<Profile> {
    const { rows } = await sql<Profile>`
      select user_id, email, full_name, kind, mail_address, created_at from users where user_id = ${userId}`.execute(
      db,
    );
    return rows[0]!;
  },

  async listMemberships(): Promise<OwnMembership[]> {
    const { rows } = await sql<OwnMembership>`
      select m.brand_id, b.name as workspace, m.role, m.position, m.active, m.joined_at,
        case when m.photo_key is not null
          then '/api/v1/brands/' || m.brand_id || '/members/' || m.user_id || '/photo' end as photo
      from memberships m join brands b using (brand_id)
      where m.user_id = ${userId} order by m.joined_at, m.brand_id`.execute(db);
    return rows;
  },

  async listGuestAccess(): Promise<OwnGuestAccess[]> {
    const { rows } = await sql<OwnGuestAccess>`
      select g.brand_id, b.name as workspace, g.kind, g.resource_id, g.role, g.created_at
      from guest_access g join brands b using (brand_id)
      where g.user_id = ${userId} order by g.created_at, g.resource_id`.execute(db);
    return rows;
  },

  async listSessions(): Promise<OwnSession[]> {
    const { rows } = await sql<OwnSession>`
      select session_id, brand_id, created_at, coalesce(last_seen_at, created_at) as last_seen_at, expires_at,
        address, agent
      from sessions
      where user_id = ${userId} order by created_at, session_id`.execute(db);
    return rows;
  },

  async listSignInMeans(): Promise<OwnSignInMeans[]> {
    const { rows } = await sql<OwnSignInMeans>`
      select 'totp' as kind, null as issuer, null as subject, created_at from totp_factors
      where user_id = ${userId} and confirmed_at is not null
      union all
      select 'oidc', issuer, subject, created_at from oidc_accounts where user_id = ${userId}
      order by created_at`.execute(db);
    return rows;
  },

  async listTokens(): Promise<OwnToken[]> {
    const { rows } = await sql<OwnToken>`
      select token_id, brand_id, name, scopes, created_at, expires_at, revoked_at, last_used_at, agent_id from tokens
      where user_id = ${userId} order by created_at, token_id`.execute(db);
    return rows;
  },

  async listInvitations(): Promise<OwnInvitation[]> {
    const { rows } = await sql<OwnInvitation>`
      select i.brand_id, b.name as workspace, i.email, i.role, i.status, i.created_at, i.accepted_at
      from invitations i join brands b using (brand_id)
      where i.id = any(${await listInvitationsOf(db, userId)}::integer[]) order by i.id`.execute(db);
    return rows;
  },
});
