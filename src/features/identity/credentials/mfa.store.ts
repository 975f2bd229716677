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

/** The second factors of people. */
export function mfaStore(db: Db | Tx) {
  return {
    /** False when one is confirmed already. */
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

    /** Nobody else uses a code of it before the transaction ends. */
    async holdFactor(userId: number): Promise<TotpFactor | undefined> {
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

    /** False when there is no such code, or it was used. */
    async spendRecoveryCode(userId: number, hash: string, now: Date): Promise<boolean> {
      const { rows } = await sql`
        update recovery_codes set used_at = ${now}
        where user_id = ${userId} and code_hash = ${hash} and used_at is null returning 1`.execute(db);
      return rows.length === 1;
    },
  };
}

/** Sign-ins that wait for a code. */
export function challengeStore(db: Db | Tx) {
  return {
    /** The oldest of the person's go when there are more than `most`. */
    async insertChallenge(
      challenge: {
        challenge_hash: string;
        user_id: number;
        brand_id: number;
        created_at: Date;
        expires_at: Date;
        by_provider: boolean;
      },
      most: number,
    ): Promise<void> {
      await sql`
        delete from mfa_challenges where challenge_hash in (
          select challenge_hash from mfa_challenges where user_id = ${challenge.user_id}
          order by created_at desc offset ${most - 1})`.execute(db);
      await db.insertInto('mfa_challenges').values(challenge).execute();
    },

    async findChallenge(hash: string): Promise<Challenge | undefined> {
      const { rows } = await sql<Challenge>`
        select c.user_id, c.brand_id, c.wrong_codes, c.expires_at, c.by_provider, u.email, u.full_name
        from mfa_challenges c join users u on u.user_id = c.user_id
        where c.challenge_hash = ${hash}`.execute(db);
      return rows[0];
    },

    /** Codes for it are judged one after the other. */
    async holdChallenge(hash: string): Promise<Challenge | undefined> {
      const { rows } = await sql<Challenge>`
        select c.user_id, c.brand_id, c.wrong_codes, c.expires_at, c.by_provider, u.email, u.full_name
        from mfa_challenges c join users u on u.user_id = c.user_id
        where c.challenge_hash = ${hash} for update of c`.execute(db);
      return rows[0];
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
