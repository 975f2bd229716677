import { sql } from 'kysely';
import type { Db, Tx } from '../../../database/database.js';
import type { MemberRole } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/account-names.js';

const LONGEST_LIST = 1000;

export interface InvitationRow {
  id: number;
  email: string;
  status: 'pending' | 'accepted' | 'revoked' | 'expired';
  expires_at: Date;
  created_at: Date;
}

export interface OpenedInvitation {
  id: number;
  brand_id: number;
  email: string;
  role: MemberRole;
  status: string;
  expires_at: Date;
}

/** An invitation is found by the secret in its link, which tells the workspace. */
export async function findInvitation(db: Db | Tx, tokenHash: string): Promise<OpenedInvitation | undefined> {
  const { rows } = await sql<OpenedInvitation>`
    select id, brand_id, email, role, status, expires_at from invitations where token_hash = ${tokenHash}`.execute(
    db,
  );
  return rows[0];
}

/** The invitations of one workspace. */
export function invitationStore(db: Db | Tx, brandId: number) {
  return {
    /** An invitation whose time is over must not stand in the way of a new one. */
    async expirePending(email: string, now: Date): Promise<void> {
      await sql`
        update invitations set status = 'expired'
        where brand_id = ${brandId} and account_name = ${foldAccountName(email)} and status = 'pending' and expires_at <= ${now}`.execute(
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
    }): Promise<InvitationRow | undefined> {
      const { email, tokenHash, invitedBy, createdAt, expiresAt } = invitation;
      const { rows } = await sql<InvitationRow>`
        insert into invitations
          (brand_id, email, account_name, role, token_hash, status, invited_by, created_at, expires_at)
        values
          (${brandId}, ${email}, ${foldAccountName(email)}, 'member', ${tokenHash}, 'pending', ${invitedBy},
           ${createdAt}, ${expiresAt})
        on conflict do nothing
        returning id, email, status, expires_at, created_at`.execute(db);
      return rows[0];
    },

    async list(now: Date): Promise<{ invitations: InvitationRow[]; total: number }> {
      const { rows } = await sql<InvitationRow & { total: number }>`
        select id, email, expires_at, created_at, count(*) over () as total,
          case when status = 'pending' and expires_at <= ${now} then 'expired' else status end as status
        from invitations where brand_id = ${brandId}
        order by id desc limit ${LONGEST_LIST}`.execute(db);
      return { invitations: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
    },

    /** False when somebody else used it first. */
    async consume(id: number, now: Date): Promise<boolean> {
      const row = await db
        .updateTable('invitations')
        .set({ status: 'accepted', accepted_at: now })
        .where('id', '=', id)
        .where('brand_id', '=', brandId)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
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
        where u.user_id = ${userId} and i.account_name = u.account_name and i.brand_id = ${brandId} and i.status = 'pending'`.execute(
        db,
      );
    },
  };
}
