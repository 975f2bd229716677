import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { Invitation } from './guests.schemas.js';

interface GuestPerson {
  user_id: number;
  email: string;
  full_name: string;
}

type InvitationRow = Omit<Invitation, 'created_at' | 'expires_at'> & { created_at: Date; expires_at: Date };

const LONGEST_LIST = 1000;

export function guestStore(db: Db | Tx, brandId: number) {
  return {
    /** Those of the people who are no members: a member with an old guest row is no guest. */
    async listPeople(userIds: number[]): Promise<GuestPerson[]> {
      const { rows } = await sql<GuestPerson>`
        select u.user_id, u.email, u.full_name from users u
        where u.user_id = any(${userIds}::integer[])
          and not exists (select from memberships m where m.brand_id = ${brandId} and m.user_id = u.user_id and m.active)
        order by u.full_name, u.user_id`.execute(db);
      return rows;
    },

    async findPerson(
      userId: number,
    ): Promise<(GuestPerson & { is_member: boolean; is_guest: boolean }) | undefined> {
      const { rows } = await sql<GuestPerson & { is_member: boolean; is_guest: boolean }>`
        select u.user_id, u.email, u.full_name,
          exists (select from memberships m
                  where m.brand_id = ${brandId} and m.user_id = u.user_id and m.active) as is_member,
          exists (select from guest_access g where g.brand_id = ${brandId} and g.user_id = u.user_id) as is_guest
        from users u where u.user_id = ${userId}`.execute(db);
      return rows[0];
    },

    async endSessions(userId: number): Promise<void> {
      await sql`delete from sessions where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
    },
  };
}

export function invitationStore(db: Db | Tx, brandId: number) {
  return {
    /** An invitation whose time is over must not stand in the way of a new one. */
    async expirePending(email: string, now: Date): Promise<void> {
      await sql`
        update invitations set status = 'expired'
        where brand_id = ${brandId} and email = ${email} and status = 'pending' and expires_at <= ${now}`.execute(
        db,
      );
    },

    /** Undefined when one is pending for the address. */
    async insertPending(invitation: {
      email: string;
      tokenHash: string;
      invitedBy: number;
      createdAt: Date;
      expiresAt: Date;
    }): Promise<Invitation | undefined> {
      const { email, tokenHash, invitedBy, createdAt, expiresAt } = invitation;
      const { rows } = await sql<InvitationRow>`
        insert into invitations (brand_id, email, role, token_hash, status, invited_by, created_at, expires_at)
        values (${brandId}, ${email}, 'member', ${tokenHash}, 'pending', ${invitedBy}, ${createdAt}, ${expiresAt})
        on conflict (brand_id, email) where status = 'pending' do nothing
        returning id, email, status, expires_at, created_at`.execute(db);
      return rows[0] && present(rows[0]);
    },

    async listInvitations(now: Date): Promise<{ invitations: Invitation[]; total: number }> {
      const { rows } = await sql<InvitationRow & { total: number }>`
        select id, email, expires_at, created_at, count(*) over () as total,
          case when status = 'pending' and expires_at <= ${now} then 'expired' else status end as status
        from invitations where brand_id = ${brandId}
        order by id desc limit ${LONGEST_LIST}`.execute(db);
      return {
        invitations: rows.map(({ total: _total, ...row }) => present(row)),
        total: rows[0]?.total ?? 0,
      };
    },

    /** False when there is no pending one with that id. */
    async revoke(id: number): Promise<boolean> {
      const { rows } = await sql`
        update invitations set status = 'revoked'
        where brand_id = ${brandId} and id = ${id} and status = 'pending' returning id`.execute(db);
      return rows.length === 1;
    },

    async revokeFor(userId: number): Promise<void> {
      await sql`
        update invitations i set status = 'revoked' from users u
        where u.user_id = ${userId} and i.email = u.email and i.brand_id = ${brandId} and i.status = 'pending'`.execute(
        db,
      );
    },
  };
}

const present = ({ id, email, status, expires_at, created_at }: InvitationRow): Invitation => ({
  id,
  email,
  status,
  expires_at: expires_at.toISOString(),
  created_at: created_at.toISOString(),
});
