import { sql } from 'kysely';
import type { Db } from '../../database/database.js';

export interface KeptAnswer {
  request_hash: string;
  answer: Buffer | null;
  content_type: string | null;
  status: number;
  made_id: string | null;
}

export function idempotencyStore(db: Db, brandId: number, userId: number) {
  return {
    /** Held until the transaction ends. Returns false when another transaction holds it. */
    async tryLock(key: string): Promise<boolean> {
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${`idempotency:${brandId}:${userId}:${key}`}, 0)) as locked`.execute(
        db,
      );
      return rows[0]!.locked;
    },

    find(key: string, madeAfter: Date): Promise<KeptAnswer | undefined> {
      return db
        .selectFrom('idempotency_keys')
        .select(['request_hash', 'answer', 'content_type', 'status', 'made_id'])
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .where('key', '=', key)
        .where('created_at', '>', madeAfter)
        .executeTakeFirst();
    },

    /** Replaces an expired row. */
    async keep(key: string, kept: KeptAnswer, now: Date): Promise<void> {
      const row = { ...kept, created_at: now };
      await db
        .insertInto('idempotency_keys')
        .values({ brand_id: brandId, user_id: userId, key, ...row })
        .onConflict((conflict) => conflict.columns(['brand_id', 'user_id', 'key']).doUpdateSet(row))
        .execute();
    },
  };
}

export async function deleteExpiredKeys(db: Db, madeBefore: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at <= ${madeBefore} limit ${limit}))
    returning 1`.execute(db);
  return rows.length;
}

export interface KeptText {
  brand_id: number;
  user_id: number;
  key: string;
  content_type: string | null;
  answer: Buffer;
}

export async function listAnswersWith(
  db: Db,
  texts: readonly string[],
  after: Pick<KeptText, 'brand_id' | 'user_id' | 'key'>,
  limit: number,
): Promise<KeptText[]> {
  const { rows } = await sql<KeptText>`
    select brand_id, user_id, key, content_type, answer from idempotency_keys
    where answer is not null and (brand_id, user_id, key) > (${after.brand_id}, ${after.user_id}, ${after.key})
      and exists (select from unnest(${[...texts]}::text[]) as t (text) where position(convert_to(t.text, 'UTF8') in answer) > 0)
    order by brand_id, user_id, key limit ${limit}`.execute(db);
  return rows;
}

export async function rewriteAnswer(db: Db, { brand_id, user_id, key, answer }: KeptText): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ answer })
    .where('brand_id', '=', brand_id)
    .where('user_id', '=', user_id)
    .where('key', '=', key)
    .execute();
}

export async function deleteKeysOf(db: Db, userId: number, brandIds: number[]): Promise<void> {
  await sql`
    delete from idempotency_keys where brand_id = any(${brandIds}::integer[]) and user_id = ${userId}`.execute(
    db,
  );
}
