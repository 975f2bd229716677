import type { DeskCaller } from '../../../kernel/access.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { UsageInput } from '../budget/budget.schemas.js';
import type { Spending } from '../budget/spending.js';
import type { Totals } from '../budget/totals.js';
import type { BuildOptions } from '../record/builds.options.js';
import { buildStore } from '../record/builds.store.js';
import { requireOpenWork } from '../record/claim-check.js';

/** What a desk says of a build's usage while it runs. */
export const createUsageService = ({
  db,
  clock,
  spending,
}: Pick<BuildOptions, 'db' | 'clock'> & { spending: Spending }) => ({
  report: (
    caller: DeskCaller,
    buildId: string,
    claim: string | undefined,
    said: UsageInput,
  ): Promise<Totals> =>
    inTransaction(db, async (tx) => {
      const build = await buildStore(tx, caller.brandId).lock(buildId, clock.now());
      requireOpenWork(build, caller, claim);
      return spending.report(tx, build, said);
    }),
});

export type UsageService = ReturnType<typeof createUsageService>;
