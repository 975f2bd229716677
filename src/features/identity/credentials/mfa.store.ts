import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface TotpFactor {
  sealed_secret: string;
  confirmed_at: Date | null;
  last_step: number | null;
}

export interface Challenge {
  user_id: number;
  brand_id: number;
  wrong_codes: number;
  expires_at: Date;
  email: string;
  full_name: string;
  by_provider: boolean;
}

export function mfaStore(db: Db | Tx) {
  return {
    async beginFactor(userId: number, sealedSecret: string, now: Date): Promise<boolean> {
      const { rows } = await sql`
        insert into totp_factors (user_id, sealed_secret, created_at) values (${userId}, ${sealedSecret}, ${now})
        on conflict (user_id) do update
          set sealed_secret = excluded.sealed_secret, created_at = excluded.created_at, last_step = null
          where totp_factors.confirmed_at is null
        returning 1`.execute(db);
      return rows.length === 1;
    },

    async hasFactor(userId: number): Promise<boolean> {
      const { rows } = await sql`
        select 1 from totp_factors where user_id = ${userId} and confirmed_at is not null`.execute(db);
      return rows.length === 1;
    },

    /** Locked, so that each of its codes is used once. */
    async lockFactor(userId: number): Promise<TotpFactor | undefined> {
      const { rows } = await sql<TotpFactor>`
        select sealed_secret, confirmed_at, last_step::float8 as last_step
        from totp_factors where user_id = ${userId} for update`.execute(db);
      return rows[0];
    },

    async confirmFactor(userId: number, step: number, now: Date): Promise<void> {
      await sql`
        update totp_factors set confirmed_at = ${now}, last_step = ${step} where user_id = ${userId}`.execute(
        db,
      );
    },

    async spendStep(userId: number, step: number): Promise<void> {
      await sql`update totp_factors set last_step = ${step} where user_id = ${userId}`.execute(db);
    },

    async removeFactor(userId: number): Promise<boolean> {
      await sql`delete from recovery_codes where user_id = ${userId}`.execute(db);
      const { rows } = await sql`delete from totp_factors where user_id = ${userId} returning 1`.execute(db);
      return rows.length === 1;
    },

    async replaceRecoveryCodes(userId: number, hashes: string[]): Promise<void> {
      await sql`delete from recovery_codes where user_id = ${userId}`.execute(db);
      await sql`
        insert into recovery_codes (user_id, code_hash)
        select ${userId}, c.hash from unnest(${hashes}::text[]) as c (hash)`.execute(db);
    },

    async spendRecoveryCode(userId: number, hash: string, now: Date): Promise<boolean> {
      const { rows } = await sql`
        update recovery_codes set used_at = ${now}
        where user_id = ${userId} and code_hash = ${hash} and used_at is null returning 1`.execute(db);
      return rows.length === 1;
    },
  };
}

export function challengeStore(db: Db | Tx) {
  return {
    /** Deletes the person's oldest challenges beyond `most`. */
    async insertChallenge(
      challenge: Pick<Challenge, 'user_id' | 'brand_id' | 'expires_at' | 'by_provider'> & {
        challenge_hash: string;
        created_at: Date;
      },
      most: number,
    ): Promise<void> {
      await sql`
        delete from mfa_challenges where challenge_hash in (
          select challenge_hash from mfa_challenges where user_id = ${challenge.user_id}
          order by created_at desc offset ${most - 1})`.execute(db);
      await db.insertInto('mfa_challenges').values(challenge).execute();
    },

    async findChallenge(hash: string, lock = false): Promise<Challenge | undefined> {
      const lockClause = lock ? sql`for update of c` : sql``;
      const { rows } = await sql<Challenge>`
        select c.user_id, c.brand_id, c.wrong_codes, c.expires_at, c.by_provider, u.email, u.full_name
        from mfa_challenges c join users u on u.user_id = c.user_id
        where c.challenge_hash = ${hash} ${lockClause}`.execute(db);
      return rows[0];
    },

    /** Locked, so that codes are checked one after another. */
    lockChallenge(hash: string): Promise<Challenge | undefined> {
      return this.findChallenge(hash, true);
    },

    async countWrongCode(hash: string): Promise<void> {
      await sql`
        update mfa_challenges set wrong_codes = wrong_codes + 1 where challenge_hash = ${hash}`.execute(db);
    },

    async removeChallenge(hash: string): Promise<void> {
      await sql`delete from mfa_challenges where challenge_hash = ${hash}`.execute(db);
    },

    async removeChallengesOf(userId: number): Promise<void> {
      await sql`delete from mfa_challenges where user_id = ${userId}`.execute(db);
    },

    async removeChallengesIn(brandId: number, userId: number): Promise<void> {
      await sql`
        delete from mfa_challenges where user_id = ${userId} and brand_id = ${brandId}`.execute(db);
    },

    async deleteExpired(now: Date, limit: number): Promise<number> {
      const { rows } = await sql`
        delete from mfa_challenges
        where ctid = any(array(select ctid from mfa_challenges where expires_at < ${now} limit ${limit}))
        returning 1`.execute(db);
      return rows.length;
    },
  };
}

interface ProofCode {
  sealed_code: string;
  wrong_codes: number;
  expires_at: Date;
}

export const proofStore = (db: Db | Tx, userId: number) => ({
  /** Replaces the previous code. */
  async saveCode(sealedCode: string, expiresAt: Date): Promise<void> {
    await sql`
      insert into proof_codes (user_id, sealed_code, expires_at) values (${userId}, ${sealedCode}, ${expiresAt})
      on conflict (user_id) do update
        set sealed_code = excluded.sealed_code, expires_at = excluded.expires_at, wrong_codes = 0`.execute(
      db,
    );
  },

  /** Locked, so that codes are checked one after another. */
  async lockCode(): Promise<ProofCode | undefined> {
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
