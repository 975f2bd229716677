import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export function passwordResetStore(db: Db | Tx) {
  return {
    async insertReset(reset: {
      token_hash: string;
      user_id: number;
      created_at: Date;
      expires_at: Date;
    }): Promise<void> {
      await db.insertInto('password_resets').values(reset).execute();
    },

    findOwner: (tokenHash: string, now: Date): Promise<{ email: string; full_name: string } | undefined> =>
      db
        .selectFrom('password_resets as r')
        .innerJoin('users as u', 'u.user_id', 'r.user_id')
        .select(['u.email', 'u.full_name'])
        .where('r.token_hash', '=', tokenHash)
        .where('r.used_at', 'is', null)
        .where('r.expires_at', '>', now)
        .executeTakeFirst(),

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

    async endOpenResets(userId: number, now: Date): Promise<void> {
      await db
        .updateTable('password_resets')
        .set({ used_at: now })
        .where('user_id', '=', userId)
        .where('used_at', 'is', null)
        .execute();
    },

    async deleteExpired(now: Date, limit: number): Promise<number> {
      const { rows } = await sql`
        delete from password_resets
        where ctid = any(array(select ctid from password_resets where expires_at < ${now} limit ${limit}))
        returning 1`.execute(db);
      return rows.length;
    },
  };
}

export interface ResetRequest {
  request_id: string;
  address: string | null;
  user_id: number | null;
  email: string | null;
  full_name: string | null;
}

/** Requests for a reset link, with any name that was typed. */
export function resetRequestStore(db: Db | Tx) {
  return {
    async insertRequest(accountName: string, address: string, now: Date): Promise<void> {
      await db
        .insertInto('password_reset_requests')
        .values({ account_name: accountName, address, requested_at: now })
        .execute();
    },

    /** Claims requests that are unclaimed, or that were claimed before `staleSince` and never finished. */
    async claimRequests(now: Date, staleSince: Date, limit: number): Promise<ResetRequest[]> {
      const { rows } = await sql<ResetRequest>`
        with claimed as (
          update password_reset_requests set claimed_at = ${now}
          where request_id in (
            select request_id from password_reset_requests
            where claimed_at is null or claimed_at <= ${staleSince}
            order by request_id limit ${limit} for update skip locked)
          returning request_id, account_name, address)
        select c.request_id::text as request_id, c.address, u.user_id, u.email::text as email, u.full_name
        from claimed c
        left join users u on u.account_name = c.account_name and u.password_hash is not null
        order by c.request_id`.execute(db);
      return rows;
    },

    async removeRequests(requestIds: string[]): Promise<void> {
      await sql`
        delete from password_reset_requests where request_id = any(${requestIds}::bigint[])`.execute(db);
    },

    async removeOlderThan(requestedBefore: Date): Promise<void> {
      await sql`delete from password_reset_requests where requested_at < ${requestedBefore}`.execute(db);
    },
  };
}
