import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

interface ProofCode {
  sealed_code: string;
  wrong_codes: number;
  expires_at: Date;
}

/** What one person proves themselves by who has no password. */
export const proofStore = (db: Db | Tx, userId: number) => ({
  /** In the place of the one before. */
  async saveCode(sealedCode: string, expiresAt: Date): Promise<void> {
    await sql`
      insert into proof_codes (user_id, sealed_code, expires_at) values (${userId}, ${sealedCode}, ${expiresAt})
      on conflict (user_id) do update
        set sealed_code = excluded.sealed_code, expires_at = excluded.expires_at, wrong_codes = 0`.execute(
      db,
    );
  },

  /** Codes are judged one after the other. */
  async holdCode(): Promise<ProofCode | undefined> {
    const { rows } = await sql<ProofCode>`
      select sealed_code, wrong_codes, expires_at from proof_codes where user_id = ${userId} for update`.execute(
      db,
    );
    return rows[0];
  },

  async countWrongCode(): Promise<void> {
    await sql`update proof_codes set wrong_codes = wrong_codes + 1 where user_id = ${userId}`.execute(db);
  },

  async removeCode(): Promise<void> {
    await sql`delete from proof_codes where user_id = ${userId}`.execute(db);
  },

  /** Whether the session began at the provider, and not before the moment. */
  async cameByProvider(sessionId: string, since: Date): Promise<boolean> {
    const { rows } = await sql`
      select 1 from sessions
      where session_id = ${sessionId} and user_id = ${userId} and by_provider
        and coalesce(signed_in_at, created_at) >= ${since}`.execute(db);
    return rows.length === 1;
  },
});

export async function deleteExpiredProofs(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from proof_codes where ctid = any(array(
      select ctid from proof_codes where expires_at < ${now} limit ${limit}))
    returning 1`.execute(db);
  return rows.length;
}
