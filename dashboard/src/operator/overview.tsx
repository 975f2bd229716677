import { useEffect, useState } from 'react';
import { type PlatformOverview, readHealth, readOverview } from '../api/operator.js';
import { useResource } from '../api/resource.js';
import { Chart } from '../ui/chart.js';
import { Badge, countOf, formatCount, formatDuration, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Page } from '../ui/page.js';

const POLL_MS = 5000;
const KEPT = 60;

interface Sample {
  at: string;
  facts: PlatformOverview;
}

export function Overview() {
  const overview = useResource('operator:overview', readOverview, { pollMs: POLL_MS });
  const health = useResource('operator:health', readHealth, { pollMs: POLL_MS });
  const samples = useSamples(overview.data);
  return (
    <Page title="Overview" lead="This service at a glance, read every five seconds.">
      <Loaded of={overview} rows={4}>
        {(data) => (
          <>
            <dl className="figures operator-figures">
              <Figure name="Health">
                {health.data ? <HealthBadge status={health.data.status} /> : <Badge>not known</Badge>}
              </Figure>
              <Figure name="Version">{data.version}</Figure>
              <Figure name="Up for">{formatDuration(data.uptime_seconds)}</Figure>
              <Figure name="Workspaces">{formatCount(data.workspaces)}</Figure>
              <Figure name="People">{formatCount(data.people)}</Figure>
              <Figure name="Open builds">{formatCount(data.open_builds)}</Figure>
              <Figure name="Database">{formatBytes(data.database.size_bytes)}</Figure>
            </dl>
            <div className="chart-grid">
              <Desks {...data.desks} />
              <Parts services={health.data?.services ?? {}} data={data} />
              <SampleChart
                title="Queue"
                samples={samples}
                read={({ queue }) => queue.waiting}
                summary={`${data.queue.waiting} waiting${data.queue.waiting > 0 && data.queue.oldest_seconds ? `, the oldest for ${formatDuration(data.queue.oldest_seconds)}` : ''}.`}
              />
              <SampleChart
                title="Memory of this node"
                samples={samples}
                read={({ memory_mb }) => memory_mb}
                format={(value) => `${Math.round(value)} MB`}
                summary={`${Math.round(data.memory_mb)} MB now.`}
              />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const HealthBadge = ({ status }: { status: string }) => (
  <Badge tone={status === 'healthy' ? 'good' : 'bad'}>{status}</Badge>
);

/** Collected while the page is open, because the service keeps no history of these figures. */
function useSamples(facts: PlatformOverview | undefined): Sample[] {
  const [samples, setSamples] = useState<Sample[]>([]);
  useEffect(() => {
    if (facts) setSamples((all) => [...all, { at: clock.format(new Date()), facts }].slice(-KEPT));
  }, [facts]);
  return samples;
}

const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

interface SampleChartProps {
  title: string;
  summary: string;
  samples: Sample[];
  read(facts: PlatformOverview): number;
  format?: (value: number) => string;
}

function SampleChart({ title, summary, samples, read, format }: SampleChartProps) {
  return (
    <Chart
      title={title}
      summary={summary}
      labelNoun="At"
      labels={samples.map(({ at }) => at)}
      kind="line"
      height={150}
      format={format}
      series={[{ label: title, tone: '1', values: samples.map(({ facts }) => read(facts)) }]}
    />
  );
}

function Desks({ ready, unreachable, total }: PlatformOverview['desks']) {
  const other = Math.max(0, total - ready - unreachable);
  const parts = [
    { key: 'ready', words: 'ready', count: ready },
    { key: 'unreachable', words: 'unreachable', count: unreachable },
    { key: 'provisioning', words: 'being set up or suspended', count: other },
  ].filter(({ count }) => count > 0);
  return (
    <section className="chart" aria-label="Desks">
      <h2>Desks</h2>
      {total === 0 ? (
        <p className="muted">No workspace has ordered a desk.</p>
      ) : (
        <>
          <div
            className="strip-band"
            role="img"
            aria-label={`${countOf(total, 'desk')}: ${parts.map(({ words, count }) => `${count} ${words}`).join(', ')}.`}
          >
            {parts.map(({ key, count }) => (
              <span key={key} className={`strip-stretch strip-${key}`} style={{ flexGrow: count }} />
            ))}
          </div>
          <ul className="strip-sums" aria-hidden="true">
            {parts.map(({ key, words, count }) => (
              <li key={key}>
                <span className={`strip-key strip-${key}`} />
                {words} <strong>{count}</strong>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface PartsProps {
  services: Record<string, string>;
  data: PlatformOverview;
}

function Parts({ services, data }: PartsProps) {
  return (
    <section className="chart" aria-label="Parts">
      <h2>Parts</h2>
      <dl className="facts">
        {Object.entries(services).map(([name, state]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Badge tone={state === 'connected' ? 'good' : 'bad'}>{state}</Badge>
            </dd>
          </div>
        ))}
        <div>
          <dt>Connections</dt>
          <dd>{data.database.connections}</dd>
        </div>
        <div>
          <dt>This node</dt>
          <dd>
            {data.role === 'all' ? 'answers and works' : data.role}, since <Time at={data.started_at} exact />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** step).toFixed(step > 1 && bytes / 1024 ** step < 10 ? 1 : 0)} ${units[step]}`;
}
