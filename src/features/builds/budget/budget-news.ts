import type { Tx } from '../../../platform/database/database.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import { type Limit, nameBudget, placeKey } from './budgets.js';
import { budgetStore } from './budgets.store.js';
import { ledgerStore, type Tally } from './ledger.store.js';
import { sayUsd, toUsd } from './micros.js';

const STEPS = [80, 100] as const;

type Crossing = Pick<BuildRow, 'brand_id' | 'build_id' | 'task_id' | 'ref'>;

/** Tells the admins, and whoever listens, that most of a budget is spent and that all of it is: once each in its period. */
export function createBudgetNews({ outbox, inbox }: Pick<BuildOptions, 'outbox' | 'inbox'>) {
  return async (
    tx: Tx,
    build: Crossing,
    limits: readonly Limit[],
    tallies: readonly Tally[],
    at: Date,
  ): Promise<void> => {
    const { brand_id: brandId, build_id: buildId, task_id: taskId } = build;
    const byPlace = new Map(tallies.map((tally) => [placeKey(tally), tally]));
    for (const limit of limits) {
      const tally = byPlace.get(placeKey(limit));
      if (!tally) continue;
      const { spent_micros: spent, told } = tally;
      const reached = STEPS.filter((step) => told < step && spent * 100 >= limit.micros * step);
      if (reached.length === 0) continue;
      await ledgerStore(tx, brandId).noteTold(limit, reached.at(-1)!);
      const users = await budgetStore(tx, brandId).listAdmins();
      for (const percent of reached) {
        const { scope, subject, period } = limit;
        await outbox.tell(tx, [
          {
            brandId,
            type: 'budget.reached',
            at,
            data: {
              scope,
              subject: subject || null,
              period: period || null,
              percent,
              budget_usd: toUsd(limit.micros),
              spent_usd: toUsd(spent),
              build_id: buildId,
              task_id: taskId,
              ref: build.ref,
            },
          },
        ]);
        const excerpt = `${nameBudget(limit)} is ${percent === 100 ? 'spent' : `spent to ${percent} %`}: ${sayUsd(spent)} of ${sayUsd(limit.micros)}`;
        await inbox.tell(tx, [
          { brandId, kind: 'budget_reached', taskId, buildId, at, actor: null, excerpt, to: { users } },
        ]);
      }
    }
  };
}
