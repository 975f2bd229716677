import { useMemo } from 'react';
import { type Figures, readFigures } from '../api/figures.js';
import { useResource } from '../api/resource.js';
import { useMachinesShown } from '../machines/switched-off.js';
import { useCommands } from '../shell/commands.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Chart } from '../ui/chart.js';
import { formatCount, formatMoney } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { FiguresIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { DeskDays } from './desk-days.js';
import { costOf, growthOf, outcomesOf, throughputOf, tokensOf, weekName } from './series.js';

const CHOICES = [4, 12, 26, 52];
const USUAL = 12;
const POLL_MS = 60_000;

export function FiguresPage() {
  const { brand } = useSession();
  const asked = Number(usePlace().query.get('weeks'));
  const weeks = CHOICES.includes(asked) ? asked : USUAL;
  const figures = useResource(
    `figures:${brand.brand_id}:${weeks}`,
    (signal) => readFigures(brand.brand_id, weeks, signal),
    { keep: true, pollMs: POLL_MS },
  );
  useCommands(
    useMemo(
      () =>
        CHOICES.map((choice) => ({
          id: `weeks-${choice}`,
          label: `Show ${choice} weeks`,
          group: 'Figures',
          perform: () => showWeeks(choice),
        })),
      [],
    ),
  );
  return (
    <Page
      wide
      title="Figures"
      lead="Finished work, its cost and the availability of desks."
      actions={
        <fieldset className="chips">
          <legend className="off-screen">Weeks</legend>
          {CHOICES.map((choice) => (
            <button
              key={choice}
              type="button"
              className="chip"
              aria-pressed={choice === weeks}
              onClick={() => showWeeks(choice)}
            >
              {choice} weeks
            </button>
          ))}
        </fieldset>
      }
    >
      <Loaded of={figures} rows={6}>
        {(data) => <Charts figures={data} />}
      </Loaded>
    </Page>
  );
}

const showWeeks = (weeks: number): void =>
  navigate(withParameters({ weeks: weeks === USUAL ? null : String(weeks) }), { replace: true });

function Charts({ figures }: { figures: Figures }) {
  const labels = figures.weeks.map(weekName);
  const machinesShown = useMachinesShown();
  const throughput = throughputOf(figures);
  const outcomes = outcomesOf(figures);
  const cost = costOf(figures);
  const tokens = tokensOf(figures);
  const growth = growthOf(figures);
  const shared = { labels, labelNoun: 'Week of' };
  if (throughput.empty && outcomes.empty && growth.empty && figures.desks.length === 0) {
    return (
      <Empty title="No data yet" icon={<FiguresIcon size={28} />}>
        Create cards and start a build. Finished work, cost and results appear here by week.
      </Empty>
    );
  }
  return (
    <div className="chart-grid">
      <Drawn of={throughput} title="Throughput" hint="No cards were created in these weeks.">
        <Chart {...shared} title="Throughput" kind="bars" {...throughput} />
      </Drawn>
      <Drawn
        of={outcomes}
        title="Builds"
        hint="No builds ran in these weeks. Start a build to see results here."
      >
        <Chart {...shared} title="Builds" kind="stack" {...outcomes} />
      </Drawn>
      <Drawn of={cost} title="Cost by coder" hint="Nothing was spent in these weeks.">
        <Chart {...shared} title="Cost by coder" kind="stack" format={formatMoney} {...cost} />
      </Drawn>
      <Drawn of={tokens} title="Tokens by coder" hint="No coder used tokens in these weeks.">
        <Chart {...shared} title="Tokens by coder" kind="stack" format={formatCount} {...tokens} />
      </Drawn>
      <Drawn of={growth} title="Memory" hint="No memories yet.">
        <Chart {...shared} title="Memory" kind="line" {...growth} />
      </Drawn>
      {machinesShown && <DeskDays desks={figures.desks} />}
    </div>
  );
}

interface DrawnProps {
  of: { empty: boolean };
  title: string;
  hint: string;
  children: React.ReactNode;
}

function Drawn({ of, title, hint, children }: DrawnProps) {
  if (!of.empty) return children;
  return (
    <section className="chart chart-empty" aria-label={title}>
      <h2>{title}</h2>
      <p className="muted">{hint}</p>
    </section>
  );
}
