import type { MemberCaller } from '../../../kernel/access.js';
import { dayIn, monthOf } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { agentNotFound, projectNotFound } from '../builds.errors.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { WorkSignal } from '../record/work-signal.js';
import type { BudgetInput, BudgetView, WorkspaceBudget } from './budget.schemas.js';
import { budgetStore, ledgerStore } from './budget.store.js';
import { type BudgetRow, toMicros, toUsd } from './budgets.js';

export const NO_BUDGET: WorkspaceBudget = {
  build_usd: null,
  card_usd: null,
  day_usd: null,
  month_usd: null,
};

type Subject = Pick<BudgetRow, 'subject'> & { scope: 'project' | 'agent' };

const microsOf = (usd: number | null): number | null => (usd === null ? null : toMicros(usd));
const usdOf = (micros: number | null): number | null => (micros === null ? null : toUsd(micros));

export async function findWorkspaceBudget(db: Db | Tx, brandId: number): Promise<WorkspaceBudget> {
  const [row] = await budgetStore(db, brandId).list([], []);
  if (!row) return NO_BUDGET;
  return {
    build_usd: usdOf(row.build_micros),
    card_usd: usdOf(row.card_micros),
    day_usd: usdOf(row.day_micros),
    month_usd: usdOf(row.month_micros),
  };
}

export const saveWorkspaceBudget = (
  tx: Tx,
  brandId: number,
  budget: WorkspaceBudget,
  now: Date,
): Promise<void> =>
  budgetStore(tx, brandId).save(
    {
      scope: 'workspace',
      subject: '',
      build_micros: microsOf(budget.build_usd),
      card_micros: microsOf(budget.card_usd),
      day_micros: microsOf(budget.day_usd),
      month_micros: microsOf(budget.month_usd),
    },
    now,
  );

export function createBudgetService({
  db,
  clock,
  projects,
  workSignal,
}: BuildDeps & { workSignal: WorkSignal }) {
  async function requireSubject(brandId: number, { scope, subject }: Subject): Promise<void> {
    if (scope === 'project') {
      if (!(await projects.findProject(brandId, subject))) throw projectNotFound();
    } else if (!(await budgetStore(db, brandId).hasAgent(subject))) throw agentNotFound();
  }

  async function show(inside: Db | Tx, brandId: number, { scope, subject }: Subject): Promise<BudgetView> {
    const store = budgetStore(inside, brandId);
    const rows = await store.list([subject], [subject]);
    const own = rows.find((row) => row.scope === scope && row.subject === subject);
    const day = dayIn(await store.findTimezone(), clock.now());
    const tallies = await ledgerStore(inside, brandId).listTallies([
      { scope, subject, period: day },
      { scope, subject, period: monthOf(day) },
    ]);
    const spentIn = (period: string) =>
      toUsd(tallies.find((tally) => tally.period === period)?.spent_micros ?? 0);
    return {
      day_usd: usdOf(own?.day_micros ?? null),
      month_usd: usdOf(own?.month_micros ?? null),
      day_spent_usd: spentIn(day),
      month_spent_usd: spentIn(monthOf(day)),
    };
  }

  return {
    async getBudget({ brandId }: MemberCaller, subject: Subject): Promise<BudgetView> {
      await requireSubject(brandId, subject);
      return show(db, brandId, subject);
    },

    async setBudget(caller: MemberCaller, subject: Subject, input: BudgetInput): Promise<BudgetView> {
      const { brandId } = caller;
      await requireSubject(brandId, subject);
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const before = await show(tx, brandId, subject);
        const { day_usd = before.day_usd, month_usd = before.month_usd } = input;
        await budgetStore(tx, brandId).save(
          {
            ...subject,
            build_micros: null,
            card_micros: null,
            day_micros: microsOf(day_usd),
            month_micros: microsOf(month_usd),
          },
          now,
        );
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'budget.changed',
          subject: `${subject.scope}:${subject.subject}`,
          details: input,
          at: now,
        });
        // Waiting builds may fit the new budget.
        workSignal.announce(tx, brandId);
        return show(tx, brandId, subject);
      });
    },
  };
}

export type BudgetService = ReturnType<typeof createBudgetService>;
