import type { BuildRow } from '../record/builds.store.js';
import { toMicros, toUsd } from './micros.js';
import type { PriceRow } from './prices.store.js';

/** What is said of a build's usage; what is not said is not known. */
export interface SaidUsage {
  tokens_in?: number | null;
  tokens_out?: number | null;
  cost_usd?: number | null;
}

export interface Totals {
  tokens_in: number;
  tokens_out: number;
  cost_usd: number | null;
}

/** How totals grow. */
export interface Growth {
  first: boolean;
  tokens_in: number;
  tokens_out: number;
  micros: number;
}

type Shown = Pick<BuildRow, 'tokens_in' | 'tokens_out' | 'cost_usd'>;

const microsOf = (usd: number | null): number => (usd === null ? 0 : toMicros(usd));

/**
 * What a build shows after a report. Totals never fall, with one exception: a cost that was worked out from prices gives way to
 * what the coder says at the end.
 */
export function addUp(
  before: Shown,
  said: SaidUsage,
  { price, priced, final }: { price: PriceRow | undefined; priced: boolean; final: boolean },
): Totals & { priced: boolean } {
  const tokens_in = Math.max(before.tokens_in ?? 0, said.tokens_in ?? 0);
  const tokens_out = Math.max(before.tokens_out ?? 0, said.tokens_out ?? 0);
  const known = before.cost_usd;
  const cost = said.cost_usd ?? null;
  if (cost !== null) {
    const replaces = known === null || cost >= known || (final && priced);
    const shown = replaces ? toUsd(toMicros(cost)) : known;
    return { tokens_in, tokens_out, cost_usd: shown, priced: priced && !replaces };
  }
  const more = price
    ? Math.round(
        (tokens_in - (before.tokens_in ?? 0)) * price.usd_per_mtok_in +
          (tokens_out - (before.tokens_out ?? 0)) * price.usd_per_mtok_out,
      )
    : 0;
  if (!price) return { tokens_in, tokens_out, cost_usd: known, priced };
  return { tokens_in, tokens_out, cost_usd: toUsd(microsOf(known) + more), priced: priced || more > 0 };
}

export const growthOf = (before: Shown, after: Totals): Growth => ({
  first: before.tokens_in === null,
  tokens_in: after.tokens_in - (before.tokens_in ?? 0),
  tokens_out: after.tokens_out - (before.tokens_out ?? 0),
  micros: microsOf(after.cost_usd) - microsOf(before.cost_usd),
});

export const hasGrown = ({ first, tokens_in, tokens_out, micros }: Growth): boolean =>
  first || tokens_in !== 0 || tokens_out !== 0 || micros !== 0;
