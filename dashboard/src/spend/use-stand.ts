import { readPolicy } from '../api/builds.js';
import { readSpend } from '../api/money.js';
import { useResource } from '../api/resource.js';
import { firstOfMonth } from './days.js';
import { useToday } from './use-today.js';

const POLL_MS = 15_000;

export interface WorkspaceStand {
  daySpent: number;
  monthSpent: number;
  dayBudget: number | null;
  monthBudget: number | null;
}

export function useWorkspaceStand(wanted = true): WorkspaceStand | undefined {
  const now = useToday();
  const policy = useResource(wanted ? 'build-policy' : null, readPolicy, { freshMs: 10_000 });
  const today = now?.today;
  const spend = useResource(
    wanted && today ? `spend:stand:${today}` : null,
    (signal) => readSpend('day', { from: firstOfMonth(today!), to: today! }, signal),
    { pollMs: POLL_MS, freshMs: 5_000 },
  );
  if (!policy.data || !spend.data) return undefined;
  return {
    daySpent: spend.data.rows.find(({ key }) => key === today)?.cost_usd ?? 0,
    monthSpent: spend.data.total.cost_usd,
    dayBudget: policy.data.budget.day_usd,
    monthBudget: policy.data.budget.month_usd,
  };
}
