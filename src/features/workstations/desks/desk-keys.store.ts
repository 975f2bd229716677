import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';

/** Desks whose token is kept as it was kept before. */
export async function listOldKeys(
  db: Db,
  after: string | null,
  limit: number,
): Promise<{ desk_id: string; token_hash: string }[]> {
  const { rows } = await sql<{ desk_id: string; token_hash: string }>`
    select desk_id, token_hash from desks
    where token_hash is not null and (${after}::uuid is null or desk_id > ${after}::uuid)
    order by desk_id limit ${limit}`.execute(db);
  return rows;
}

/** Unless the token was replaced meanwhile. */
export async function moveKey(
  db: Db,
  desk: { deskId: string; tokenHash: string; tokenLookup: string; keySealed: string },
): Promise<void> {
  await sql`
    update desks set token_lookup = ${desk.tokenLookup}, key_sealed = ${desk.keySealed}, token_hash = null
    where desk_id = ${desk.deskId} and token_hash = ${desk.tokenHash}`.execute(db);
}
