import { sql } from 'kysely';
import type { Db, Tx } from '../../../database/database.js';

/** The links by which people choose a new password. */
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

    /** Whose link it was; undefined when it is used up, expired or unknown. */
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
        where token_hash in (select token_hash from password_resets where expires_at < ${now} limit ${limit})
        returning 1`.execute(db);
      return rows.length;
    },
  };
}
