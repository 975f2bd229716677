import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';

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

/** A card by the key of its board and its number there. */
export interface Ref {
  key: string;
  number: number;
}

const REF = /^([a-z0-9]{1,20})-([1-9]\d{0,8})$/i;
const KEY = /^[a-z][a-z0-9]{0,19}$/i;

export const isRef = (text: string): boolean => REF.test(text);
export const isKey = (text: string): boolean => KEY.test(text);

export function readRef(text: string): Ref | undefined {
  const [, key, number] = REF.exec(text) ?? [];
  return key && number ? { key: key.toUpperCase(), number: Number(number) } : undefined;
}
