import { sql } from 'kysely';
import type { Role } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface OwnAccount {
  kind: string;
  has_password: boolean;
  has_oidc: boolean;
  has_totp: boolean;
  recovery_codes_left: number;
}

const MOST_WORKSPACES = 1000;

/** What one person may read about their own account. */
export function meStore(db: Db | Tx, userId: number) {
  return {
    async getAccount(): Promise<OwnAccount> {
      const { rows } = await sql<OwnAccount>`
        select u.kind, u.password_hash is not null as has_password,
          exists (select from oidc_accounts o where o.user_id = u.user_id) as has_oidc,
          exists (select from totp_factors f
                  where f.user_id = u.user_id and f.confirmed_at is not null) as has_totp,
          (select count(*) from recovery_codes c
           where c.user_id = u.user_id and c.used_at is null)::integer as recovery_codes_left
        from users u where u.user_id = ${userId}`.execute(db);
      return rows[0]!;
    },

    /** In the order in which sign-in would choose them. */
    async listWorkspaces(): Promise<{ brand_id: number; name: string; role: Role }[]> {
      const { rows } = await sql<{ brand_id: number; name: string; role: Role }>`
        select b.brand_id, b.name, w.role
        from (
          select brand_id, role, joined_at as since, 0 as rank from memberships where user_id = ${userId} and active
          union all
          select brand_id, 'guest', min(created_at), 1 from guest_access where user_id = ${userId} group by brand_id
        ) w
        join brands b on b.brand_id = w.brand_id
        order by w.rank, w.since, b.brand_id limit ${MOST_WORKSPACES}`.execute(db);
      return rows;
    },
  };
}
