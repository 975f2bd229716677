import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
  observeJob(pass: {
    name: string;
    processed: number;
    failed: number;
    threw: boolean;
    seconds: number;
  }): void;
  /** A request was refused before anything was done for it. */
  countRefused(reason: string): void;
  /** For figures a feature keeps itself. */
  registry: Registry;
  contentType: string;
  render(): Promise<string>;
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const PASS_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300];

/** A registry of its own, so that several apps in one process (tests) do not share figures. */
export function createMetrics(options: { defaults?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.defaults ?? true) collectDefaultMetrics({ register: registry, prefix: 'guildhall_' });
  const requests = new Histogram({
    name: 'guildhall_http_request_duration_seconds',
    help: 'Time from request to answer, by declared route',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  const passes = new Histogram({
    name: 'guildhall_job_pass_duration_seconds',
    help: 'Time of one background pass',
    labelNames: ['job', 'outcome'],
    buckets: PASS_SECONDS,
    registers: [registry],
  });
  const items = new Counter({
    name: 'guildhall_job_items_total',
    help: 'What background passes worked on',
    labelNames: ['job', 'outcome'],
    registers: [registry],
  });
  const refused = new Counter({
    name: 'guildhall_http_requests_refused_total',
    help: 'Requests that were refused early, by reason: overload, share (of the workspace while it is busy), limit, streams',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    countRefused: (reason) => refused.inc({ reason }),
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    observeJob({ name, processed, failed, threw, seconds }) {
      passes.observe({ job: name, outcome: threw ? 'error' : 'ok' }, seconds);
      items.inc({ job: name, outcome: 'processed' }, processed);
      items.inc({ job: name, outcome: 'failed' }, failed);
    },
    registry,
    contentType: registry.contentType,
    render: () => registry.metrics(),
  };
}

interface PoolFigures {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/** The connections to the database, by what they are for, and how long requests wait for one. */
export function showPools(
  registry: Registry,
  pools: Record<string, PoolFigures>,
  observeWaits: (listener: (seconds: number) => void) => void,
): void {
  new Gauge({
    name: 'guildhall_database_connections',
    help: 'Connections to the database, by pool and state; waiting: those who wait for one',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        this.set({ pool, state: 'busy' }, totalCount - idleCount);
        this.set({ pool, state: 'idle' }, idleCount);
        this.set({ pool, state: 'waiting' }, waitingCount);
      }
    },
  });
  const waits = new Histogram({
    name: 'guildhall_database_wait_seconds',
    help: 'How long requests waited for a connection when none was free',
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  observeWaits((seconds) => waits.observe(seconds));
}

interface Backlog {
  name: string;
  waiting: number;
  oldest_seconds: number;
}

/** What waits to be done in the background. A name that is asked for no more is told as 0. */
export function showBacklog(
  registry: Registry,
  { metric, help, label }: { metric: string; help: string; label: string },
  read: () => Promise<Backlog[]>,
): void {
  let reading: Promise<Backlog[]> | undefined;
  /** Both figures are asked for together and come of one look. */
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const show = (name: string, what: string, figureOf: (backlog: Backlog) => number) =>
    new Gauge({
      name: `guildhall_${metric}_${name}`,
      help: `${help}: ${what}`,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const backlogs = await readOnce();
        this.reset();
        for (const backlog of backlogs) this.set({ [label]: backlog.name }, figureOf(backlog));
      },
    });
  show('waiting', 'how many wait', ({ waiting }) => waiting);
  show('age_seconds', 'how long the oldest waits', ({ oldest_seconds }) => oldest_seconds);
}

/** What became of the traces, while they are gathered. */
export function showTraces(registry: Registry, counts: { sent: number; dropped: number }): void {
  new Gauge({
    name: 'guildhall_trace_spans',
    help: 'Spans that were sent to the collector since the start, and those that were dropped',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.set({ outcome: 'sent' }, counts.sent);
      this.set({ outcome: 'dropped' }, counts.dropped);
    },
  });
}
