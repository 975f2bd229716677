import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface PriceRow {
  model: string;
  valid_from: Date;
  usd_per_mtok_in: number;
  usd_per_mtok_out: number;
}

/** What models cost: the operator's, the same for all workspaces. */
export function priceStore(db: Db | Tx) {
  return {
    async list(): Promise<PriceRow[]> {
      const { rows } = await sql<PriceRow>`
        select model, valid_from, usd_per_mtok_in, usd_per_mtok_out from model_prices
        order by model, valid_from desc`.execute(db);
      return rows;
    },

    async replace(prices: readonly PriceRow[]): Promise<void> {
      await sql`lock table model_prices in share row exclusive mode`.execute(db);
      await sql`delete from model_prices`.execute(db);
      await sql`
        insert into model_prices (model, valid_from, usd_per_mtok_in, usd_per_mtok_out)
        select p.model, p.valid_from, p.usd_per_mtok_in, p.usd_per_mtok_out
        from json_to_recordset(${JSON.stringify(prices)}) as p (model text, valid_from timestamptz,
          usd_per_mtok_in numeric, usd_per_mtok_out numeric)`.execute(db);
    },

    /** In force at a moment, of the first of the names that has one. */
    async find(names: readonly string[], now: Date): Promise<PriceRow | undefined> {
      const { rows } = await sql<PriceRow>`
        select p.model, p.valid_from, p.usd_per_mtok_in, p.usd_per_mtok_out
        from model_prices p join unnest(${[...names]}::text[]) with ordinality as n (model, nth) on n.model = p.model
        where p.valid_from <= ${now}
        order by n.nth, p.valid_from desc limit 1`.execute(db);
      return rows[0];
    },
  };
}
