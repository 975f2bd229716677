import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import type { Ref } from './refs.js';

interface FoundName {
  key: string;
  number: number | null;
  id: string;
}

export const nameStore = (db: Db, brandId: number) => ({
  /** The cards with these refs, and the boards with these keys. */
  async find(refs: readonly Ref[], keys: readonly string[]): Promise<FoundName[]> {
    const { rows } = await sql<FoundName>`
      select b.key, k.number, k.card_id as id from json_to_recordset(${JSON.stringify(refs)}) as wanted (key text, number int)
      join boards b on b.brand_id = ${brandId} and b.key = wanted.key
      join cards k on k.board_id = b.board_id and k.number = wanted.number
      union all
      select b.key, null, b.board_id from boards b where b.brand_id = ${brandId} and b.key = any(${keys}::text[])
    `.execute(db);
    return rows;
  },
});
