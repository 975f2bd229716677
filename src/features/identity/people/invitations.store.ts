import { sql } from 'kysely';
import type { GuestLevel, Role } from '../../../kernel/access.js';
import { foldAccountName, isSameAddress } from '../../../kernel/addresses.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { GuestResource } from './members.store.js';

const LONGEST_LIST = 1000;

export interface InvitationRow {
  id: number;
  email: string;
  role: Role;
  status: 'pending' | 'accepted' | 'revoked' | 'expired';
  expires_at: Date;
  created_at: Date;
}

export interface OpenedInvitation {
  id: number;
  brand_id: number;
  email: string;
  role: Role;
  status: string;
  expires_at: Date;
  brand_name: string;
  inviter_name: string | null;
}

export interface NewInvitation {
  email: string;
  role: Role;
  tokenHash: string;
  invitedBy: number;
  createdAt: Date;
  expiresAt: Date;
}

export interface Grant {
  kind: GuestResource['kind'];
  resource_id: string;
  role: GuestLevel;
}

const inviterIsMember = sql`(i.invited_by is null or exists (
  select from memberships m where m.brand_id = i.brand_id and m.user_id = i.invited_by and m.active))`;

/** Finds an invitation by the token of any of its links, across workspaces. */
export async function findInvitation(db: Db | Tx, tokenHash: string): Promise<OpenedInvitation | undefined> {
  const { rows } = await sql<OpenedInvitation>`
    select i.id, i.brand_id, i.email, i.role, i.status, i.expires_at, b.name as brand_name, u.full_name as inviter_name
    from invitations i
    join brands b on b.brand_id = i.brand_id
    left join users u on u.user_id = i.invited_by
    where ${inviterIsMember} and i.id in (
      select id from invitations where token_hash = ${tokenHash}
      union all
      select invitation_id from invitation_grants where token_hash = ${tokenHash})`.execute(db);
  return rows[0];
}

export async function findPendingInvitation(
  db: Db | Tx,
  email: string,
  now: Date,
): Promise<Pick<OpenedInvitation, 'id' | 'brand_id' | 'role'> | undefined> {
  const { rows } = await sql<Pick<OpenedInvitation, 'id' | 'brand_id' | 'role' | 'email'>>`
    select i.id, i.brand_id, i.role, i.email from invitations i
    where i.account_name = ${foldAccountName(email)} and i.status = 'pending' and i.expires_at > ${now} and ${inviterIsMember}
    order by i.id limit ${LONGEST_LIST}`.execute(db);
  return rows.find((row) => isSameAddress(row.email, email));
}

/** Returns the ids of all invitations to the person's address, in one workspace or in all. */
export async function listInvitationsOf(db: Db | Tx, userId: number, brandId?: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; invited: string; own: string }>`
    select i.id, i.email as invited, u.email as own
    from users u join invitations i on i.account_name = u.account_name
    where u.user_id = ${userId} and (${brandId ?? null}::integer is null or i.brand_id = ${brandId ?? null})`.execute(
    db,
  );
  return rows.filter(({ invited, own }) => isSameAddress(invited, own)).map(({ id }) => id);
}

export function invitationStore(db: Db | Tx, brandId: number) {
  return {
    /** Call it before insertPending: an expired invitation must not block a new one. */
    async expirePending(email: string, now: Date): Promise<void> {
      await sql`
        update invitations set status = 'expired'
        where brand_id = ${brandId} and account_name = ${foldAccountName(email)} and status = 'pending' and expires_at <= ${now}`.execute(
        db,
      );
    },

    async insertPending(invitation: NewInvitation): Promise<InvitationRow | undefined> {
      const { email, role, tokenHash, invitedBy, createdAt, expiresAt } = invitation;
      const { rows } = await sql<InvitationRow>`
        insert into invitations
          (brand_id, email, account_name, role, token_hash, status, invited_by, created_at, expires_at)
        values
          (${brandId}, ${email}, ${foldAccountName(email)}, ${role}, ${tokenHash}, 'pending', ${invitedBy},
           ${createdAt}, ${expiresAt})
        on conflict do nothing
        returning id, email, role, status, expires_at, created_at`.execute(db);
      return rows[0];
    },

    /** Undefined if the pending invitation is of another kind or person. */
    async prolongGuest(email: string, expiresAt: Date): Promise<InvitationRow | undefined> {
      const { rows } = await sql<InvitationRow>`
        update invitations set expires_at = ${expiresAt}
        where brand_id = ${brandId} and account_name = ${foldAccountName(email)} and status = 'pending' and role = 'guest'
        returning id, email, role, status, expires_at, created_at`.execute(db);
      return rows.find((row) => isSameAddress(row.email, email));
    },

    async addGrant(id: number, grant: Grant, tokenHash: string | null, at: Date): Promise<boolean> {
      const { rows } = await sql`
        insert into invitation_grants (invitation_id, brand_id, kind, resource_id, role, token_hash, created_at)
        values (${id}, ${brandId}, ${grant.kind}, ${grant.resource_id}, ${grant.role}, ${tokenHash}, ${at})
        on conflict (invitation_id, kind, resource_id) do nothing returning 1`.execute(db);
      return rows.length === 1;
    },

    async takeGrants(id: number): Promise<Grant[]> {
      const { rows } = await sql<Grant>`
        delete from invitation_grants where invitation_id = ${id} and brand_id = ${brandId}
        returning kind, resource_id, role`.execute(db);
      return rows;
    },

    /** Revokes guest invitations that then grant nothing. */
    async dropGrants(
      { kind, resourceId }: GuestResource,
      of: { invitationId?: number; userId?: number } = {},
    ): Promise<void> {
      const { invitationId = null, userId } = of;
      const own = userId === undefined ? null : await listInvitationsOf(db, userId, brandId);
      const { rows } = await sql<{ invitation_id: number }>`
        delete from invitation_grants g using invitations i
        where i.id = g.invitation_id and g.brand_id = ${brandId} and g.kind = ${kind} and g.resource_id = ${resourceId}
          and (${invitationId}::integer is null or i.id = ${invitationId})
          and (${own}::integer[] is null or i.id = any(${own}::integer[]))
        returning g.invitation_id`.execute(db);
      const ids = rows.map(({ invitation_id }) => invitation_id);
      if (ids.length === 0) return;
      await sql`
        update invitations set status = 'revoked'
        where id = any(${ids}::integer[]) and brand_id = ${brandId} and status = 'pending' and role = 'guest'
          and not exists (select from invitation_grants g where g.invitation_id = invitations.id)`.execute(
        db,
      );
    },

    async list(now: Date): Promise<{ invitations: InvitationRow[]; total: number }> {
      const { rows } = await sql<InvitationRow & { total: number }>`
        select id, email, role, expires_at, created_at, count(*) over () as total,
          case when status = 'pending' and expires_at <= ${now} then 'expired' else status end as status
        from invitations where brand_id = ${brandId}
        order by id desc limit ${LONGEST_LIST}`.execute(db);
      return { invitations: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
    },

    async consume(id: number, now: Date): Promise<boolean> {
      const { rows } = await sql`
        update invitations i set status = 'accepted', accepted_at = ${now}
        where i.id = ${id} and i.brand_id = ${brandId} and i.status = 'pending' and i.expires_at > ${now}
          and ${inviterIsMember}
        returning 1`.execute(db);
      return rows.length === 1;
    },

    async revoke(id: number): Promise<boolean> {
      const { rows } = await sql`
        update invitations set status = 'revoked'
        where brand_id = ${brandId} and id = ${id} and status = 'pending' returning id`.execute(db);
      return rows.length === 1;
    },

    async revokeBy(userId: number): Promise<void> {
      await sql`
        update invitations set status = 'revoked'
        where brand_id = ${brandId} and invited_by = ${userId} and status = 'pending'`.execute(db);
    },

    async revokeFor(userId: number): Promise<void> {
      await sql`
        update invitations set status = 'revoked'
        where id = any(${await listInvitationsOf(db, userId, brandId)}::integer[]) and status = 'pending'`.execute(
        db,
      );
    },
  };
}
