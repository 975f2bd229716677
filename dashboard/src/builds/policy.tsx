import { readPolicy } from '../api/builds.js';
import { useResource } from '../api/resource.js';
import { Link } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { formatCents } from '../spend/spend-words.js';
import { useWorkspaceStand } from '../spend/use-stand.js';
import { ErrorNote } from '../ui/feedback.js';
import { usePlanLimits } from './use-plan-limits.js';

const smaller = (own: number | null | undefined, plan: number): number => Math.min(own ?? plan, plan);

export function PolicyStrip({ open }: { open: number | undefined }) {
  const isAdmin = useIsAdmin();
  const plan = usePlanLimits();
  const policy = useResource('build-policy', readPolicy, { freshMs: 10_000 });
  if (policy.fault) return <ErrorNote fault={policy.fault} onRetry={policy.reload} />;
  if (!policy.data || !plan) return <div className="policy-strip" aria-hidden="true" />;
  const { enabled, max_open, max_per_day, max_minutes, budget } = policy.data;
  const most = smaller(max_open, plan.open);
  const bounded = budget.day_usd !== null || budget.month_usd !== null;
  return (
    <section className="policy-strip" aria-label="Build policy">
      {enabled ? (
        <dl className="policy-facts">
          <div>
            <dt>Open</dt>
            <dd className="numbers">
              <span className={open !== undefined && open >= most ? 'warn' : undefined}>{open ?? '…'}</span>{' '}
              of {most}
            </dd>
          </div>
          <div>
            <dt>A day</dt>
            <dd className="numbers">up to {smaller(max_per_day, plan.perDay).toLocaleString('en')}</dd>
          </div>
          <div>
            <dt>Time limit</dt>
            <dd className="numbers">{max_minutes === null ? 'by profile' : `${max_minutes} min`}</dd>
          </div>
          {bounded && <BudgetFacts />}
        </dl>
      ) : (
        <strong className="warn">Builds are switched off in this workspace.</strong>
      )}
      <Link className="button button-small" to="/dashboard/settings/builds">
        {isAdmin ? 'Change policy' : 'See policy'}
      </Link>
    </section>
  );
}

function BudgetFacts() {
  const stand = useWorkspaceStand();
  if (!stand) return null;
  const facts: [string, number, number | null][] = [
    ['Spent today', stand.daySpent, stand.dayBudget],
    ['This month', stand.monthSpent, stand.monthBudget],
  ];
  return facts.map(
    ([label, spent, budget]) =>
      budget !== null && (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="numbers">
            <span className={spent >= budget ? 'warn' : undefined}>{formatCents(spent)}</span> of{' '}
            {formatCents(budget)}
          </dd>
        </div>
      ),
  );
}
