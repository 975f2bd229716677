import type { Figures } from '../api/figures.js';
import type { ChartSeries, ChartTone } from '../ui/chart.js';
import { formatCount, formatMoney } from '../ui/display.js';

export interface Drawing {
  empty: boolean;
  summary: string;
  series: ChartSeries[];
}

const weekNames = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const weekName = (week: string): string => weekNames.format(new Date(`${week}T00:00:00Z`));

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

export function throughputOf({ weeks, cards }: Figures): Drawing {
  const of = (field: 'made' | 'done') =>
    weeks.map((week) => cards.find((each) => each.week === week)?.[field] ?? 0);
  const [made, done] = [of('made'), of('done')];
  return {
    empty: sum(made) + sum(done) === 0,
    summary: `${counted(sum(made), 'card', 'cards')} made, ${sum(done)} done in ${counted(weeks.length, 'week', 'weeks')}.`,
    series: [
      { label: 'Created', tone: '3', values: made },
      { label: 'Done', tone: '1', values: done },
    ],
  };
}

export function outcomesOf({ weeks, builds }: Figures): Drawing {
  const of = (read: (build: Figures['builds'][number]) => number) =>
    weeks.map((week) => sum(builds.filter((each) => each.week === week).map(read)));
  const all = of((build) => build.builds);
  const succeeded = of((build) => build.succeeded);
  const share = sum(all) === 0 ? 0 : Math.round((sum(succeeded) / sum(all)) * 100);
  return {
    empty: sum(all) === 0,
    summary: `${sum(succeeded)} of ${counted(sum(all), 'build', 'builds')} succeeded, ${share}%.`,
    series: [
      { label: 'Succeeded', tone: '1', values: succeeded },
      { label: 'Other', tone: 'bad', values: all.map((count, at) => count - succeeded[at]!) },
    ],
  };
}

const TONES: ChartTone[] = ['1', '2', '3', '4', '5', '6'];

type CoderFigure = (build: Figures['builds'][number]) => number;

/** One series per coder, largest first. */
function byCoder({ weeks, builds }: Figures, read: CoderFigure): ChartSeries[] {
  const coders = [...new Set(builds.map(({ coder }) => coder))];
  return coders
    .map((coder) => ({
      label: coder,
      values: weeks.map((week) =>
        sum(builds.filter((each) => each.week === week && each.coder === coder).map(read)),
      ),
    }))
    .filter(({ values }) => sum(values) > 0)
    .sort((one, other) => sum(other.values) - sum(one.values))
    .map((each, at) => ({ ...each, tone: TONES[at % TONES.length]! }));
}

function describeCoders(series: ChartSeries[], format: (value: number) => string): string {
  const parts = series.map(({ label, values }) => `${label} ${format(sum(values))}`);
  return parts.length === 1
    ? `${parts[0]}.`
    : `${format(sum(series.flatMap(({ values }) => values)))} in all: ${parts.join(', ')}.`;
}

export function costOf(figures: Figures): Drawing {
  const series = byCoder(figures, ({ cost_usd }) => cost_usd);
  return { empty: series.length === 0, summary: describeCoders(series, formatMoney), series };
}

export function tokensOf(figures: Figures): Drawing {
  const series = byCoder(figures, ({ tokens_in, tokens_out }) => tokens_in + tokens_out);
  return { empty: series.length === 0, summary: describeCoders(series, formatCount), series };
}

export function growthOf({ weeks, memories }: Figures): Drawing {
  const values = weeks.map((week) => memories.find((each) => each.week === week)?.total ?? 0);
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const change = last - first;
  return {
    empty: sum(values) === 0,
    summary: `${counted(last, 'memory', 'memories')} now, ${change < 0 ? `${-change} fewer` : `${change} more`} than ${counted(weeks.length - 1, 'week', 'weeks')} ago.`,
    series: [{ label: 'Memories', tone: '1', values }],
  };
}
