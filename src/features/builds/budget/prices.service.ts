import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import { priceTwice } from './budget.errors.js';
import type { ModelPrices } from './budget.schemas.js';
import { type PriceRow, priceStore } from './prices.store.js';

/** What models cost, for coders that count tokens and tell no price. */
export function createPriceService({ db, clock }: { db: Db; clock: Clock }) {
  const show = (rows: readonly PriceRow[]): ModelPrices => ({
    prices: rows.map(({ model, valid_from, usd_per_mtok_in, usd_per_mtok_out }) => ({
      model,
      from: valid_from.toISOString(),
      usd_per_mtok_in,
      usd_per_mtok_out,
    })),
  });

  return {
    listPrices: async (): Promise<ModelPrices> => show(await priceStore(db).list()),

    /** All that there are from now on. What was worked out by others stays as it was worked out. */
    async setPrices({ prices }: ModelPrices): Promise<ModelPrices> {
      const seen = new Set<string>();
      const rows = prices.map(({ model, from, ...price }) => {
        const valid_from = new Date(from);
        const key = `${valid_from.getTime()} ${model}`;
        if (seen.has(key)) throw priceTwice(model, from);
        seen.add(key);
        return { model, valid_from, ...price };
      });
      return inTransaction(db, async (tx) => {
        await priceStore(tx).replace(rows);
        await recordAudit(tx, {
          brandId: null,
          actor: { kind: 'operator' },
          action: 'prices.changed',
          subject: 'prices',
          details: { prices: rows.length },
          at: clock.now(),
        });
        return show(await priceStore(tx).list());
      });
    },
  };
}

export type PriceService = ReturnType<typeof createPriceService>;
