import type { SpendReport } from '../api/money.js';
import { Chart } from '../ui/chart.js';
import { dayName, daysBetween, longDayName } from './days.js';
import type { Range } from './ranges.js';
import { formatCents } from './spend-words.js';

interface ChartProps {
  report: SpendReport;
  range: Range;
  /** The workspace's daily budget; null means no limit. */
  budget: number | null;
}

/** Ranges up to this many days omit the year. */
const MOST_SHORT = 365;

/** One bar per day, including days without spend, with the daily budget as a line. */
export function DayChart({ report, range, budget }: ChartProps) {
  const days = daysBetween(range.from, range.to);
  const spent = new Map(report.rows.map(({ key, cost_usd }) => [key, cost_usd]));
  const values = days.map((day) => spent.get(day) ?? 0);
  const most = Math.max(0, ...values);
  const at = days[values.indexOf(most)];
  const over = budget === null ? 0 : values.filter((value) => value >= budget).length;
  const summary = [
    `${formatCents(report.total.cost_usd)} in ${days.length} ${days.length === 1 ? 'day' : 'days'}`,
    most > 0 && at && `most on ${longDayName(at)}: ${formatCents(most)}`,
    budget !== null &&
      `the day’s budget of ${formatCents(budget)} was spent on ${over === 0 ? 'none of them' : over}`,
  ]
    .filter(Boolean)
    .join('; ');
  return (
    <Chart
      title="Spend by day"
      summary={`${summary}.`}
      labels={days.map(days.length > MOST_SHORT ? longDayName : dayName)}
      labelNoun="Day"
      kind="bars"
      format={formatCents}
      series={[{ label: 'Spent', tone: '1', values }]}
      mark={budget === null ? undefined : { label: 'Budget of a day', value: budget }}
    />
  );
}
