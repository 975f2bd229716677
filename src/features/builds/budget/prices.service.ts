import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import { priceTwice } from '../builds.errors.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { ModelPrices } from './budget.schemas.js';
import { type PriceRow, priceStore } from './budget.store.js';

export function createPriceService({ db, clock }: BuildDeps) {
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

    /** Replaces all prices. Costs that were computed before do not change. */
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
