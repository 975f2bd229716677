import { useMemo } from 'react';
import { readPolicy } from '../api/builds.js';
import { readSpend, SPEND_BY, type SpendBy, type SpendReport } from '../api/money.js';
import { type Resource, useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link, navigate, usePlace, withParameters } from '../shell/router.js';
import { countOf } from '../ui/display.js';
import { Empty, Loaded, Skeleton } from '../ui/feedback.js';
import { SpendIcon } from '../ui/icons.js';
import { Page, Tabs } from '../ui/page.js';
import { DayChart } from './day-chart.js';
import { type Range, RangeForm } from './range-form.js';
import { readRange } from './ranges.js';
import { SpendTable } from './spend-table.js';
import { BY_WORDS, formatCents } from './spend-words.js';
import { SpentOf } from './spent-of.js';
import { useWorkspaceStand } from './use-stand.js';
import { useToday } from './use-today.js';

const POLL_MS = 30_000;

export function SpendPage() {
  const now = useToday();
  useSpendCommands();
  return (
    <Page
      wide
      title="Spend"
      lead={`Cost of builds and budgets.${now ? ` Days are those of ${now.timezone}.` : ''}`}
      actions={
        <Link className="button" to="/dashboard/settings/builds">
          Budgets
        </Link>
      }
    >
      {now ? <SpendBody today={now.today} /> : <Skeleton rows={6} />}
    </Page>
  );
}

function SpendBody({ today }: { today: string }) {
  const { query } = usePlace();
  const by = SPEND_BY.find((each) => each === query.get('by')) ?? 'day';
  const range = readRange(query, today);
  const days = useSpend('day', range);
  const rows = useSpend(by, range);
  const wrong = days.fault?.status === 422;
  return (
    <>
      <Stand />
      <RangeForm range={range} today={today} fault={days.fault} />
      {!wrong && (
        <Loaded of={days} rows={4}>
          {(data) => <Spent days={data} rows={rows} by={by} range={range} />}
        </Loaded>
      )}
    </>
  );
}

const useSpend = (by: SpendBy, { from, to }: Range): Resource<SpendReport> =>
  useResource(`spend:${by}:${from}:${to}`, (signal) => readSpend(by, { from, to }, signal), {
    pollMs: POLL_MS,
    keep: by === 'day',
  });

function Stand() {
  const stand = useWorkspaceStand();
  if (!stand) return <div className="spent-row spent-row-empty" aria-hidden="true" />;
  return (
    <section className="spent-row" aria-label="Budgets of the workspace">
      <SpentOf label="Today" spent={stand.daySpent} budget={stand.dayBudget} />
      <SpentOf label="This month" spent={stand.monthSpent} budget={stand.monthBudget} />
    </section>
  );
}

interface SpentProps {
  days: SpendReport;
  rows: Resource<SpendReport>;
  by: SpendBy;
  range: Range;
}

function Spent({ days, rows, by, range }: SpentProps) {
  const policy = useResource('build-policy', readPolicy, { freshMs: 10_000 });
  const { builds, cost_usd, without_usage } = days.total;
  if (builds === 0 && cost_usd === 0)
    return (
      <Empty title="No spending in these days" icon={<SpendIcon size={28} />}>
        Start a build to see its cost here while it runs.
      </Empty>
    );
  return (
    <>
      <p className="spend-total">
        <strong className="numbers">{formatCents(cost_usd)}</strong>{' '}
        <span className="muted">
          in all, by {countOf(builds, 'build')}
          {without_usage && `; ${without_usage} of them reported no usage, so their cost is unknown`}
        </span>
      </p>
      <DayChart report={days} range={range} budget={policy.data?.budget.day_usd ?? null} />
      <Tabs
        label="Spend by"
        tabs={SPEND_BY.map((each) => ({
          to: withParameters({ by: each === 'day' ? null : each }),
          label: BY_WORDS[each].label,
          current: each === by,
        }))}
      />
      <Loaded of={rows} rows={4}>
        {(data) => <SpendTable report={data} by={by} />}
      </Loaded>
    </>
  );
}

function useSpendCommands(): void {
  useCommands(
    useMemo(
      () =>
        SPEND_BY.map((by) => ({
          id: `spend-${by}`,
          label: `Show spend ${BY_WORDS[by].label.toLowerCase()}`,
          group: 'Spend',
          words: 'cost money budget',
          perform: () => navigate(withParameters({ by: by === 'day' ? null : by }), { replace: true }),
        })),
      [],
    ),
  );
}
